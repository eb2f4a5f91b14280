package dev.reprise.lab.calls;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The failure of an attempt, in the terms of the production classifier. Without stack trace and
 * notes, so one object serves any number of attempts, and a layer that passes it on leaves no mark
 * on it: to its caller it is as fresh as what comes over a network.
 */
@SuppressWarnings("StaticAssignmentOfThrowable") // It has no stack trace that could be wrong.
final class CallFailure extends RuntimeException implements RetryInfo, ErrorInfo {
  /** Why an attempt failed. */
  enum Kind {
    /** The service could not be reached: nothing can have happened. */
    UNREACHABLE(RetrySafety.YES),

    /** The service had no room: nothing has happened. */
    REFUSED(RetrySafety.YES),

    /** The service tried and failed: something may have happened. */
    FAILED(RetrySafety.MAYBE),

    /** A layer waited too long for what it called: something may have happened. */
    TIMED_OUT(RetrySafety.MAYBE);

    private final RetrySafety safety;

    Kind(RetrySafety safety) {
      this.safety = safety;
    }
  }

  static final CallFailure UNREACHABLE = new CallFailure(Kind.UNREACHABLE, null);
  static final CallFailure REFUSED = new CallFailure(Kind.REFUSED, null);
  static final CallFailure FAILED = new CallFailure(Kind.FAILED, null);
  static final CallFailure TIMED_OUT = new CallFailure(Kind.TIMED_OUT, null);

  private static final long serialVersionUID = 1;

  private final Kind kind;
  private final @Nullable Duration hint;

  private CallFailure(Kind kind, @Nullable Duration hint) {
    super(kind.name(), null, false, false);
    this.kind = kind;
    this.hint = hint;
  }

  /** Returns a refusal that says when to come back. */
  static CallFailure refused(Duration hint) {
    return new CallFailure(Kind.REFUSED, hint);
  }

  @Override
  public RetrySafety isRetrySafe() {
    return kind.safety;
  }

  @Override
  public boolean isThrottle() {
    return kind == Kind.REFUSED;
  }

  @Override
  public boolean isTimeout() {
    return kind == Kind.TIMED_OUT;
  }

  @Override
  public @Nullable Duration retryAfter() {
    return hint;
  }

  @Override
  public ErrorFault fault() {
    return ErrorFault.SERVER;
  }
}
