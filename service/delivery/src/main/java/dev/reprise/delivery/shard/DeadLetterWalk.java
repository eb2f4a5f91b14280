package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One turn's walk over a subscription's dead letters: redrive, purge, retire, or discard with all
 * else.
 */
final class DeadLetterWalk {
  private final Store store;
  private final Batch batch;
  private final SharedPayloads payloads;
  private final History history;
  private final DeadLetterBudget budget;
  private final SubscriptionState state;
  private final long number;
  private final long nowMillis;
  private final Consumer<Pending> redriven;

  DeadLetterWalk(
      Store store,
      Batch batch,
      SharedPayloads payloads,
      History history,
      DeadLetterBudget budget,
      SubscriptionState state,
      long nowMillis,
      Consumer<Pending> redriven) {
    this.store = store;
    this.batch = batch;
    this.payloads = payloads;
    this.history = history;
    this.budget = budget;
    this.state = state;
    this.number = state.spec.number();
    this.nowMillis = nowMillis;
    this.redriven = redriven;
  }

  /** The filter failed on a dead letter; what was changed before it stays changed. */
  static final class FilterFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FilterFailedException(MessageId message, RuntimeException cause) {
      super("filter failed on dead letter " + message + ": " + cause.getMessage(), cause);
    }
  }

  private interface Action {
    /** Whether the dead letter is none any more. */
    boolean on(Dead dead, long changedBefore);
  }

  /** Moves dead letters back to the pending deliveries, spread over time if so requested. */
  SweepProgress redrive(SweepRequest request) {
    return walk(
        request,
        (dead, changedBefore) -> {
          long due = nowMillis;
          if (request.perSecond() > 0) {
            double offset = (request.before() + changedBefore) * 1000.0 / request.perSecond();
            due = Math.max(due, request.startedAtMillis() + (long) offset);
          }
          byte[] payload = dead.payload();
          if (dead.reason() == StopReason.UNREADABLE) {
            Pending restored = Quarantine.restore(dead, payloads);
            if (restored == null) {
              return false;
            }
            payload = restored.payload();
          }
          Pending pending =
              new Pending(
                  dead.message(),
                  due,
                  dead.attempts(),
                  0,
                  due,
                  DueReason.REDRIVE,
                  payload,
                  dead.unclear());
          batch.putOnce(pending.key(number), pending.encode());
          uncount(dead);
          state.counters.pending++;
          log(
              dead,
              HistoryEvent.Kind.REDRIVEN,
              new DeliveryState(Status.PENDING, due, null),
              DueReason.REDRIVE);
          redriven.accept(pending);
          return true;
        });
  }

  /** Deletes dead letters for ever; the ledger counts them as discarded, or expired as before. */
  SweepProgress purge(SweepRequest request) {
    return walk(
        request,
        (dead, changedBefore) -> {
          delete(dead, HistoryEvent.Kind.PURGED);
          return true;
        });
  }

  /**
   * Deletes dead letters that were kept for long enough; the ledger counts them like purged ones.
   */
  SweepProgress retire(SweepRequest request) {
    return walk(
        request,
        (dead, changedBefore) -> {
          delete(dead, HistoryEvent.Kind.RETIRED);
          return true;
        });
  }

  /** Counts as moved those of these dead letters that are still there; returns how many. */
  int moved(List<Position> letters) {
    int moved = 0;
    // A letter that is named twice is moved once: the store does not show yet that it has gone.
    for (Position letter : new LinkedHashSet<>(letters)) {
      byte[] key = Keys.timed(Keys.DEAD_LETTER, number, letter.atMillis(), letter.message());
      byte[] value = store.get(key);
      if (value != null) {
        Dead dead = Dead.read(key, value);
        if (dead.payload() == null || dead.reason() == StopReason.UNREADABLE) {
          payloads.release(dead.message());
        }
        uncount(dead);
        state.counters.moved++;
        remove(key, value);
        log(
            dead,
            HistoryEvent.Kind.MOVED,
            new DeliveryState(Status.MOVED, nowMillis, dead.reason()),
            null);
        moved++;
      }
    }
    return moved;
  }

  private void remove(byte[] key, byte[] value) {
    batch.delete(key);
    budget.add(state, -(key.length + value.length));
  }

  private void delete(Dead dead, HistoryEvent.Kind kind) {
    drop(dead);
    boolean expired = dead.reason() == StopReason.DEADLINE;
    Status status = expired ? Status.EXPIRED : Status.DISCARDED;
    log(dead, kind, new DeliveryState(status, nowMillis, dead.reason()), null);
  }

  private void drop(Dead dead) {
    if (dead.payload() == null || dead.reason() == StopReason.UNREADABLE) {
      payloads.release(dead.message());
    }
    if (dead.reason() != StopReason.DEADLINE) {
      state.counters.deadLettered--;
      state.counters.discarded++;
    }
  }

  private void uncount(Dead dead) {
    if (dead.reason() == StopReason.DEADLINE) {
      state.counters.expired--;
    } else {
      state.counters.deadLettered--;
    }
  }

  private SweepProgress walk(SweepRequest request, Action action) {
    Position from = request.from();
    byte[] first =
        from == null
            ? Keys.timed(Keys.DEAD_LETTER, number, request.filter().diedFromMillis())
            : Keys.timed(Keys.DEAD_LETTER, number, from.atMillis(), from.message());
    long endMillis = Math.min(request.filter().diedToMillis(), request.startedAtMillis());
    int changed = 0;
    int seen = 0;
    try (Store.Cursor cursor =
        store.range(first, Keys.timed(Keys.DEAD_LETTER, number, endMillis))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (seen == request.limit()) {
          return new SweepProgress(changed, new Position(Keys.time(key), Keys.message(key)), seen);
        }
        seen++;
        byte[] value = cursor.value();
        Dead dead = Dead.read(key, value);
        if (matches(request.filter(), dead) && action.on(dead, changed)) {
          remove(key, value);
          changed++;
        }
      }
    }
    return new SweepProgress(changed, null, seen);
  }

  /** A filter that cannot be applied ends the walk, never the shard. */
  private boolean matches(DeadLetterFilter filter, Dead dead) {
    try {
      return dead.isChosenBy(filter, payloadFor(filter, dead));
    } catch (RuntimeException e) {
      throw new FilterFailedException(dead.message(), e);
    }
  }

  private byte @Nullable [] payloadFor(DeadLetterFilter filter, Dead dead) {
    if (dead.reason() == StopReason.UNREADABLE) {
      return null;
    }
    boolean shared = dead.payload() == null;
    return shared && filter.attributes() != null ? payloads.find(dead.message()) : dead.payload();
  }

  /**
   * Discards pending deliveries, dead letters and history of a removed subscription.
   *
   * @return what is left of {@code budget}; above 0 means that nothing is left to discard
   */
  int discardAll(int budget) {
    int left = budget;
    byte[] pendings = Keys.ofSubscription(Keys.PENDING, number);
    try (Store.Cursor cursor = store.range(removedUpTo(pendings), Keys.after(pendings))) {
      while (left > 0 && cursor.next()) {
        left--;
        state.removedUpTo = cursor.key();
        batch.deleteOnce(cursor.key());
        // Without effect for a payload that is not shared; so the record need not be readable.
        payloads.release(Keys.message(cursor.key()));
        state.counters.pending--;
        state.counters.discarded++;
      }
    }
    byte[] deads = Keys.ofSubscription(Keys.DEAD_LETTER, number);
    try (Store.Cursor cursor = store.range(removedUpTo(deads), Keys.after(deads))) {
      while (left > 0 && cursor.next()) {
        left--;
        state.removedUpTo = cursor.key();
        remove(cursor.key(), cursor.value());
        drop(Dead.read(cursor.key(), cursor.value()));
      }
    }
    byte[] events = Keys.ofSubscription(Keys.HISTORY, number);
    try (Store.Cursor cursor = store.range(removedUpTo(events), Keys.after(events))) {
      while (left > 0 && cursor.next()) {
        left--;
        state.removedUpTo = cursor.key();
        history.remove(batch, state, cursor.key(), cursor.value().length);
      }
    }
    return left;
  }

  /** Where the removal goes on: a scan from the start would step over all it has deleted. */
  private byte[] removedUpTo(byte[] prefix) {
    byte[] last = state.removedUpTo;
    return last != null && last[0] == prefix[0] ? last : prefix;
  }

  private void log(
      Dead dead, HistoryEvent.Kind kind, DeliveryState after, @Nullable DueReason due) {
    HistoryEvent event = new HistoryEvent(kind, nowMillis, dead.attempts(), null, after, due);
    history.log(batch, state, dead.message(), event);
  }
}
