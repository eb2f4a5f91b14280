package dev.reprise.core.retry;

import org.jspecify.annotations.Nullable;

/**
 * The failures before the last one: the latest ten, so that a call that never ends does not grow.
 */
final class EarlierFailures {
  private static final int MOST = 10;

  /** The earliest that is known of: most calls have no more than two. */
  private final Throwable first;

  private @Nullable Throwable second;

  /** The latest ten, once there are three; null before. */
  private Throwable @Nullable [] latest;

  private int added = 1;

  private EarlierFailures(Throwable first) {
    this.first = first;
  }

  static EarlierFailures with(@Nullable EarlierFailures earlier, Throwable failure) {
    if (earlier == null) {
      return new EarlierFailures(failure);
    }
    earlier.add(failure);
    return earlier;
  }

  private void add(Throwable failure) {
    if (added == 1) {
      second = failure;
    } else {
      if (latest == null) {
        latest = new Throwable[MOST];
        latest[0] = first;
        latest[1] = second;
      }
      latest[added % MOST] = failure;
    }
    added++;
  }

  private @Nullable Throwable get(int index) {
    if (latest != null) {
      return latest[index % MOST];
    }
    return index == 0 ? first : second;
  }

  /** Attaches the failures in their order, each once. */
  void attachTo(Throwable last) {
    int oldest = Math.max(0, added - MOST);
    for (int i = oldest; i < added; i++) {
      Throwable earlier = get(i);
      if (earlier != null && earlier != last && !isBefore(oldest, i, earlier)) {
        last.addSuppressed(earlier);
      }
    }
  }

  private boolean isBefore(int begin, int end, Throwable failure) {
    for (int i = begin; i < end; i++) {
      if (get(i) == failure) {
        return true;
      }
    }
    return false;
  }
}
