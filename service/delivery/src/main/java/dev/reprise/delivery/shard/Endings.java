package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Store;

/**
 * Takes deliveries out of the pending ones without an attempt that succeeded: given up, expired, or
 * not readable. Counts each in the ledger, keeps its dead letter and writes its history.
 *
 * <p><b>What cannot be read.</b> A record that cannot be read costs its delivery, never the shard:
 * see {@link Quarantine}.
 */
final class Endings {
  private static final String CANCELLED_SUMMARY = "cancelled by request";

  private final Store store;
  private final Step step;
  private final SharedPayloads payloads;
  private final History history;
  private final DeadLetterBudget deadLetters;

  Endings(
      Store store,
      Step step,
      SharedPayloads payloads,
      History history,
      DeadLetterBudget deadLetters) {
    this.deadLetters = deadLetters;
    this.store = store;
    this.step = step;
    this.payloads = payloads;
    this.history = history;
  }

  /** The one way out for what is not delivered. */
  DeliveryState giveUp(
      SubscriptionState state,
      Pending pending,
      int attempts,
      StopReason reason,
      String summary,
      long endedAt) {
    step.givenUp.add(
        new GivenUp(state.spec.number(), pending.message(), attempts, reason, summary));
    state.counters.pending--;
    boolean expired = reason == StopReason.DEADLINE;
    boolean kept = !state.spec.discard();
    if (kept) {
      Dead dead =
          new Dead(
              pending.message(),
              endedAt,
              attempts,
              reason,
              summary,
              pending.payload(),
              pending.unclear());
      keep(state, dead);
    } else {
      release(pending);
    }
    if (expired) {
      state.counters.expired++;
      return new DeliveryState(Status.EXPIRED, endedAt, reason);
    }
    if (kept) {
      state.counters.deadLettered++;
      return new DeliveryState(Status.DEAD_LETTERED, endedAt, reason);
    }
    state.counters.discarded++;
    return new DeliveryState(Status.DISCARDED, endedAt, reason);
  }

  void expire(SubscriptionState state, Pending pending) {
    giveUpUnattempted(
        state,
        pending,
        StopReason.DEADLINE,
        "lifetime of " + state.spec.lifetimeMillis() + " ms passed while waiting",
        HistoryEvent.Kind.EXPIRED);
  }

  /** A client asked for no further attempt. */
  void cancel(SubscriptionState state, Pending pending) {
    giveUpUnattempted(
        state, pending, StopReason.CANCELLED, CANCELLED_SUMMARY, HistoryEvent.Kind.CANCELLED);
  }

  /** Gives up a delivery that is not being attempted, and says in its history why. */
  void giveUpUnattempted(
      SubscriptionState state,
      Pending pending,
      StopReason reason,
      String summary,
      HistoryEvent.Kind kind) {
    state.leftThisTurn.add(pending.message());
    step.batch.deleteOnce(pending.key(state.spec.number()));
    DeliveryState after =
        giveUp(state, pending, pending.attempts(), reason, summary, step.nowMillis);
    log(
        state,
        pending.message(),
        new HistoryEvent(kind, step.nowMillis, pending.attempts(), null, after, null));
    step.touch(state);
  }

  /**
   * A pending delivery that cannot be read is kept as a dead letter, whatever else is discarded.
   */
  void quarantine(SubscriptionState state, byte[] key, byte[] record, String why) {
    long number = state.spec.number();
    MessageId message = Keys.message(key);
    state.leftThisTurn.add(message);
    step.batch.deleteOnce(key);
    Dead dead = Quarantine.deadLetter(store, number, message, record, step.nowMillis, why);
    keep(state, dead);
    state.counters.pending--;
    state.counters.deadLettered++;
    step.givenUp.add(new GivenUp(number, message, dead.attempts(), StopReason.UNREADABLE, why));
    log(
        state,
        message,
        new HistoryEvent(
            HistoryEvent.Kind.UNREADABLE,
            step.nowMillis,
            dead.attempts(),
            null,
            new DeliveryState(Status.DEAD_LETTERED, step.nowMillis, StopReason.UNREADABLE),
            null));
    step.touch(state);
  }

  private void keep(SubscriptionState state, Dead dead) {
    byte[] key = dead.key(state.spec.number());
    byte[] value = dead.encode();
    step.batch.put(key, value);
    deadLetters.add(state, key.length + value.length);
  }

  void release(Pending pending) {
    if (pending.payload() == null) {
      payloads.release(pending.message());
    }
  }

  void log(SubscriptionState state, MessageId message, HistoryEvent event) {
    history.log(step.batch, state, message, event);
  }
}
