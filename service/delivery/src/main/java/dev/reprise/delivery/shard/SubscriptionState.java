package dev.reprise.delivery.shard;

import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.MessageId;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one subscription that a shard keeps in memory. Its size does not follow the backlog:
 * pending deliveries are in the store, in the order in which they become due, and a cursor walks
 * over them.
 *
 * <p>The cursor's promise: every committed pending delivery that is neither in flight nor read
 * ahead has a key at or behind ({@link #cursorDue}, {@link #cursorMessage}) and is due at {@link
 * #nextDue} or later. What this turn writes is not yet in the store and is kept apart until {@link
 * #foldTurn}.
 */
final class SubscriptionState {
  static final MessageId FIRST_MESSAGE = new MessageId(0, 0);

  final Counters counters;
  final Concurrency concurrency;

  /** In the order of their starts. */
  final Map<MessageId, Claim> inFlight = new LinkedHashMap<>(4);

  /** Read ahead from the store, in order. */
  final ReadAhead ready;

  /**
   * The newest of what was published behind an old backlog, so that it need not wait for all of
   * that. The store has these as well, behind the cursor.
   */
  final ReadAhead live;

  /** Whether {@link #live} has its turn before the backlog. */
  boolean liveIsNext;

  /** Written in this turn and due already: can be claimed without a scan. */
  final ArrayDeque<Pending> fresh = new ArrayDeque<>(1);

  /** Ended or due anew since this turn began; the store still shows them where they were. */
  final Set<MessageId> leftThisTurn = new HashSet<>(4);

  SubscriptionSpec spec;
  @Nullable Throttle throttle;

  /** The group of all that share its host or its carrier. */
  Group group;

  /** The messages under way that were started before it came into its group; null for none. */
  private @Nullable Set<MessageId> inFlightElsewhere;

  /** The messages under way that are not to be attempted again; null for none. */
  private @Nullable Set<MessageId> cancelled;

  /** Where it waits for its group; null if it does not. */
  GroupLines.@Nullable Place waits;

  /** The number of the last hold of a group in which it was tried; 0 for none. */
  long triedInHold;

  /** Whether a place of its group is kept for its next attempt. */
  boolean hasPlace;

  /** Whether a retry of its group's budget is kept for its next attempt. */
  boolean hasRetry;

  boolean removing;

  /** The last key that the removal has deleted; null before it has. */
  byte @Nullable [] removedUpTo;

  long cursorDue;
  MessageId cursorMessage = FIRST_MESSAGE;
  long nextDue;

  private long turnDue = Long.MAX_VALUE;
  private MessageId turnMessage = FIRST_MESSAGE;

  /** Whether the subscription is in the run queue. */
  boolean queued;

  /** Whether this turn has changed something that must be folded. */
  boolean touched;

  /** Whether this turn has changed something that must be stored. */
  boolean changed;

  /** Whether this turn has carried out a walk over the dead letters. */
  boolean swept;

  /** When {@link Holds} looks at it again; {@code Long.MAX_VALUE} if it need not. */
  long holdCheckAtMillis = Long.MAX_VALUE;

  /** The figures of the last minute that is not written yet; null if there are none. */
  @Nullable EndpointFigures minute;

  /** Up to when they count the pause that the endpoint asked for. */
  long pauseCountedMillis;

  /** When the armed timer fires; {@code Long.MAX_VALUE} if none is armed. */
  long timerAtMillis = Long.MAX_VALUE;

  SubscriptionState(
      SubscriptionSpec spec,
      Counters counters,
      @Nullable Throttle throttle,
      Group group,
      ReadAhead.Budget readAhead) {
    this.spec = spec;
    this.counters = counters;
    this.ready = new ReadAhead(readAhead);
    this.live = new ReadAhead(readAhead);
    this.concurrency = new Concurrency(spec.maxInFlight());
    this.throttle = throttle;
    this.group = group;
    this.cursorDue = counters.lowDueMillis;
    this.nextDue = counters.pending == 0 ? Long.MAX_VALUE : counters.lowDueMillis;
  }

  Pace pace() {
    return counters.pace;
  }

  boolean isSuspended() {
    return counters.suspension != null;
  }

  /** The refusals for which its deliveries are held; null if they are not. */
  @Nullable Streak heldFor() {
    Streak streak = counters.streak;
    return streak != null && streak.isHeld() ? streak : null;
  }

  /** Lets an attempt under way be the last one of its delivery. */
  void cancelAfterAttempt(MessageId message) {
    if (cancelled == null) {
      cancelled = new HashSet<>(4);
    }
    cancelled.add(message);
  }

  /** Returns whether the attempt that has ended was to be the last one of its delivery. */
  boolean endsCancelled(MessageId message) {
    return cancelled != null && cancelled.remove(message);
  }

  /** Returns when the first of what has waited longest was due; MAX_VALUE if nothing waits. */
  long oldestDueMillis() {
    Pending first = ready.peek();
    return first == null ? nextDue : first.dueMillis();
  }

  /** Gives back what was read ahead; the cursor finds it again. */
  void dropReadAhead() {
    live.clear();
    dropReady();
  }

  /** Gives back what was read ahead of the backlog. */
  void dropReady() {
    Pending first = ready.peek();
    if (first != null) {
      cursorDue = first.dueMillis();
      cursorMessage = first.message();
      nextDue = first.dueMillis();
      ready.clear();
    }
  }

  int room() {
    return (heldFor() == null ? concurrency.limit() : 1) - inFlight.size();
  }

  /** Whether something is due, as far as is known without a look into the store. */
  boolean isDue(long nowMillis) {
    return !fresh.isEmpty() || !hasNoBacklog(nowMillis);
  }

  /** The attempts under way that count in its present group. */
  int inFlightInGroup() {
    return inFlight.size() - (inFlightElsewhere == null ? 0 : inFlightElsewhere.size());
  }

  /** Its attempts under way go on counting in the group that it leaves. */
  void leavesGroup() {
    inFlightElsewhere = inFlight.isEmpty() ? null : new HashSet<>(inFlight.keySet());
  }

  /** Whether an attempt that has ended was one that counts in another group. */
  boolean endsElsewhere(MessageId message) {
    return inFlightElsewhere != null && inFlightElsewhere.remove(message);
  }

  /** Whether nothing is known to be due before what this turn brings. */
  boolean hasNoBacklog(long nowMillis) {
    return ready.isEmpty() && nextDue > nowMillis;
  }

  /** A pending delivery was written in this turn and is not claimed. */
  void addedThisTurn(long due, MessageId message) {
    if (isBefore(due, message, turnDue, turnMessage)) {
      turnDue = due;
      turnMessage = message;
    }
  }

  /** At the end of a turn: what it wrote will be in the store from now on. */
  void foldTurn(long nowMillis) {
    for (Pending pending : fresh) {
      addedThisTurn(pending.dueMillis(), pending.message());
    }
    fresh.clear();
    leftThisTurn.clear();
    if (ready.isEmpty()) {
      // Nothing waits in the store before then: the cursor leaves what has ended behind it, so that
      // neither the next scan nor one after a restart steps over it.
      long low = nextDue == Long.MAX_VALUE ? nowMillis : nextDue;
      if (low > cursorDue) {
        cursorDue = low;
        cursorMessage = FIRST_MESSAGE;
      }
    }
    if (turnDue != Long.MAX_VALUE) {
      // What comes late may be due before some of what is read ahead, and that part is read again:
      // a blocked subscription watches the lifetime of the first in order.
      Pending last;
      while ((last = ready.peekLast()) != null
          && isBefore(turnDue, turnMessage, last.dueMillis(), last.message())) {
        ready.removeLast();
      }
      nextDue = Math.min(nextDue, turnDue);
      if (isBefore(turnDue, turnMessage, cursorDue, cursorMessage)) {
        cursorDue = turnDue;
        cursorMessage = turnMessage;
      }
      turnDue = Long.MAX_VALUE;
    }
    counters.lowDueMillis = lowDue();
  }

  private static boolean isBefore(
      long due, MessageId message, long otherDue, MessageId otherMessage) {
    return due < otherDue || (due == otherDue && message.compareTo(otherMessage) < 0);
  }

  private long lowDue() {
    long low = Math.min(cursorDue, nextDue);
    for (Claim claim : inFlight.values()) {
      low = Math.min(low, claim.pending().dueMillis());
    }
    for (Pending pending : ready) {
      low = Math.min(low, pending.dueMillis());
    }
    return low;
  }
}
