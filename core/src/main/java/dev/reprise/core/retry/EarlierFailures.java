package dev.reprise.core.retry;

import org.jspecify.annotations.Nullable;

/**
 * The failures before the last one: the latest ten, so that a call that never ends does not grow.
 */
final class EarlierFailures {
  private static final int MOST = 10;

  private final Throwable[] latest = new Throwable[MOST];
  private int added;

  static EarlierFailures with(@Nullable EarlierFailures earlier, Throwable failure) {
    EarlierFailures failures = earlier == null ? new EarlierFailures() : earlier;
    failures.latest[failures.added % MOST] = failure;
    failures.added++;
    return failures;
  }

  /** Attaches the failures in their order, each once. */
  void attachTo(Throwable last) {
    int first = Math.max(0, added - MOST);
    for (int i = first; i < added; i++) {
      Throwable earlier = latest[i % MOST];
      if (earlier != last && !isBefore(first, i, earlier)) {
        last.addSuppressed(earlier);
      }
    }
  }

  private boolean isBefore(int first, int end, Throwable failure) {
    for (int i = first; i < end; i++) {
      if (latest[i % MOST] == failure) {
        return true;
      }
    }
    return false;
  }
}
