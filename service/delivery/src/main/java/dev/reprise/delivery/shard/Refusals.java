package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Notices when deliveries are refused for good one after the other, all with the same code: then
 * the cause is not in them, and the rest must not be given up for it. It waits, and one at a time
 * is tried ({@link Streak}). The first delivery that succeeds ends that.
 *
 * <p>Counted for each subscription first, and for the host or the carrier where several
 * subscriptions are refused: of one subscription of a host only one counts there, so that a few
 * paths that have gone do not stop the others. What is about one message does not count for its
 * carrier, and a recipient that is refused counts once, if it took messages before: a list of dead
 * addresses says nothing of the carrier, but one that suddenly knows no recipient any more is
 * broken. What is held for its host or its carrier may be tried by any of its subscriptions, those
 * first that were not tried in this hold.
 *
 * <p>Stored with the subscription, and of a group in a record of its own, in the batch of the
 * outcome: so a crash neither loses the count nor makes it larger.
 */
final class Refusals {
  private final int holdAfter;
  private final Step step;
  private final Dispatch dispatch;
  private final Groups groups;

  /** The number of holds of groups in this process. */
  private long groupHolds;

  /** Is read by other threads. */
  private final Map<Long, RefusalHold> held = new ConcurrentHashMap<>();

  Refusals(Store store, ShardSettings settings, Step step, Dispatch dispatch) {
    this.holdAfter = settings.holdAfter();
    this.step = step;
    this.dispatch = dispatch;
    this.groups = dispatch.groups();
    try (Store.Cursor cursor = store.range(Keys.STREAKS, Keys.after(Keys.STREAKS))) {
      while (cursor.next()) {
        reopen(cursor.key(), cursor.value());
      }
    }
  }

  private void reopen(byte[] key, byte[] value) {
    Streak streak = null;
    try {
      streak = Streak.decode(value);
    } catch (RuntimeException unreadable) {
      // It is counted anew, which costs as many deliveries again at the most.
    }
    if (streak == null || holdAfter == 0) {
      step.batch.delete(key);
      return;
    }
    String group = Keys.streakGroup(key);
    groups.reopen(group, streak, ++groupHolds);
    show(groups.refusals(), group, group, 0, streak);
  }

  /** A subscription is opened over what the store holds. */
  void opened(SubscriptionState state) {
    if (state.counters.streak != null && holdAfter == 0) {
      set(state, null);
    } else {
      show(held, state.spec.number(), state.group.key, state.spec.number(), state.counters.streak);
    }
  }

  /** Nothing more is tried of a subscription that is removed. */
  void removed(SubscriptionState state) {
    held.remove(state.spec.number());
  }

  /** Returns what is held; may be called by any thread. */
  List<RefusalHold> held() {
    List<RefusalHold> all = new ArrayList<>(groups.refusals().values());
    all.addAll(held.values());
    return all;
  }

  // --- outcomes -----------------------------------------------------------------------------

  /**
   * A delivery was refused for good.
   *
   * @return whether it waits all the same, because all are refused
   */
  boolean refused(SubscriptionState state, Claim claim, AttemptOutcome outcome, long nowMillis) {
    if (holdAfter == 0) {
      return false;
    }
    Group group = groupOf(state, claim);
    if (group == null) {
      return false;
    }
    if (tried(state, claim, outcome, nowMillis)) {
      return true;
    }
    String code = Streak.codeOf(outcome);
    Streak.Refused one = new Streak.Refused(state.spec.number(), claim.message());
    Streak own = with(state.counters.streak, code, one, outcome, nowMillis, holdAfter);
    set(state, own.count() >= holdAfter ? own.held(nowMillis) : own);
    int part = partOf(group, state, outcome.failure());
    if (part > 0) {
      Streak all = with(group.streak, code, one, outcome, nowMillis, part);
      boolean isHeld = all.count() >= holdAfter && all.isOfSeveral();
      if (isHeld) {
        group.holdNumber = ++groupHolds;
      }
      set(group, isHeld ? all.held(nowMillis) : all);
    }
    return false;
  }

  /**
   * Returns how many deliveries of one subscription count for the group; 0 if this one does not.
   * Fewer of a host, on which strangers may have their paths, than of a carrier, which is one
   * account. What a URL answers through a proxy tells nothing of the proxy.
   */
  private int partOf(Group group, SubscriptionState state, @Nullable RetryInfo failure) {
    if (group.key.contains("://")) {
      return 1;
    }
    if (failure instanceof HttpFailure || CarrierFailure.isOfRecipient(failure)) {
      return 0;
    }
    if (CarrierFailure.isRecipientRefused(failure)) {
      return state.counters.delivered > 0 ? 1 : 0;
    }
    return Math.max(1, holdAfter - 1);
  }

  private static Streak with(
      @Nullable Streak before,
      String code,
      Streak.Refused one,
      AttemptOutcome outcome,
      long nowMillis,
      int part) {
    Streak streak =
        before != null && before.code().equals(code) ? before : Streak.none(code, nowMillis);
    return streak.with(one, outcome.summary(), part);
  }

  /**
   * An attempt failed, and says nothing about whether all are refused.
   *
   * @return whether it was a try of what is held
   */
  boolean tried(SubscriptionState state, Claim claim, AttemptOutcome outcome, long nowMillis) {
    Group group = groupOf(state, claim);
    if (group == null) {
      return false;
    }
    Streak own = state.heldFor();
    if (own != null) {
      set(state, own.tried(outcome.summary(), /* again= */ true, nowMillis));
    }
    Streak all = group.heldFor();
    if (all != null) {
      boolean again = group.wasTriedInHold(state);
      groups.tried(state);
      set(group, all.tried(outcome.summary(), again, nowMillis));
    }
    return own != null || all != null;
  }

  /** A delivery has ended in another way than those before it: there is no single cause. */
  void endedOtherwise(
      SubscriptionState state, Claim claim, AttemptOutcome outcome, long nowMillis) {
    if (!tried(state, claim, outcome, nowMillis)) {
      succeeded(state, claim);
    }
  }

  /** A delivery has succeeded: whatever was refused, the endpoint does not refuse everything. */
  void succeeded(SubscriptionState state, Claim claim) {
    Group group = groupOf(state, claim);
    if (group == null) {
      return;
    }
    if (state.counters.streak != null) {
      set(state, null);
    }
    if (group.streak != null) {
      set(group, null);
    }
  }

  /** Returns how long a delivery waits that was refused while all are. */
  long waitMillis(SubscriptionState state, long nowMillis) {
    Streak own = state.heldFor();
    Streak all = state.group.heldFor();
    long until =
        Math.max(own == null ? 0 : own.probeAtMillis(), all == null ? 0 : all.probeAtMillis());
    return Math.max(1, until - nowMillis);
  }

  /**
   * The group that an attempt's outcome counts for; null if its subscription left it since, and
   * what it says is of an endpoint that the subscription no longer has.
   */
  private static @Nullable Group groupOf(SubscriptionState state, Claim claim) {
    return state.group.key.equals(claim.group()) ? state.group : null;
  }

  // --- what is asked from outside -----------------------------------------------------------

  /** The next try of a subscription, and by it of its group, may be made at once. */
  void tryNow(SubscriptionState state) {
    Streak own = state.heldFor();
    if (own != null) {
      set(state, own.triedAt(step.nowMillis));
    }
    tryGroupNow(state);
  }

  private void tryGroupNow(SubscriptionState state) {
    Streak all = state.group.heldFor();
    if (all != null) {
      dispatch.toFront(state);
      set(state.group, all.triedAt(step.nowMillis));
    }
  }

  /**
   * Nothing of a subscription is held any more for what it was refused. Its group, which has
   * deliveries of others, is only tried now. Returns whether anything was held.
   */
  boolean release(SubscriptionState state) {
    boolean was = state.heldFor() != null || state.group.heldFor() != null;
    if (state.counters.streak != null) {
      set(state, null);
    }
    tryGroupNow(state);
    return was;
  }

  /** Nothing is held any more of a group and of all that belong to it. */
  void resume(ShardInput.Resume request, Collection<SubscriptionState> subscriptions) {
    boolean was = false;
    for (SubscriptionState state : subscriptions) {
      if (!state.removing && state.spec.group().equals(request.group())) {
        was |= state.heldFor() != null || state.group.heldFor() != null;
        if (state.counters.streak != null) {
          set(state, null);
        }
        if (state.group.streak != null) {
          set(state.group, null);
        }
      }
    }
    boolean answer = was;
    step.answers.add(() -> request.reply().complete(answer));
  }

  /** A subscription goes to another host or carrier, which has refused nothing of it yet. */
  void moved(SubscriptionState state) {
    if (state.counters.streak != null) {
      set(state, null);
    }
  }

  // --- the one way to change it -------------------------------------------------------------

  private void set(SubscriptionState state, @Nullable Streak streak) {
    state.counters.streak = streak;
    show(held, state.spec.number(), state.group.key, state.spec.number(), streak);
    step.touch(state);
    dispatch.enqueue(state);
  }

  private void set(Group group, @Nullable Streak streak) {
    group.streak = streak;
    show(groups.refusals(), group.key, group.key, 0, streak);
    if (streak == null) {
      step.batch.delete(Keys.streak(group.key));
    } else {
      step.batch.put(Keys.streak(group.key), streak.encode());
    }
    groups.settle(group);
  }

  private static <K> void show(
      Map<K, RefusalHold> shown, K key, String group, long subscription, @Nullable Streak streak) {
    if (streak == null || !streak.isHeld()) {
      shown.remove(key);
      return;
    }
    shown.put(
        key,
        new RefusalHold(
            group,
            subscription,
            streak.code(),
            streak.count(),
            streak.heldSinceMillis(),
            streak.describe()));
  }
}
