package dev.reprise.core.classify;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Verdict.Basis;
import java.time.Duration;

/**
 * Reads what exceptions say of themselves. A {@link RetryInfo} is the whole answer: its fault is
 * not asked for, since all that a fault could add to a MAYBE is the NO of a client's fault, and a
 * 408 is both a client's fault and a MAYBE.
 */
final class InfoRule {
  private static final Verdict SERVER_FAULT =
      Verdict.of(RetrySafety.MAYBE, Basis.INDICATION, "the called side is at fault");
  private static final Verdict CLIENT_FAULT =
      Verdict.of(RetrySafety.NO, Basis.INDICATION, "the caller is at fault");

  private static final Verdict[] YES =
      stated(Verdict.of(RetrySafety.YES, Basis.STATEMENT, "the failure says that it is safe"));
  private static final Verdict[] MAYBE =
      stated(Verdict.of(RetrySafety.MAYBE, Basis.STATEMENT, "the failure says that it may be"));
  private static final Verdict[] NO =
      stated(Verdict.of(RetrySafety.NO, Basis.VETO, "the failure says that it is not safe"));

  /** Keeps whether exceptions of a class say anything of themselves. */
  private static final ClassValue<Boolean> SPEAKS =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return RetryInfo.class.isAssignableFrom(type) || ErrorInfo.class.isAssignableFrom(type);
        }
      };

  private InfoRule() {}

  /** Returns the verdict that the failure itself carries, or {@link Verdict#UNKNOWN}. */
  static Verdict of(Throwable failure) {
    if (!speaks(failure)) {
      return Verdict.UNKNOWN;
    }
    if (failure instanceof RetryInfo info) {
      return stated(failure, info);
    }
    if (failure instanceof ErrorInfo info) {
      return of(info.fault());
    }
    return Verdict.UNKNOWN;
  }

  /** Returns the verdict of the failure as a {@link RetryInfo}, or {@link Verdict#UNKNOWN}. */
  static Verdict statement(Throwable failure) {
    return speaks(failure) && failure instanceof RetryInfo info
        ? stated(failure, info)
        : Verdict.UNKNOWN;
  }

  private static boolean speaks(Throwable failure) {
    // A class of the JDK cannot know our interfaces, and most others do not. To ask an object that
    // does not is a search through its interfaces, twice, which on JDK 17 costs more than all other
    // rules together; so the class is asked, once.
    Class<?> type = failure.getClass();
    return type.getClassLoader() != null && SPEAKS.get(type);
  }

  private static Verdict of(ErrorFault fault) {
    // Another try may find the called side well again, but it may have done its work already.
    if (fault == ErrorFault.SERVER) {
      return SERVER_FAULT;
    }

    // The same request would be refused again.
    if (fault == ErrorFault.CLIENT) {
      return CLIENT_FAULT;
    }

    // Neither side's fault tells nothing; the type of the exception may.
    return Verdict.UNKNOWN;
  }

  private static Verdict stated(Throwable failure, RetryInfo info) {
    RetrySafety safety = info.isRetrySafe();
    if (safety == null) {
      throw new NullPointerException(
          "isRetrySafe of " + failure.getClass().getName() + " is null: must be YES, NO or MAYBE");
    }
    Verdict[] byFacts =
        switch (safety) {
          case YES -> YES;
          case MAYBE -> MAYBE;
          case NO -> NO;
        };
    Verdict verdict = byFacts[(info.isThrottle() ? 2 : 0) + (info.isTimeout() ? 1 : 0)];
    Duration hint = info.retryAfter();
    return hint == null ? verdict : verdict.withRetryAfter(hint);
  }

  /** Returns the verdict without facts, with timeout, with throttle, and with both. */
  private static Verdict[] stated(Verdict plain) {
    return new Verdict[] {
      plain, plain.withTimeout(), plain.withThrottle(), plain.withThrottle().withTimeout()
    };
  }
}
