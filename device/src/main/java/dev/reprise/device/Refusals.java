package dev.reprise.device;

import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.retry.RetryDecision;

/**
 * Decides about a message that the other side refused while the connection lives on. A refusal
 * concerns the message, never the device: a device that may not connect is refused when connecting.
 * Used in the loop only.
 */
final class Refusals {
  /**
   * The refusals without an acknowledgement between that are blamed on the hub, not on the
   * messages.
   */
  private static final int MAX_IN_A_ROW = 10;

  /** The fate of the message. */
  enum Fate {
    /** It ends: the other side will not want it the next time either. */
    REJECTED,

    /** It is sent again after a delay of its own. */
    SENT_AGAIN,

    /** It takes its old place, and waits with all the others until the pause is over. */
    WAITS_FOR_PAUSE,

    /** It takes its old place, and waits with all the others for another connection. */
    WAITS_FOR_CONNECTION
  }

  /**
   * Decides what follows a refusal.
   *
   * @param fate what is done with the message
   * @param pauses whether the whole client is to pause
   * @param delayNanos how long the policy and the other side want to wait, at least 0
   */
  record Verdict(Fate fate, boolean pauses, long delayNanos) {}

  private final ClientSettings settings;

  /** Refusals since something was last acknowledged. */
  private int inARow;

  Refusals(ClientSettings settings) {
    this.settings = settings;
  }

  void acknowledged() {
    inARow = 0;
  }

  /** Decides, and counts the retries that the policy allows. */
  Verdict of(TransportException cause, Sending message) {
    inARow++;

    // An allowance comes back and a queue gets emptied: no message and no policy can help it.
    if (cause.kind() == ErrorKind.QUOTA) {
      return new Verdict(Fate.WAITS_FOR_PAUSE, true, 0);
    }

    // A hub that names a time is not called before, whatever the error.
    boolean throttled = Failures.isThrottle(cause) || cause.retryAfter() != null;
    boolean refusesAll = inARow > MAX_IN_A_ROW;
    if (!cause.isRetryable()) {
      return new Verdict(Fate.REJECTED, throttled || refusesAll, 0);
    }

    // Whatever is sent is refused: the other side is out of order, and the messages can wait.
    if (refusesAll && !throttled) {
      return new Verdict(Fate.WAITS_FOR_CONNECTION, false, 0);
    }

    RetryDecision decision = Decisions.ask(settings.messagePolicy, message.retries, cause);

    // The policy's promise of how often it is sent at most.
    if (!decision.shouldRetry()) {
      return new Verdict(Fate.REJECTED, throttled, 0);
    }

    message.retries++;

    // After a pause it is the first to be sent, which is not its own time.
    long delayNanos = Math.max(Decisions.nanos(decision.delay()), hintNanos(cause));
    return new Verdict(throttled ? Fate.WAITS_FOR_PAUSE : Fate.SENT_AGAIN, throttled, delayNanos);
  }

  /** Returns how long the other side asked to be left alone, at least 0. */
  static long hintNanos(TransportException cause) {
    return cause.retryAfter() == null ? 0 : Decisions.nanos(cause.retryAfter());
  }
}
