package dev.reprise.delivery;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.http.HttpFailure;
import org.jspecify.annotations.Nullable;

/** The reason why a receiver may have a message already that is sent to it once more. */
public enum RepeatReason {
  /** The process ended, or lost its shard, while an attempt was under way. */
  KILLED("killed"),
  /** No answer in time, after the message may have been sent. */
  TIMED_OUT("timed_out"),
  /** The connection broke, or what came was no answer, after the message may have been sent. */
  CONNECTION_LOST("connection_lost"),
  /** A gateway reports that the server behind it has not answered it (502, 504). */
  GATEWAY("gateway");

  private static final int BAD_GATEWAY = 502;
  private static final int GATEWAY_TIMEOUT = 504;

  private final String wireName;

  RepeatReason(String wireName) {
    this.wireName = wireName;
  }

  /** Returns its name in JSON and in metrics. */
  public String wireName() {
    return wireName;
  }

  /** Returns why the message of an attempt that failed may have been taken; null if it was not. */
  public static @Nullable RepeatReason of(AttemptOutcome outcome) {
    RetryInfo failure = outcome.failure();
    if (failure == null || !outcome.made()) {
      return null;
    }
    if (failure instanceof HttpFailure http) {
      return switch (http.kind()) {
        case TIMEOUT -> http.neverSent() ? null : TIMED_OUT;
        case CONNECTION -> http.neverSent() ? null : CONNECTION_LOST;
        case REFUSED -> null;
        case STATUS ->
            http.status() == BAD_GATEWAY || http.status() == GATEWAY_TIMEOUT ? GATEWAY : null;
      };
    }
    if (failure.isTimeout()) {
      return TIMED_OUT;
    }
    return failure.isRetrySafe() == RetrySafety.MAYBE ? CONNECTION_LOST : null;
  }

  /** Returns whether an attempt has reached its endpoint, as far as is known. */
  public static boolean mayHaveArrived(AttemptOutcome outcome) {
    return outcome.made()
        && (outcome.failure() == null || outcome.status() != 0 || of(outcome) != null);
  }
}
