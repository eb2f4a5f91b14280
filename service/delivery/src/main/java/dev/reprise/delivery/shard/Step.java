package dev.reprise.delivery.shard;

import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.store.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The step that a {@link Shard} is making: its time, and all that has been decided in it so far.
 * One object for the life of a shard, begun anew for each turn. Each class that takes part in a
 * step adds to it; only the shard begins and ends it.
 */
final class Step {
  long nowMillis;
  long nowNanos;
  Batch batch = new Batch();
  List<Claim> claims = new ArrayList<>();
  List<Runnable> answers = new ArrayList<>();
  List<GivenUp> givenUp = new ArrayList<>();
  List<SuspensionChange> suspensions = new ArrayList<>();

  /** Subscriptions of which this step has changed something that must be folded and stored. */
  final List<SubscriptionState> touched = new ArrayList<>();

  Step(long nowMillis, long nowNanos) {
    this.nowMillis = nowMillis;
    this.nowNanos = nowNanos;
  }

  /** Begins a step; the time must not run backwards from one step to the next. */
  void begin(long nowMillis, long nowNanos) {
    if (nowMillis < this.nowMillis) {
      throw new IllegalArgumentException(
          "nowMillis is " + nowMillis + ": must be >= " + this.nowMillis + ", the last step's");
    }
    this.nowMillis = nowMillis;
    this.nowNanos = nowNanos;
  }

  /** Ends the step: returns what was decided, and forgets it. */
  Turn end(boolean saturated, long wakeAtMillis) {
    Turn turn = new Turn(batch, claims, answers, givenUp, suspensions, saturated, wakeAtMillis);
    batch = new Batch();
    claims = new ArrayList<>();
    answers = new ArrayList<>();
    givenUp = new ArrayList<>();
    suspensions = new ArrayList<>();
    return turn;
  }

  /** Something of the subscription has changed and must be stored. */
  void touch(SubscriptionState state) {
    state.changed = true;
    fold(state);
  }

  /** Something has changed in memory only, which is looked at again at the end of the turn. */
  void fold(SubscriptionState state) {
    if (!state.touched) {
      state.touched = true;
      touched.add(state);
    }
  }

  /** Rounds up: what is stored in milliseconds must never be earlier than what was decided. */
  static long ceilMillis(long nanos) {
    return nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1);
  }

  static long ceilMillis(Duration duration) {
    try {
      return ceilMillis(duration.toNanos());
    } catch (ArithmeticException e) {
      return duration.toMillis();
    }
  }
}
