package dev.reprise.core;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when there is no token for a further attempt (Smithy guide "Retrying Requests"). The
 * operation's own failure is what its caller should see; this exception tells why there is no
 * retry.
 */
public final class TokenAcquisitionFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final StopReason reason;
  private final Duration delay;
  private final transient @Nullable Supplier<String> laterMessage;

  /**
   * Creates an exception as strategies of the plain token contract throw it, which give no reason
   * but in words: it is {@link StopReason#NOT_RETRYABLE}.
   */
  public TokenAcquisitionFailedException(String message) {
    this(StopReason.NOT_RETRYABLE, message);
  }

  /** Creates an exception without a delay. */
  public TokenAcquisitionFailedException(StopReason reason, String message) {
    this(reason, message, Duration.ZERO);
  }

  /**
   * Creates an exception.
   *
   * @param reason why there is no retry
   * @param message what to do about it, for people
   * @param delay how long to wait before the failure is handed to the caller, at least 0
   * @throws IllegalArgumentException when {@code delay} is negative
   */
  public TokenAcquisitionFailedException(StopReason reason, String message, Duration delay) {
    this(reason, message, null, delay);
  }

  /**
   * Creates an exception whose message is put into words when it is asked for, which most callers
   * never do.
   *
   * @param reason why there is no retry
   * @param message what to do about it, for people; called by any thread, each time anew
   * @param delay how long to wait before the failure is handed to the caller, at least 0
   * @throws IllegalArgumentException when {@code delay} is negative
   */
  public TokenAcquisitionFailedException(
      StopReason reason, Supplier<String> message, Duration delay) {
    this(reason, null, Objects.requireNonNull(message, "message"), delay);
  }

  private TokenAcquisitionFailedException(
      StopReason reason,
      @Nullable String message,
      @Nullable Supplier<String> laterMessage,
      Duration delay) {
    // No stack trace: this is an answer, and it is given often when a service is down.
    super(message, null, false, false);
    this.reason = Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(delay, "delay");
    if (delay.isNegative()) {
      throw new InvalidSettingException("delay", delay, "must not be negative");
    }
    this.delay = delay;
    this.laterMessage = laterMessage;
  }

  @Override
  public @Nullable String getMessage() {
    return laterMessage == null ? super.getMessage() : laterMessage.get();
  }

  /** A stream has the words. */
  private Object writeReplace() {
    return laterMessage == null
        ? this
        : new TokenAcquisitionFailedException(reason, getMessage(), null, delay);
  }

  /** Returns why there is no retry. */
  public StopReason reason() {
    return reason;
  }

  /**
   * Returns how long to wait before the failure is handed to the caller. Zero but for long polls,
   * whose callers come back at once and must not do so faster than a retry would.
   */
  public Duration delay() {
    return delay;
  }
}
