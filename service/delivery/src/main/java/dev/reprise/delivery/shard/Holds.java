package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Suspends subscriptions and releases them, and keeps what is held for them within its bounds: a
 * part in each turn of what is held for too long, or with too many others, is given up.
 */
final class Holds {
  private static final int MAX_DROPS_PER_TURN = 256;

  /** Between the reason of the settings and any other reason. */
  private static final String BESIDE = "; ";

  private final Store store;
  private final Step step;
  private final Endings endings;
  private final Dispatch dispatch;
  private final Refusals refusals;
  private final Map<Long, SubscriptionState> subscriptions;

  /** One for each subscription of which something will be given up unless it is released. */
  private final TreeSet<Check> checks = new TreeSet<>();

  private record Check(long atMillis, long subscription) implements Comparable<Check> {
    @Override
    public int compareTo(Check other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(subscription, other.subscription);
    }
  }

  Holds(
      Store store,
      Step step,
      Endings endings,
      Dispatch dispatch,
      Refusals refusals,
      Map<Long, SubscriptionState> subscriptions) {
    this.store = store;
    this.step = step;
    this.endings = endings;
    this.dispatch = dispatch;
    this.refusals = refusals;
    this.subscriptions = subscriptions;
  }

  // --- suspending and releasing -------------------------------------------------------------

  void suspend(ShardInput.Suspend request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return;
    }
    Suspension before = state.counters.suspension;
    Suspension suspension =
        new Suspension(
            before == null ? Suspension.Cause.OPERATOR : before.cause(),
            before == null ? step.nowMillis : before.sinceMillis(),
            before == null || !request.reason().isEmpty() ? request.reason() : before.reason(),
            request.maxAgeMillis(),
            request.maxHeld());
    suspend(state, suspension);
    step.answers.add(() -> request.reply().complete(suspension));
  }

  /** Suspends a subscription, or gives one that is suspended other bounds. */
  void suspend(SubscriptionState state, Suspension suspension) {
    boolean isNew = !state.isSuspended();
    state.counters.suspension = suspension;
    dispatch.suspended(state);
    if (isNew) {
      step.suspensions.add(new SuspensionChange(state.spec.number(), suspension));
    }
    step.touch(state);
  }

  /** An endpoint says that it takes nothing more; with no effect if that is so already. */
  void gone(SubscriptionState state, String summary) {
    if (!state.isSuspended()) {
      suspend(
          state,
          Suspension.of(Suspension.Cause.ENDPOINT, step.nowMillis, summary, state.spec.maxHeld()));
    }
  }

  /**
   * The settings say that nothing may be sent, or no longer say so. What is suspended for another
   * reason stays so, and shows both reasons.
   */
  void hold(SubscriptionState state, @Nullable String reasonBefore, @Nullable String reason) {
    Suspension now = state.counters.suspension;
    if (reason == null) {
      if (reasonBefore != null && now != null && now.reason().startsWith(reasonBefore)) {
        lift(state, now, now.reason().substring(reasonBefore.length()));
      }
      return;
    }
    if (now == null) {
      suspend(
          state,
          Suspension.of(Suspension.Cause.OPERATOR, step.nowMillis, reason, state.spec.maxHeld()));
    } else if (!now.reason().startsWith(reason)) {
      suspend(state, now.withReason(reason + BESIDE + now.reason()));
    }
  }

  private void lift(SubscriptionState state, Suspension now, String rest) {
    if (rest.isEmpty()) {
      release(state);
    } else {
      suspend(state, now.withReason(rest.substring(BESIDE.length())));
    }
  }

  void release(ShardInput.Release request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new NoSubscriptionException());
      return;
    }
    boolean wasSuspended = state.isSuspended();
    if (wasSuspended) {
      release(state);
    }
    boolean wasHeld = refusals.release(state);
    step.answers.add(() -> request.reply().complete(wasSuspended || wasHeld));
  }

  private void release(SubscriptionState state) {
    state.counters.suspension = null;
    state.counters.pausedUntilMillis = 0;
    check(state, Long.MAX_VALUE);
    step.suspensions.add(new SuspensionChange(state.spec.number(), null));
    dispatch.enqueue(state);
    step.touch(state);
  }

  // --- the bounds ---------------------------------------------------------------------------

  /** A subscription is opened over what the store holds. */
  void opened(SubscriptionState state) {
    if (state.isSuspended() && state.counters.pending > 0) {
      check(state, step.nowMillis);
    }
  }

  /** Nothing more is held for a subscription that is removed. */
  void removed(SubscriptionState state) {
    check(state, Long.MAX_VALUE);
    refusals.removed(state);
  }

  /** At the end of a turn that has changed a subscription: more may be held than before. */
  void settle(SubscriptionState state) {
    Suspension suspension = state.counters.suspension;
    if (suspension == null || state.removing) {
      return;
    }
    long held = held(state);
    if (held > suspension.maxHeld()) {
      check(state, step.nowMillis);
    } else if (held == 0) {
      check(state, Long.MAX_VALUE);
    } else {
      // Nothing is due before the low mark, so nothing is given up before this.
      check(state, suspension.dropsAtMillis(state.counters.lowDueMillis));
    }
  }

  private static long held(SubscriptionState state) {
    return state.counters.pending - state.inFlight.size();
  }

  private void check(SubscriptionState state, long atMillis) {
    if (atMillis == state.holdCheckAtMillis) {
      return;
    }
    long number = state.spec.number();
    if (state.holdCheckAtMillis != Long.MAX_VALUE) {
      checks.remove(new Check(state.holdCheckAtMillis, number));
    }
    state.holdCheckAtMillis = atMillis;
    if (atMillis != Long.MAX_VALUE) {
      checks.add(new Check(atMillis, number));
    }
  }

  /**
   * When something may have to be given up, wall time; {@code Long.MAX_VALUE} if nothing has to.
   */
  long nextMillis() {
    return checks.isEmpty() ? Long.MAX_VALUE : checks.first().atMillis();
  }

  /** Gives up a part of what is held beyond the bounds. */
  void step() {
    int left = MAX_DROPS_PER_TURN;
    while (left > 0 && nextMillis() <= step.nowMillis) {
      SubscriptionState state = subscriptions.get(checks.first().subscription());
      if (state == null) {
        checks.pollFirst();
      } else {
        left = Math.min(left - 1, drop(state, left));
      }
    }
  }

  /** Gives up what is beyond the bounds, from what is due first; returns what is left of them. */
  private int drop(SubscriptionState state, int limit) {
    Suspension suspension = state.counters.suspension;
    if (suspension == null) {
      check(state, Long.MAX_VALUE);
      return limit;
    }
    state.dropReadAhead();
    long number = state.spec.number();
    long excess = held(state) - suspension.maxHeld();
    int dropped = 0;
    byte[] from = Keys.timed(Keys.PENDING, number, state.cursorDue, state.cursorMessage);
    byte[] end = Keys.after(Keys.ofSubscription(Keys.PENDING, number));
    try (Store.Cursor cursor = store.range(from, end)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.message(key);
        long due = Keys.time(key);
        // The cursor of the subscription leaves behind what is given up here.
        state.cursorDue = due;
        state.cursorMessage = message;
        if (state.inFlight.containsKey(message)) {
          continue;
        }
        state.nextDue = due;
        boolean isOver = dropped < excess;
        if (!isOver && suspension.dropsAtMillis(due) > step.nowMillis) {
          check(state, suspension.dropsAtMillis(due));
          return limit - dropped;
        }
        if (dropped == limit) {
          return 0;
        }
        drop(state, suspension, key, cursor.value(), isOver);
        dropped++;
      }
    }
    state.nextDue = Long.MAX_VALUE;
    check(state, Long.MAX_VALUE);
    return limit - dropped;
  }

  private void drop(
      SubscriptionState state, Suspension suspension, byte[] key, byte[] value, boolean isOver) {
    Pending pending;
    try {
      pending = Pending.decode(key, value);
    } catch (RuntimeException e) {
      endings.quarantine(state, key, value, String.valueOf(e.getMessage()));
      return;
    }
    String summary =
        isOver
            ? "suspended, and more than " + suspension.maxHeld() + " deliveries were held"
            : "suspended, and held for " + Duration.ofMillis(suspension.maxAgeMillis());
    endings.giveUpUnattempted(
        state, pending, StopReason.SUSPENDED, summary, HistoryEvent.Kind.DROPPED);
  }
}
