package dev.reprise.device;

import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.retry.RetryDecision;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a message that the other side refused while the connection stays up, and finds out
 * what the refusals are about: one message, or all of them. Used in the loop only.
 *
 * <p>A refusal concerns the message, never the device: a device that may not connect is refused
 * when connecting. But when many different messages are refused and none is acknowledged between,
 * it concerns the other side, and no message is given up for it. One message that is refused again
 * and again is none but one: others pass it.
 */
final class Refusals {
  /** More messages than so many, all refused with none acknowledged, are an outage of the hub. */
  private static final int MAX_REFUSED = 10;

  /**
   * The refusals after which a message steps aside for those behind it even if the client may have
   * no more than one message under way.
   */
  private static final int MIN_REFUSALS_ASIDE = 10;

  /**
   * A throttle is about one message when others passed it so often. Once may be chance: of a hub
   * with a limit, any message may be refused beside one that is taken.
   */
  private static final int MIN_PASSES = 2;

  /** The throttles in a row after which another message is tried. */
  private static final int MIN_THROTTLES = 3;

  /** When more messages than so many are throttled, another one is tried only now and then. */
  private static final int MAX_FEW = 2;

  private static final int NOW_AND_THEN = 4;

  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_PAUSE_DOUBLINGS = 6;

  /** The fate of the message. */
  enum Fate {
    /** It ends: the other side will not want it the next time either. */
    REJECTED,

    /** It is sent again after a delay of its own. */
    SENT_AGAIN,

    /** The same, and the delay does not count against its time. */
    WAITS_FOR_ALLOWANCE,

    /** It takes its old place, and waits with all the others until the pause is over. */
    WAITS_FOR_PAUSE,

    /** It waits with all the others for another connection. */
    WAITS_FOR_CONNECTION,

    /** It waits with all the others until the device may send again. */
    WAITS_FOR_RIGHTS
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

  /** The last in the queue of the messages that were acknowledged, and the attempt that was. */
  private long acknowledgedSequence;

  private long acknowledgedAttempt;

  // What follows is as of the last acknowledgement.

  /** Refusals that may pass, other than throttles and quotas. */
  private int inARow;

  /** The messages that were refused so and never passed by others, or a few more than too many. */
  private final Set<Long> unpassed = new HashSet<>();

  /** The messages that were throttled, or a few of them. */
  private final Set<Long> throttled = new HashSet<>();

  /** The code of the latest refusals that were final, with its protocol. */
  private @Nullable String finalCode;

  private int finalInARow;

  private boolean lacksRights;

  Refusals(ClientSettings settings) {
    this.settings = settings;
  }

  /** Notes that the latest attempt of a message was acknowledged. */
  void acknowledged(Sending message) {
    if (message.sequence() > acknowledgedSequence) {
      acknowledgedSequence = message.sequence();
      acknowledgedAttempt = message.latestAttempt;
    }
    inARow = 0;
    unpassed.clear();
    throttled.clear();
    finalCode = null;
    finalInARow = 0;
    lacksRights = false;
  }

  /**
   * Returns whether all refusals may be those of a hub that is out of order. Then no message is
   * given up, and no time counts against it.
   */
  boolean mayBeOutage() {
    return inARow > MAX_REFUSED && !unpassed.isEmpty();
  }

  /** Returns whether so many messages were refused that it can be nothing else. */
  boolean isOutage() {
    return unpassed.size() > MAX_REFUSED;
  }

  /** Returns whether the device may not send, whatever it is. */
  boolean isOutageOfRights() {
    return lacksRights;
  }

  /** Returns whether the others need not wait for a message that waits to be sent again. */
  boolean isAside(Sending message) {
    return message.refusals >= MIN_REFUSALS_ASIDE
        || message.passes >= MIN_PASSES
        || isOutage()
        || lacksRights;
  }

  /**
   * Returns whether the next message after a pause is to be another one than those that were
   * throttled: the throttle may be about them. As a pause ends with one message as before, this
   * costs no attempt.
   *
   * @param pausesInARow the pauses since something was acknowledged
   */
  boolean triesAnother(int pausesInARow) {
    return pausesInARow >= MIN_THROTTLES
        && (throttled.size() <= MAX_FEW || pausesInARow % NOW_AND_THEN == 0);
  }

  /** Decides, and counts the retries that the policy allows. */
  Verdict of(TransportException cause, Sending message) {
    if (wasPassed(message)) {
      message.passes++;
    }
    message.refusedAttempt = message.latestAttempt;

    // A hub that names a time is not called before, whatever the error.
    boolean isThrottle = Failures.isThrottle(cause) || cause.retryAfter() != null;
    if (!cause.isRetryable() && cause.kind() != ErrorKind.QUOTA) {
      return ofFinal(cause, isThrottle);
    }
    return isThrottle ? ofThrottle(cause, message) : ofPassing(cause, message);
  }

  /**
   * Returns whether one from behind it was taken since it was last refused. That those before it
   * are taken says nothing: a hub with a limit takes the first of those that are under way.
   */
  private boolean wasPassed(Sending message) {
    return message.refusedAttempt > 0
        && acknowledgedAttempt > message.refusedAttempt
        && acknowledgedSequence > message.sequence();
  }

  private Verdict ofFinal(TransportException cause, boolean isThrottle) {
    // The device found it out by itself: it is about this message.
    if (Failures.isOfTheDevice(cause)) {
      return new Verdict(Fate.REJECTED, isThrottle, 0);
    }

    if (lacksRights) {
      return new Verdict(Fate.WAITS_FOR_RIGHTS, isThrottle, 0);
    }

    String code = cause.protocol() + " " + cause.code();
    finalInARow = code.equals(finalCode) ? finalInARow + 1 : 1;
    finalCode = code;
    lacksRights = finalInARow >= settings.maxRejectedInARow;
    return new Verdict(Fate.REJECTED, isThrottle, 0);
  }

  private Verdict ofThrottle(TransportException cause, Sending message) {
    boolean isOwn = message.passes >= MIN_PASSES;
    long delayNanos = hintNanos(cause);

    // An allowance comes back and a queue gets emptied: no message and no policy can help it.
    if (cause.kind() != ErrorKind.QUOTA) {
      RetryDecision decision = Decisions.ask(settings.messagePolicy, message.retries, cause);

      // The policy's promise of how often it is sent at most.
      if (!decision.shouldRetry()) {
        return new Verdict(Fate.REJECTED, !isOwn, 0);
      }
      message.retries++;
      delayNanos = Math.max(delayNanos, Decisions.nanos(decision.delay()));
    }

    // Others are taken: it is the topic or the tenant of this one that is throttled.
    if (isOwn) {
      int doublings = Math.min(MAX_PAUSE_DOUBLINGS, message.throttles++);
      long pauseNanos = Math.max(delayNanos, FIRST_PAUSE_NANOS << doublings);
      return new Verdict(Fate.WAITS_FOR_ALLOWANCE, false, pauseNanos);
    }

    // After a pause it is the first to be sent, which is not its own time.
    if (throttled.size() <= MAX_FEW) {
      throttled.add(message.sequence());
    }
    return new Verdict(Fate.WAITS_FOR_PAUSE, true, delayNanos);
  }

  private Verdict ofPassing(TransportException cause, Sending message) {
    inARow = inARow == Integer.MAX_VALUE ? inARow : inARow + 1;
    message.refusals =
        message.refusals == Integer.MAX_VALUE ? message.refusals : message.refusals + 1;
    if (message.passes == 0 && !isOutage()) {
      unpassed.add(message.sequence());
    }

    // Whatever is sent is refused: the other side may be out of order, and the messages can wait.
    if (mayBeOutage()) {
      // Such attempts do not use up those that the policy allows, but each waits longer.
      int before = Math.max(message.retries, message.refusals - 1);
      long delayNanos = Decisions.delayNanos(settings.messagePolicy, before, cause);
      Fate fate = isOutage() ? Fate.WAITS_FOR_CONNECTION : Fate.SENT_AGAIN;
      return new Verdict(fate, false, delayNanos);
    }

    RetryDecision decision = Decisions.ask(settings.messagePolicy, message.retries, cause);
    if (!decision.shouldRetry()) {
      return new Verdict(Fate.REJECTED, false, 0);
    }
    message.retries++;
    return new Verdict(Fate.SENT_AGAIN, false, Decisions.nanos(decision.delay()));
  }

  /** Returns how long the other side asked to be left alone, at least 0. */
  static long hintNanos(TransportException cause) {
    return cause.retryAfter() == null ? 0 : Decisions.nanos(cause.retryAfter());
  }
}
