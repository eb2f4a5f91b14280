package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Stage;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.OutcomeClass;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.Suspension;
import java.util.List;

/**
 * Stores a constant as its place in a list that is written down here, so that a change of the
 * enum's own order does not change what stored data means. Lists only ever grow at the end.
 *
 * @param <E> the enum
 */
final class Code<E extends Enum<E>> {
  static final Code<Stage> STAGE =
      new Code<>(
          Stage.class, List.of(Stage.IMMEDIATE, Stage.MIN_DELAY, Stage.BACKOFF, Stage.MAX_DELAY));

  static final Code<StopReason> STOP_REASON =
      new Code<>(
          StopReason.class,
          List.of(
              StopReason.NOT_RETRYABLE,
              StopReason.ATTEMPTS,
              StopReason.BUDGET,
              StopReason.DEADLINE,
              StopReason.HINT_TOO_LONG,
              StopReason.INTERRUPTED,
              StopReason.CANCELLED,
              StopReason.CLOSED,
              StopReason.UNREADABLE,
              StopReason.SUSPENDED));

  static final Code<DueReason.Kind> DUE =
      new Code<>(
          DueReason.Kind.class,
          List.of(
              DueReason.Kind.FIRST,
              DueReason.Kind.RETRY,
              DueReason.Kind.REDRIVE,
              DueReason.Kind.REQUESTED,
              DueReason.Kind.HELD));

  static final Code<HistoryEvent.Kind> EVENT =
      new Code<>(
          HistoryEvent.Kind.class,
          List.of(
              HistoryEvent.Kind.ATTEMPT,
              HistoryEvent.Kind.REDRIVEN,
              HistoryEvent.Kind.EXPIRED,
              HistoryEvent.Kind.PURGED,
              HistoryEvent.Kind.UNREADABLE,
              HistoryEvent.Kind.REQUESTED,
              HistoryEvent.Kind.RETIRED,
              HistoryEvent.Kind.RECEIPT,
              HistoryEvent.Kind.DROPPED,
              HistoryEvent.Kind.CANCELLED,
              HistoryEvent.Kind.MOVED));

  static final Code<Status> STATUS =
      new Code<>(
          Status.class,
          List.of(
              Status.PENDING,
              Status.DELIVERED,
              Status.DEAD_LETTERED,
              Status.DISCARDED,
              Status.EXPIRED,
              Status.MOVED));

  static final Code<Pace> PACE =
      new Code<>(Pace.class, List.of(Pace.UNKNOWN, Pace.PROMPT, Pace.SLOW, Pace.HANGING));

  static final Code<Suspension.Cause> SUSPENSION =
      new Code<>(
          Suspension.Cause.class,
          List.of(Suspension.Cause.OPERATOR, Suspension.Cause.ENDPOINT, Suspension.Cause.CREATION));

  static final Code<RepeatReason> REPEAT =
      new Code<>(
          RepeatReason.class,
          List.of(
              RepeatReason.KILLED,
              RepeatReason.TIMED_OUT,
              RepeatReason.CONNECTION_LOST,
              RepeatReason.GATEWAY));

  static final Code<OutcomeClass> OUTCOME =
      new Code<>(
          OutcomeClass.class,
          List.of(
              OutcomeClass.SUCCESS,
              OutcomeClass.REDIRECT,
              OutcomeClass.CLIENT_ERROR,
              OutcomeClass.THROTTLED,
              OutcomeClass.SERVER_ERROR,
              OutcomeClass.TIMEOUT,
              OutcomeClass.CONNECTION,
              OutcomeClass.REFUSED,
              OutcomeClass.OK,
              OutcomeClass.RETRYABLE,
              OutcomeClass.PERMANENT));

  private final List<E> constants;

  private Code(Class<E> type, List<E> constants) {
    this.constants = constants;
    for (E constant : type.getEnumConstants()) {
      if (!constants.contains(constant)) {
        throw new IllegalStateException(type + " has no code for " + constant);
      }
    }
  }

  int of(E constant) {
    return constants.indexOf(constant);
  }

  E at(int code) {
    return constants.get(code);
  }
}
