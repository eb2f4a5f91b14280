package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.ShardSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a shard: which subscription belongs to which, which waits for its group, and which
 * goes back to the run queue when there is room again.
 *
 * <p><b>No polling.</b> A subscription that its group holds back leaves the run queue for a line of
 * the group ({@link GroupLines}). When an attempt ends, a block or a wait is over, as many as there
 * is room for go back to the run queue, and a place is kept for each on its way: so none that comes
 * later is faster, and those behind cost nothing.
 *
 * <p>Not safe for use by several threads.
 */
final class Groups {
  /** After this the group is tried again, however long a block was to be. */
  private static final Duration MAX_BLOCK = Duration.ofDays(1);

  private final ShardSettings settings;
  private final Step step;
  private final Places places;
  private final RunQueue runQueue;
  private final Map<String, Group> groups = new HashMap<>();
  private final TreeSet<Timer> timers = new TreeSet<>();

  /** Is read by other threads. */
  private final Map<String, RefusalHold> refusals = new ConcurrentHashMap<>();

  /** Groups that have room for a subscription for which the shard has none just now. */
  private final Set<Group> stalled = new LinkedHashSet<>();

  /** At most one for each group. */
  private record Timer(long atMillis, Group group) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : group.key.compareTo(other.group.key);
    }
  }

  /** Groups that have their share of the places for prompt ones, and prompt ones that wait. */
  private final Set<Group> atShare = new HashSet<>();

  /** Groups with these limits, which an earlier process may have used just before. */
  Groups(
      ShardSettings settings,
      Step step,
      Places places,
      RunQueue runQueue,
      Collection<GroupSpec> specs) {
    this.settings = settings;
    this.step = step;
    this.places = places;
    this.runQueue = runQueue;
    for (GroupSpec spec : specs) {
      group(spec.key()).reopen(spec, step.nowNanos);
      forgetIfUnused(group(spec.key()));
    }
  }

  private Group group(String key) {
    return groups.computeIfAbsent(key, Group::new);
  }

  private void forgetIfUnused(Group group) {
    if (group.isUnused()) {
      groups.remove(group.key, group);
      if (group.streak != null) {
        // A subscription that comes to this host later is judged by the host's answers then.
        group.streak = null;
        step.batch.delete(Keys.streak(group.key));
        refusals.remove(group.key);
      }
    }
  }

  /** Takes over a group's refusals of the last process; forgotten with its last member. */
  void reopen(String key, Streak streak, long holdNumber) {
    Group group = group(key);
    group.streak = streak;
    group.holdNumber = holdNumber;
  }

  /** Forgets the groups that no subscription has joined since the shard was opened. */
  void forgetUnused() {
    List.copyOf(groups.values()).forEach(this::forgetIfUnused);
  }

  /** The group with this key; null if there is none. */
  @Nullable Group find(String key) {
    return groups.get(key);
  }

  /** The groups of which all members wait, by key: for {@link Refusals}, which fills it. */
  Map<String, RefusalHold> refusals() {
    return refusals;
  }

  void configure(GroupSpec spec) {
    Group group = group(spec.key());
    group.configure(spec, step.nowNanos);
    settle(group);
    forgetIfUnused(group);
  }

  void unblock(String key) {
    Group group = groups.get(key);
    if (group != null) {
      group.unblock();
      settle(group);
    }
  }

  /** The group of a subscription that is opened. */
  Group join(String key) {
    Group group = group(key);
    group.members++;
    return group;
  }

  /** A subscription goes: into another group, or for good. */
  void leave(SubscriptionState state) {
    Group group = state.group;
    if (state.waits != null && group.lines != null) {
      group.lines.remove(state.waits);
    }
    group.releasePlace(state);
    group.releaseRetry(state);
    group.underWay.moved(state.inFlightInGroup(), state.pace(), Dispatch.PACE_OF_REMOVED);
    state.leavesGroup();
    group.members--;
    settle(group);
    forgetIfUnused(group);
  }

  /** Returns whether an attempt of a subscription may start; if not, the subscription waits. */
  boolean admits(SubscriptionState state) {
    Group group = state.group;
    boolean isNext = group.releasePlace(state);
    if (!isNext) {
      // Those that were there before go first; the clock may have passed the end of their wait.
      settle(group);
    }
    if ((isNext || !hasWaiting(group, state.pace())) && hasRoom(group, state.pace())) {
      return true;
    }
    lines(group).add(state, group.wasTriedInHold(state), isNext);
    arm(group);
    return false;
  }

  /** The same without a change: whether it would wait. */
  boolean wouldWait(SubscriptionState state) {
    Group group = state.group;
    return hasWaiting(group, state.pace()) || !hasRoom(group, state.pace());
  }

  /**
   * Returns whether this attempt of a subscription may start, as far as the retry budget is
   * concerned; if not, the subscription waits.
   */
  boolean admitsRetry(SubscriptionState state, Pending pending) {
    Group group = state.group;
    boolean isNext = group.releaseRetry(state);
    if (!isRetry(pending)) {
      return true;
    }
    boolean otherIsNext = !isNext && group.lines != null && group.lines.hasRetries();
    if (!otherIsNext && group.allowsRetry(settings, step.nowNanos)) {
      return true;
    }
    lines(group).addRetry(state, isNext);
    arm(group);
    return false;
  }

  static boolean isRetry(Pending pending) {
    return pending.reason().kind() == DueReason.Kind.RETRY;
  }

  /** An attempt that was admitted starts. */
  void started(SubscriptionState state, Pending pending) {
    Group group = state.group;
    group.started(state.pace(), step.nowNanos);
    if (isRetry(pending)) {
      group.retryStarted(settings, step.nowNanos);
    }
  }

  /** A subscription was tried in the hold of its group: others have their try before its next. */
  void tried(SubscriptionState state) {
    Group group = state.group;
    state.triedInHold = group.holdNumber;
    if (state.waits != null && group.lines != null) {
      group.lines.tried(state.waits);
    }
  }

  /** A subscription is the next of its group, before all that wait. */
  void toFront(SubscriptionState state) {
    GroupLines lines = lines(state.group);
    if (state.waits != null) {
      lines.remove(state.waits);
    }
    lines.addInFront(state);
    arm(state.group);
  }

  /** A subscription that waits has nothing more to wait for. */
  void stopWaiting(SubscriptionState state) {
    if (state.waits != null && state.group.lines != null) {
      state.group.lines.remove(state.waits);
    }
  }

  /** The visit of a subscription is over, and it is not in the run queue any more. */
  void visited(SubscriptionState state) {
    if (state.waits == null) {
      state.group.releasePlace(state);
      state.group.releaseRetry(state);
    }
  }

  /**
   * An attempt has ended.
   *
   * @param state its subscription; null if that was removed meanwhile
   */
  void ended(
      @Nullable SubscriptionState state, Claim claim, AttemptOutcome outcome, long endedAtMillis) {
    SubscriptionState member = state == null || state.endsElsewhere(claim.message()) ? null : state;
    Group group = member == null ? groups.get(claim.group()) : member.group;
    if (group == null) {
      throw new IllegalStateException("group " + claim.group() + " has attempts and is forgotten");
    }
    group.underWay.add(member == null ? Dispatch.PACE_OF_REMOVED : member.pace(), -1);
    Block block = outcome.block();
    if (block != null) {
      Duration time = block.time().compareTo(MAX_BLOCK) > 0 ? MAX_BLOCK : block.time();
      group.block(endedAtMillis + Step.ceilMillis(time), block.reason());
    }
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      group.succeeded(isRetry(claim.pending()), step.nowNanos);
    } else if (!outcome.made() && isRetry(claim.pending())) {
      group.retryGivenBack(step.nowNanos);
    }
    settle(group);
    forgetIfUnused(group);
  }

  /** The pace of a subscription has changed. */
  void paceChanged(SubscriptionState state, Pace from) {
    Group group = state.group;
    int count = state.inFlightInGroup() + (state.hasPlace ? 1 : 0);
    group.underWay.moved(count, from, state.pace());
    if (state.waits != null && group.lines != null) {
      group.lines.paceChanged(state.waits);
    }
    settle(group);
  }

  // --- subscriptions that may go on ---------------------------------------------------------

  /** Sends as many back to the run queue as there is room for. */
  void settle(Group group) {
    GroupLines lines = group.lines;
    if (lines == null) {
      return;
    }
    if (group.blockedUntilMillis() <= step.nowMillis) {
      // A retry that is allowed stands in line with all others from now on.
      while (lines.hasRetries() && group.allowsRetry(settings, step.nowNanos)) {
        SubscriptionState state = lines.pollRetry();
        if (state != null) {
          group.keepRetry(state);
          lines.add(state, group.wasTriedInHold(state), /* atHead= */ false);
        }
      }
      SubscriptionState state;
      while ((state =
              lines.poll(pace -> hasRoom(group, pace) && mayQueue(pace), group.heldFor() != null))
          != null) {
        group.keepPlace(state);
        runQueue.add(state);
      }
      if (lines.hasWaiting(pace -> hasRoom(group, pace))) {
        stalled.add(group);
      }
    }
    arm(group);
  }

  /**
   * Whether a subscription of this pace does not keep a place of its group for long: where slow
   * endpoints wait for places of the shard, that takes as long as others hang. Prompt ones are soon
   * done, and stand in the run queue so that publishers slow down for them.
   */
  private boolean mayQueue(Pace pace) {
    return pace == Pace.PROMPT || places.hasRoom(pace);
  }

  /** Looks again at groups for which the shard had no places. */
  void settleStalled() {
    if (!stalled.isEmpty()) {
      List<Group> again = List.copyOf(stalled);
      stalled.clear();
      again.forEach(this::settle);
    }
  }

  /** Whether a subscription goes on as soon as the shard has a place. */
  boolean areStalled() {
    return !stalled.isEmpty();
  }

  /** Whether prompt subscriptions wait for a place of a host that has its share of all places. */
  boolean waitForShare() {
    return !atShare.isEmpty();
  }

  private boolean hasRoom(Group group, Pace pace) {
    return group.hasRoom(pace, places, step.nowMillis, step.nowNanos);
  }

  private static boolean hasWaiting(Group group, Pace pace) {
    return group.lines != null && group.lines.hasWaiting(pace);
  }

  private static GroupLines lines(Group group) {
    if (group.lines == null) {
      group.lines = new GroupLines();
    }
    return group.lines;
  }

  // --- timers -------------------------------------------------------------------------------

  private void arm(Group group) {
    GroupLines lines = group.lines;
    if (lines == null) {
      return;
    }
    boolean isAtShare =
        lines.hasWaiting(Pace.PROMPT)
            && group.isAtShare(Pace.PROMPT, places, step.nowMillis, step.nowNanos);
    if (isAtShare) {
      atShare.add(group);
    } else {
      atShare.remove(group);
    }
    long atMillis = wakeAtMillis(group, lines);
    if (atMillis != lines.timerAtMillis) {
      if (lines.timerAtMillis != Long.MAX_VALUE) {
        timers.remove(new Timer(lines.timerAtMillis, group));
      }
      if (atMillis != Long.MAX_VALUE) {
        timers.add(new Timer(atMillis, group));
      }
      lines.timerAtMillis = atMillis;
    }
    if (lines.isEmpty()) {
      group.lines = null;
    }
  }

  /**
   * The time at which a subscription may go on without another event; {@code Long.MAX_VALUE}:
   * never.
   */
  private long wakeAtMillis(Group group, GroupLines lines) {
    if (lines.isEmpty()) {
      return Long.MAX_VALUE;
    }
    if (group.blockedUntilMillis() > step.nowMillis) {
      return group.blockedUntilMillis();
    }
    long throttled = lines.hasWaiting(pace -> true) ? group.throttledNanos(step.nowNanos) : 0;
    long retry = lines.hasRetries() ? group.retryWaitNanos(settings, step.nowNanos) : 0;
    return Math.min(after(throttled), after(retry));
  }

  private long after(long nanos) {
    return nanos <= 0 ? Long.MAX_VALUE : step.nowMillis + Step.ceilMillis(nanos);
  }

  void fireTimers() {
    while (!timers.isEmpty() && timers.first().atMillis() <= step.nowMillis) {
      Group group = timers.pollFirst().group();
      if (group.lines != null) {
        group.lines.timerAtMillis = Long.MAX_VALUE;
      }
      settle(group);
    }
  }

  /** When the next timer fires, wall time; {@code Long.MAX_VALUE} if none is armed. */
  long nextMillis() {
    return timers.isEmpty() ? Long.MAX_VALUE : timers.first().atMillis();
  }

  int armedTimers() {
    return timers.size();
  }

  int size() {
    return groups.size();
  }

  // --- questions ----------------------------------------------------------------------------

  /** Returns whether a subscription could start as soon as this attempt has ended. */
  boolean holdsUp(@Nullable SubscriptionState state, Claim claim) {
    Group group =
        state != null && state.group.key.equals(claim.group())
            ? state.group
            : groups.get(claim.group());
    return group != null && group.lines != null;
  }

  /** Returns what keeps a subscription from its next attempt; null if its group does not. */
  @Nullable GroupHold hold(SubscriptionState state) {
    return state.group.hold(state, places, settings, step.nowMillis, step.nowNanos);
  }

  /** Until when the group of a subscription is blocked; a time that has passed if it is not. */
  long blockedUntilMillis(SubscriptionState state) {
    return state.group.blockedUntilMillis();
  }
}
