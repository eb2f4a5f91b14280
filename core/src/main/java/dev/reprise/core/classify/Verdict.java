package dev.reprise.core.classify;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of the rules of a {@link Classifier} on a failure.
 *
 * <p>A rule gets the verdict so far and answers with another one, made from it: {@link #yes},
 * {@link #maybe} and {@link #never} change whether a retry is safe and keep the facts (throttle,
 * timeout, hint); {@link #withThrottle}, {@link #withTimeout} and {@link #withRetryAfter} add a
 * fact and change nothing else. So a hint alone never makes a failure retryable.
 *
 * <p>Immutable and thread-safe.
 *
 * @param isRetrySafe whether a retry is safe; {@link RetrySafety#NO} when nothing is known
 * @param basis what {@code isRetrySafe} rests on
 * @param isThrottle whether the other side refused because too much was asked of it
 * @param isTimeout whether the operation took too long
 * @param retryAfter how long the other side asked to wait, never negative, or null
 * @param reason why {@code isRetrySafe} is what it is, in a few words for people
 */
public record Verdict(
    RetrySafety isRetrySafe,
    Basis basis,
    boolean isThrottle,
    boolean isTimeout,
    @Nullable Duration retryAfter,
    String reason)
    implements RetryInfo {

  /** The basis of a verdict, from the weakest to the strongest. A stronger basis wins. */
  public enum Basis {
    /** Nothing: no rule knew the failure. It is not retried. */
    UNKNOWN,

    /** A type that can mean many things, such as a plain {@link java.io.IOException}. */
    GENERIC,

    /** A type, a code or an {@link dev.reprise.core.ErrorFault} that means one thing. */
    INDICATION,

    /** A statement of the failure itself as a {@link RetryInfo}, or of a rule of the user. */
    STATEMENT,

    /** A refusal that nothing overrides. It ends the fold. */
    VETO
  }

  /** The verdict on a failure that no rule knew: it is not retried. */
  public static final Verdict UNKNOWN = of(RetrySafety.NO, Basis.UNKNOWN, "unknown failure");

  /**
   * Checks that the parts fit each other. A negative hint counts as none.
   *
   * @throws IllegalArgumentException when an unknown failure or a veto is not {@link
   *     RetrySafety#NO}
   */
  public Verdict {
    Objects.requireNonNull(isRetrySafe, "isRetrySafe");
    Objects.requireNonNull(basis, "basis");
    Objects.requireNonNull(reason, "reason");
    if (isRetrySafe != RetrySafety.NO && (basis == Basis.UNKNOWN || basis == Basis.VETO)) {
      throw new InvalidSettingException(
          "isRetrySafe", isRetrySafe, "must be NO when basis is " + basis);
    }
    if (retryAfter != null && retryAfter.isNegative()) {
      retryAfter = null;
    }
  }

  static Verdict of(RetrySafety safety, Basis basis, String reason) {
    return new Verdict(safety, basis, false, false, null, reason);
  }

  /** Returns false when no rule knew the failure. */
  public boolean isKnown() {
    return basis != Basis.UNKNOWN;
  }

  /** Returns true when nothing can make this failure retryable any more. */
  public boolean isVeto() {
    return basis == Basis.VETO;
  }

  /**
   * Returns a verdict with the facts of this one that allows a retry: the failed attempt has had no
   * effect, or the effect may occur twice. A veto stays as it is.
   */
  public Verdict yes(String why) {
    return said(RetrySafety.YES, Basis.STATEMENT, why);
  }

  /**
   * Returns a verdict with the facts of this one that allows a retry of idempotent operations: the
   * failed attempt may have had its effect. A veto stays as it is.
   */
  public Verdict maybe(String why) {
    return said(RetrySafety.MAYBE, Basis.STATEMENT, why);
  }

  /** Returns a veto with the facts of this verdict: no other rule is asked. */
  public Verdict never(String why) {
    return said(RetrySafety.NO, Basis.VETO, why);
  }

  /** Returns this verdict with the fact that the other side was asked too much. */
  public Verdict withThrottle() {
    return withFacts(true, isTimeout, retryAfter);
  }

  /** Returns this verdict with the fact that the operation took too long. */
  public Verdict withTimeout() {
    return withFacts(isThrottle, true, retryAfter);
  }

  /**
   * Returns this verdict with another hint.
   *
   * @param hint how long the other side asked to wait; null or negative for no hint
   */
  public Verdict withRetryAfter(@Nullable Duration hint) {
    return withFacts(isThrottle, isTimeout, hint);
  }

  /**
   * Returns what is known of a failure when this is the verdict on it and the other one the verdict
   * on its cause. {@link Classifier} documents the rule.
   */
  Verdict withCause(Verdict cause) {
    if (!cause.isKnown()) {
      return this;
    }
    if (!isKnown()) {
      return cause;
    }
    Verdict stronger = isOverriddenBy(cause) ? cause : this;
    return stronger.withFacts(
        isThrottle || cause.isThrottle,
        isTimeout || cause.isTimeout,
        retryAfter != null ? retryAfter : cause.retryAfter);
  }

  private boolean isOverriddenBy(Verdict cause) {
    // A firmer ground wins, at whatever depth.
    if (basis != cause.basis) {
      return basis.compareTo(cause.basis) < 0;
    }

    // On equal ground a reason against a retry wins over one for it.
    if (cause.isRetrySafe == RetrySafety.NO) {
      return isRetrySafe != RetrySafety.NO;
    }

    // Else the outer one was thrown by who knew more of the operation.
    return false;
  }

  /**
   * Returns a verdict with the facts of this one that says what the other says, which has no facts
   * of its own. A veto stays as it is.
   */
  Verdict saying(Verdict other) {
    boolean hasFacts = isThrottle || isTimeout || retryAfter != null;
    return hasFacts || isVeto() ? said(other.isRetrySafe, other.basis, other.reason) : other;
  }

  /**
   * Returns whether this equals the other one. It is asked for each rule and failure, and the
   * comparison of a record is put together at run time, which a first failure would wait for.
   */
  boolean saysTheSameAs(Verdict other) {
    return isRetrySafe == other.isRetrySafe
        && basis == other.basis
        && isThrottle == other.isThrottle
        && isTimeout == other.isTimeout
        && reason.equals(other.reason)
        && Objects.equals(retryAfter, other.retryAfter);
  }

  private Verdict said(RetrySafety safety, Basis newBasis, String why) {
    if (isVeto()) {
      return this;
    }
    return new Verdict(safety, newBasis, isThrottle, isTimeout, retryAfter, why);
  }

  private Verdict withFacts(boolean throttle, boolean timeout, @Nullable Duration hint) {
    // The same facts need no new object: a verdict on most failures is a constant.
    if (throttle == isThrottle && timeout == isTimeout && Objects.equals(hint, retryAfter)) {
      return this;
    }
    return new Verdict(isRetrySafe, basis, throttle, timeout, hint, reason);
  }
}
