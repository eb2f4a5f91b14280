package dev.reprise.core.retry;

import dev.reprise.core.StopReason;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells why an operation was not tried again. It is never thrown: the caller gets the operation's
 * own failure, and this is attached to it as a suppressed exception; {@link #of} finds it. A
 * failure that was not retryable at the very first attempt carries none: it looks as it would
 * without {@link Retry}.
 */
public final class RetryStoppedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final StopReason reason;
  private final int attempts;

  /** A {@code Supplier<String>} that knows the words, or in a stream the words themselves. */
  @SuppressWarnings("serial") // See writeObject.
  private final @Nullable Object explanation;

  /** Counts all of them; 0 for one that came out of a stream. */
  private final transient long number;

  private RetryStoppedException(
      StopReason reason, int attempts, @Nullable Supplier<String> explanation) {
    super(null, null, false, false);
    this.reason = reason;
    this.attempts = attempts;
    this.explanation = explanation;
    this.number = NestedRetry.nextNote();
  }

  /**
   * Returns what is attached to the last failure of an operation.
   *
   * @param explanation for people, or null when reason and attempts say it all
   */
  static Throwable note(StopReason reason, int attempts, @Nullable Supplier<String> explanation) {
    return new RetryStoppedException(reason, attempts, explanation);
  }

  /**
   * Returns why the operation that ended with this failure was not tried again, or null when it was
   * not retryable at the first attempt, or does not come from a {@link Retry}. When operations were
   * nested, the outermost counts. A failure that a program throws more than once, such as a
   * constant, keeps the first answer it was given.
   */
  public static @Nullable RetryStoppedException of(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    RetryStoppedException found = null;
    for (Throwable suppressed : failure.getSuppressed()) {
      if (suppressed instanceof RetryStoppedException stopped) {
        found = stopped;
      }
    }
    return found;
  }

  /** Returns why there was no further attempt. */
  public StopReason reason() {
    return reason;
  }

  /** Returns how many attempts were made. */
  public int attempts() {
    return attempts;
  }

  long number() {
    return number;
  }

  @Override
  public String getMessage() {
    String made = reason + " after " + attempts + (attempts == 1 ? " attempt" : " attempts");
    String why = words();
    return why == null ? made : made + ": " + why;
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    ObjectOutputStream.PutField fields = out.putFields();
    fields.put("reason", reason);
    fields.put("attempts", attempts);
    fields.put("explanation", words());
    out.writeFields();
  }

  private @Nullable String words() {
    return explanation instanceof Supplier<?> words ? (String) words.get() : (String) explanation;
  }
}
