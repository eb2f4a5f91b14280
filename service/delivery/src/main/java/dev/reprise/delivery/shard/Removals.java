package dev.reprise.delivery.shard;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Discards what removed subscriptions still hold, a part in each turn, and keeps the sum of their
 * ledgers.
 */
final class Removals {
  private static final int REMOVALS_PER_TURN = 500;

  /** Nothing more starts of a subscription whose removal a crash has interrupted. */
  private static final String NO_GROUP = "";

  private final Store store;
  private final Step step;
  private final SharedPayloads payloads;
  private final History history;
  private final DeadLetterBudget deadLetters;
  private final Holds holds;
  private final Dispatch dispatch;
  private final Minutes minutes;
  private final Map<Long, SubscriptionState> subscriptions;
  private final List<SubscriptionState> removing = new ArrayList<>();
  private final Counters closed;

  Removals(
      Store store,
      Step step,
      SharedPayloads payloads,
      History history,
      DeadLetterBudget deadLetters,
      Holds holds,
      Dispatch dispatch,
      Minutes minutes,
      Map<Long, SubscriptionState> subscriptions) {
    this.store = store;
    this.step = step;
    this.payloads = payloads;
    this.history = history;
    this.deadLetters = deadLetters;
    this.holds = holds;
    this.dispatch = dispatch;
    this.minutes = minutes;
    this.subscriptions = subscriptions;
    this.closed = closedCounters();
  }

  private Counters closedCounters() {
    byte[] stored = store.get(Keys.CLOSED_LEDGER);
    Counters counters = stored == null ? null : Counters.read(stored);
    // One that cannot be read is a sum of the past, on which no delivery depends.
    return counters != null ? counters : new Counters();
  }

  /** A removal that a crash has interrupted goes on. */
  void adoptOrphans() {
    try (Store.Cursor cursor =
        store.range(Keys.kind(Keys.LEDGER), Keys.after(Keys.kind(Keys.LEDGER)))) {
      while (cursor.next()) {
        long number = Keys.subscription(cursor.key());
        if (!subscriptions.containsKey(number)) {
          Counters counters = Quarantine.counters(store, number, cursor.value());
          SubscriptionSpec none =
              new SubscriptionSpec(
                  number,
                  new RetryPolicy(Backoff.none(), 0, Duration.ZERO),
                  0,
                  0,
                  true,
                  1,
                  NO_GROUP);
          SubscriptionState state =
              new SubscriptionState(
                  none, counters, null, new Group(NO_GROUP), dispatch.readAhead());
          state.removing = true;
          subscriptions.put(number, state);
          history.opened(state.counters);
          deadLetters.opened(store, state);
          removing.add(state);
        }
      }
    }
  }

  /** Begins to remove a subscription; no error if it has gone. */
  void remove(long number) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      return;
    }
    state.removing = true;
    dispatch.removed(state);
    holds.removed(state);
    removing.add(state);
  }

  /** Discards the next part of what removed subscriptions hold. */
  void step() {
    int budget = REMOVALS_PER_TURN;
    while (!removing.isEmpty() && budget > 0) {
      SubscriptionState state = removing.get(0);
      DeadLetterWalk walk =
          new DeadLetterWalk(
              store,
              step.batch,
              payloads,
              history,
              deadLetters,
              state,
              step.nowMillis,
              pending -> {});
      budget = walk.discardAll(budget);
      budget = budget > 0 ? minutes.discard(state, budget) : budget;
      byte[] ledgerKey = Keys.ofSubscription(Keys.LEDGER, state.spec.number());
      if (budget > 0) {
        removing.remove(0);
        subscriptions.remove(state.spec.number());
        history.closed(state.counters);
        deadLetters.closed(state);
        closed.add(state.counters);
        step.batch.delete(ledgerKey);
        step.batch.put(Keys.CLOSED_LEDGER, closed.encode());
      } else {
        step.batch.put(ledgerKey, state.counters.encode());
      }
    }
  }

  /** Returns whether something is left to discard. */
  boolean isUnderWay() {
    return !removing.isEmpty();
  }
}
