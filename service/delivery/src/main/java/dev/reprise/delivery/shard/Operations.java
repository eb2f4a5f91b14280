package dev.reprise.delivery.shard;

import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.store.Store;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what is asked of a subscription's backlog from outside: redrives, purges, attempts
 * now, questions, and the retirement of old dead letters. Each touches a bounded part in a turn.
 */
final class Operations {
  private final Store store;
  private final Step step;
  private final SharedPayloads payloads;
  private final History history;
  private final DeadLetterBudget deadLetters;
  private final Endings endings;
  private final Dispatch dispatch;
  private final Refusals refusals;
  private final Minutes minutes;
  private final Map<Long, SubscriptionState> subscriptions;

  Operations(
      Store store,
      Step step,
      SharedPayloads payloads,
      History history,
      DeadLetterBudget deadLetters,
      Endings endings,
      Dispatch dispatch,
      Refusals refusals,
      Minutes minutes,
      Map<Long, SubscriptionState> subscriptions) {
    this.store = store;
    this.step = step;
    this.payloads = payloads;
    this.history = history;
    this.deadLetters = deadLetters;
    this.endings = endings;
    this.dispatch = dispatch;
    this.refusals = refusals;
    this.minutes = minutes;
    this.subscriptions = subscriptions;
  }

  interface Walk {
    SweepProgress run(DeadLetterWalk walk);
  }

  /**
   * Walks over a part of the dead letters; false if it must wait for the next turn, because a
   * second walk in one turn would see what the first has just moved.
   */
  boolean walk(long number, Reply<SweepProgress> reply, Walk walk) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      reply.fail(new NoSubscriptionException());
      return true;
    }
    if (state.swept) {
      // A second walk in one turn would see the dead letters that the first has just moved.
      return false;
    }
    state.swept = true;
    DeadLetterWalk walker = walker(state);
    step.touch(state);
    try {
      SweepProgress progress = walk.run(walker);
      step.answers.add(() -> reply.complete(progress));
    } catch (DeadLetterWalk.FilterFailedException e) {
      step.answers.add(() -> reply.fail(e));
    }
    return true;
  }

  private DeadLetterWalk walker(SubscriptionState state) {
    return new DeadLetterWalk(
        store,
        step.batch,
        payloads,
        history,
        deadLetters,
        state,
        step.nowMillis,
        pending -> dispatch.await(state, pending));
  }

  /**
   * Makes a part of the pending deliveries due that wait for a later time; false if it must wait
   * for the next turn, as a walk.
   */
  boolean attemptNow(ShardInput.AttemptNow request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return true;
    }
    if (state.swept) {
      // A second walk in one turn would see what the first has just moved.
      return false;
    }
    state.swept = true;
    step.touch(state);
    minutes.pauseEnds(state);
    state.counters.pausedUntilMillis = 0;
    SweepProgress progress = hasten(state, request);
    // Afterwards, when it is known that something of it can start.
    refusals.tryNow(state);
    step.answers.add(() -> request.reply().complete(progress));
    return true;
  }

  private SweepProgress hasten(SubscriptionState state, ShardInput.AttemptNow request) {
    long number = state.spec.number();
    Position start = request.from();
    byte[] from =
        start == null
            ? Keys.timed(Keys.PENDING, number, step.nowMillis + 1)
            : Keys.timed(Keys.PENDING, number, start.atMillis(), start.message());
    byte[] to = Keys.after(Keys.ofSubscription(Keys.PENDING, number));
    int changed = 0;
    int seen = 0;
    try (Store.Cursor cursor = store.range(from, to)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.message(key);
        if (state.leftThisTurn.contains(message)) {
          continue;
        }
        if (seen == request.limit()) {
          return new SweepProgress(changed, new Position(Keys.time(key), message), seen);
        }
        seen++;
        boolean wanted = request.message() == null || request.message().equals(message);
        if (wanted
            && !state.inFlight.containsKey(message)
            && Keys.time(key) > step.nowMillis
            && hasten(state, key, cursor.value())) {
          changed++;
        }
      }
    }
    return new SweepProgress(changed, null, seen);
  }

  /** Gives up a part of what is pending; false if it must wait for the next turn, as a walk. */
  boolean cancel(ShardInput.Cancel request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return true;
    }
    if (state.swept) {
      return false;
    }
    state.swept = true;
    step.touch(state);
    // What is given up must not be started from memory.
    state.dropReadAhead();
    SweepProgress progress = giveUp(state, request);
    step.answers.add(() -> request.reply().complete(progress));
    return true;
  }

  private SweepProgress giveUp(SubscriptionState state, ShardInput.Cancel request) {
    long number = state.spec.number();
    Position start = request.from();
    byte[] from =
        start == null
            ? Keys.timed(Keys.PENDING, number, state.counters.lowDueMillis)
            : Keys.timed(Keys.PENDING, number, start.atMillis(), start.message());
    byte[] to = Keys.after(Keys.ofSubscription(Keys.PENDING, number));
    int changed = 0;
    int seen = 0;
    try (Store.Cursor cursor = store.range(from, to)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.message(key);
        if (state.leftThisTurn.contains(message)) {
          continue;
        }
        if (seen == request.limit()) {
          return new SweepProgress(changed, new Position(Keys.time(key), message), seen);
        }
        seen++;
        if (request.message() != null && !request.message().equals(message)) {
          continue;
        }
        if (state.inFlight.containsKey(message)) {
          state.cancelAfterAttempt(message);
          changed++;
        } else if (giveUp(state, key, cursor.value())) {
          changed++;
        }
      }
    }
    return new SweepProgress(changed, null, seen);
  }

  /** Whether it is given up as was asked for; if not, it could not be read. */
  private boolean giveUp(SubscriptionState state, byte[] key, byte[] value) {
    Pending pending;
    try {
      pending = Pending.decode(key, value);
    } catch (RuntimeException e) {
      endings.quarantine(state, key, value, String.valueOf(e.getMessage()));
      return false;
    }
    endings.cancel(state, pending);
    return true;
  }

  /** Takes out dead letters that another subscription has accepted; false if it must wait. */
  boolean moved(ShardInput.Moved request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return true;
    }
    if (state.swept) {
      return false;
    }
    state.swept = true;
    step.touch(state);
    int moved = walker(state).moved(request.letters());
    step.answers.add(() -> request.reply().complete(moved));
    return true;
  }

  /** Whether it is due now; if not, it could not be read. */
  private boolean hasten(SubscriptionState state, byte[] key, byte[] value) {
    Pending before;
    try {
      before = Pending.decode(key, value);
    } catch (RuntimeException e) {
      endings.quarantine(state, key, value, String.valueOf(e.getMessage()));
      return false;
    }
    state.leftThisTurn.add(before.message());
    step.batch.deleteOnce(key);
    Pending pending =
        new Pending(
            before.message(),
            step.nowMillis,
            before.attempts(),
            before.retries(),
            before.sinceMillis(),
            DueReason.REQUESTED,
            before.payload(),
            before.unclear());
    step.batch.putOnce(pending.key(state.spec.number()), pending.encode());
    endings.log(
        state,
        pending.message(),
        new HistoryEvent(
            HistoryEvent.Kind.REQUESTED,
            step.nowMillis,
            pending.attempts(),
            null,
            new DeliveryState(Status.PENDING, step.nowMillis, null),
            DueReason.REQUESTED));
    dispatch.await(state, pending);
    return true;
  }

  /** Dead letters that were kept for long enough; not in a turn in which a walk has moved some. */
  byte @Nullable [] retire(long number, byte[] from, long beforeMillis, int limit) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      return null;
    }
    if (state.swept) {
      return from;
    }
    state.swept = true;
    DeadLetterWalk walk = walker(state);
    step.touch(state);
    Position start = new Position(Keys.time(from), Keys.message(from));
    SweepProgress progress =
        walk.retire(new SweepRequest(DeadLetterFilter.ALL, beforeMillis, start, limit, 0, 0));
    Position next = progress.next();
    return next == null
        ? null
        : Keys.timed(Keys.DEAD_LETTER, number, next.atMillis(), next.message());
  }

  void presentMinute(ShardInput.PresentMinute request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return;
    }
    Optional<EndpointFigures> figures = Optional.ofNullable(minutes.unwritten(state));
    step.answers.add(() -> request.reply().complete(figures));
  }

  /** Returns what keeps a subscription from its next attempt, its own refusals first. */
  private @Nullable GroupHold hold(SubscriptionState state) {
    Streak held = state.heldFor();
    return held == null ? dispatch.groups().hold(state) : held.hold(GroupHold.SUBSCRIPTION);
  }

  void inspect(ShardInput.Inspect inspect) {
    SubscriptionState state = subscriptions.get(inspect.subscription());
    if (state == null || state.removing) {
      inspect.reply().fail(new NoSubscriptionException());
      return;
    }
    Throttle throttle = state.throttle;
    long throttledNanos = throttle == null ? 0 : Math.max(0, throttle.waitNanos(step.nowNanos));
    Pending ahead = state.ready.peek();
    long nextDue = ahead != null ? ahead.dueMillis() : state.nextDue;
    EndpointHealth health =
        new EndpointHealth(
            state.inFlight.size(),
            state.concurrency.limit(),
            state.spec.maxInFlight(),
            state.concurrency.reason(),
            Step.ceilMillis(throttledNanos),
            state.counters.pausedUntilMillis > step.nowMillis
                ? state.counters.pausedUntilMillis
                : 0,
            nextDue == Long.MAX_VALUE ? -1 : nextDue,
            Set.copyOf(state.inFlight.keySet()),
            hold(state));
    step.answers.add(() -> inspect.reply().complete(health));
  }
}
