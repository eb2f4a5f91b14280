package dev.reprise.delivery.shard;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.Store;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which attempts start when. Keeps the queue of subscriptions with due work, their timers
 * and the places for attempts; no other class changes them.
 *
 * <p><b>Fairness.</b> Subscriptions with due work stand in the {@link RunQueue} and have their
 * turns in order, each with at most {@link ShardSettings#claimsPerVisit} claims. One that is full,
 * throttled or paused leaves the queue until a completion or a timer brings it back. One whose
 * group is full, throttled or blocked waits for that: see {@link Groups}. {@link Places} keeps
 * endpoints that hang from taking all places.
 *
 * <p><b>Live traffic.</b> Deliveries start in the order of their due times. Behind a backlog that
 * has waited for seconds, every second start is one that was published just now: an endpoint that
 * is back gets today's messages while it catches up on yesterday's.
 */
final class Dispatch {
  private static final int READ_AHEAD = 32;
  private static final int READ_AHEAD_BYTES = 256 << 10;

  /** A backlog that has waited for longer shares its places with what is published now. */
  private static final long OLD_BACKLOG_MILLIS = 5000;

  /** A subscription that is blocked for longer keeps nothing in memory. */
  private static final long SHORT_BLOCK_MILLIS = 1000;

  /**
   * The interval at which hanging attempts are looked for, while prompt endpoints wait for places.
   */
  private static final long HANGING_CHECK_MILLIS = 500;

  /** The pace at which attempts count that outlive their subscription, or its time in a group. */
  static final Pace PACE_OF_REMOVED = Pace.SLOW;

  private final Store store;
  private final ShardSettings settings;
  private final Step step;
  private final SharedPayloads payloads;
  private final Endings endings;
  private final UnderWay underWay;
  private final Collection<SubscriptionState> subscriptions;
  private final RunQueue runQueue = new RunQueue();
  private final TreeSet<Timer> timers = new TreeSet<>();
  private final Places places;
  private final Groups groups;
  private final ReadAhead.Budget readAhead;
  private long hangingCheckedAtMillis;
  private long visits;
  private boolean draining;

  /** At most one for each subscription: the earliest that was asked for. */
  private record Timer(long atMillis, SubscriptionState state) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(state.spec.number(), other.state.spec.number());
    }
  }

  Dispatch(
      Store store,
      ShardSettings settings,
      Step step,
      SharedPayloads payloads,
      Endings endings,
      UnderWay underWay,
      Collection<SubscriptionState> subscriptions,
      Collection<GroupSpec> groupSpecs) {
    this.store = store;
    this.settings = settings;
    this.step = step;
    this.payloads = payloads;
    this.endings = endings;
    this.underWay = underWay;
    this.subscriptions = subscriptions;
    this.places = new Places(settings.maxInFlight(), settings.maxInFlightBytes());
    this.groups = new Groups(settings, step, places, runQueue, groupSpecs);
    this.readAhead = new ReadAhead.Budget(settings.readAheadBytes());
    this.hangingCheckedAtMillis = step.nowMillis;
  }

  /** Takes in a pending delivery that was written in this turn. */
  void await(SubscriptionState state, Pending pending) {
    if (pending.dueMillis() <= step.nowMillis && state.hasNoBacklog(step.nowMillis)) {
      state.fresh.add(pending);
      enqueue(state);
    } else {
      state.addedThisTurn(pending.dueMillis(), pending.message());
      keepLive(state, pending);
    }
    step.touch(state);
  }

  /** A delivery published behind an old backlog need not wait for all of it. */
  private void keepLive(SubscriptionState state, Pending pending) {
    if (pending.reason().kind() == DueReason.Kind.FIRST
        && pending.dueMillis() <= step.nowMillis
        && state.oldestDueMillis() < step.nowMillis - OLD_BACKLOG_MILLIS
        && state.live.size() < READ_AHEAD
        && !readAhead.isSpent()
        && !state.isSuspended()) {
      state.live.add(pending);
    }
  }

  void fireTimers() {
    groups.fireTimers();
    while (!timers.isEmpty() && timers.first().atMillis() <= step.nowMillis) {
      SubscriptionState state = timers.pollFirst().state();
      state.timerAtMillis = Long.MAX_VALUE;
      enqueue(state);
    }
  }

  void enqueue(SubscriptionState state) {
    if (!state.removing && !state.queued && !staysInLine(state)) {
      runQueue.add(state);
    }
  }

  /** Whether it waits for its group, now or already, and there is nothing else to do for it. */
  private boolean staysInLine(SubscriptionState state) {
    if (state.spec.lifetimeMillis() > 0) {
      return false; // What waits may expire.
    }
    if (state.waits != null) {
      return !state.waits.forRetry; // Something may have come before the retry.
    }
    return !state.hasPlace
        && groups.wouldWait(state)
        && silentUntilMillis(state) <= step.nowMillis
        && state.isDue(step.nowMillis)
        && !groups.admits(state);
  }

  /** Lets a subscription be the next of its group, if anything of it could start. */
  void toFront(SubscriptionState state) {
    if (!state.removing
        && !state.hasPlace
        && silentUntilMillis(state) <= step.nowMillis
        && state.isDue(step.nowMillis)) {
      groups.toFront(state);
    }
  }

  private void arm(SubscriptionState state, long atMillis) {
    if (atMillis < state.timerAtMillis) {
      // Its visit arms whatever comes after it.
      disarm(state);
      state.timerAtMillis = atMillis;
      timers.add(new Timer(atMillis, state));
    }
  }

  private void disarm(SubscriptionState state) {
    if (state.timerAtMillis != Long.MAX_VALUE) {
      timers.remove(new Timer(state.timerAtMillis, state));
      state.timerAtMillis = Long.MAX_VALUE;
    }
  }

  /** Returns how many subscriptions were ever looked at. */
  long visits() {
    return visits;
  }

  /** Returns how many timers are armed. */
  int armedTimers() {
    return timers.size() + groups.armedTimers();
  }

  /** Returns the groups of the shard's subscriptions. */
  Groups groups() {
    return groups;
  }

  /** Returns the bound of what all subscriptions read ahead, with what is spent of it. */
  ReadAhead.Budget readAhead() {
    return readAhead;
  }

  /** Notes that an attempt has ended whose subscription was removed meanwhile. */
  void endedAfterRemoval(Claim claim, AttemptOutcome outcome, long endedAtMillis) {
    places.ended(PACE_OF_REMOVED, claim.payload().length);
    groups.ended(null, claim, outcome, endedAtMillis);
  }

  /** Gives back the place of an attempt that has ended, and heeds what it says of its group. */
  void ended(SubscriptionState state, Claim claim, AttemptOutcome outcome, long endedAtMillis) {
    places.ended(state.pace(), claim.payload().length);
    groups.ended(state, claim, outcome, endedAtMillis);
  }

  /** Learns from an attempt that was made how fast its endpoint is, and how long it waited here. */
  void observe(SubscriptionState state, Claim claim, long durationNanos) {
    pace(state, Pace.of(durationNanos));
    places.observe(step.nowNanos - claim.startedNanos(), durationNanos);
  }

  private void pace(SubscriptionState state, Pace pace) {
    Pace before = state.pace();
    if (pace != before) {
      places.moved(state.inFlight.size(), before, pace);
      state.counters.pace = pace;
      groups.paceChanged(state, before);
    }
  }

  /** Starts nothing more of a subscription; what is under way no longer counts as its own. */
  void removed(SubscriptionState state) {
    disarm(state);
    groups.leave(state);
    places.moved(state.inFlight.size(), state.pace(), PACE_OF_REMOVED);
    state.inFlight.clear();
    state.ready.clear();
    state.live.clear();
  }

  /** Starts nothing more of a subscription until it is released; what may expire is watched. */
  void suspended(SubscriptionState state) {
    state.dropReadAhead();
    enqueue(state);
  }

  /** A subscription goes to another group; what is under way still counts in the previous one. */
  void moved(SubscriptionState state, String group) {
    groups.leave(state);
    state.group = groups.join(group);
    enqueue(state);
  }

  /** Sets whether nothing more is to start. */
  void draining(boolean isDraining) {
    draining = isDraining;
  }

  /** Starts what may start now, in the order of the queue. */
  void run() {
    if (draining) {
      return;
    }
    findHanging();
    groups.settleStalled();
    int visitsLeft = settings.claimsPerTurn();
    while (visitsLeft > 0 && step.claims.size() < settings.claimsPerTurn()) {
      SubscriptionState state = runQueue.poll(places::hasRoom);
      if (state == null) {
        return;
      }
      visitsLeft--;
      if (state.removing) {
        continue;
      }
      visits++;
      if (visit(state)) {
        runQueue.add(state);
      } else {
        groups.visited(state);
      }
      groups.settle(state.group);
    }
  }

  /**
   * While prompt endpoints wait for a place, those among them that have begun to hang are found,
   * and what they hold no longer counts as theirs.
   */
  private void findHanging() {
    if (!isSaturated() || step.nowMillis < hangingCheckedAtMillis + HANGING_CHECK_MILLIS) {
      return;
    }
    hangingCheckedAtMillis = step.nowMillis;
    for (SubscriptionState state : subscriptions) {
      if (state.pace() == Pace.PROMPT && !state.inFlight.isEmpty()) {
        Claim oldest = state.inFlight.values().iterator().next();
        if (Pace.hangs(step.nowNanos - oldest.startedNanos())) {
          pace(state, Pace.HANGING);
        }
      }
    }
  }

  /** Whether no subscription waits for its turn. */
  boolean isIdle() {
    return !runQueue.hasWork(pace -> true) && !groups.areStalled();
  }

  /**
   * Whether prompt endpoints wait for places that no single one of them holds up: those of the
   * shard, or all that one host may have, which are enough to keep this process busy.
   */
  boolean isSaturated() {
    if (draining) {
      return false;
    }
    return groups.waitForShare()
        || (!places.hasRoom(Pace.PROMPT) && runQueue.hasWork(pace -> pace == Pace.PROMPT));
  }

  /** Starts what may start now; true if the subscription has more that may start at once. */
  private boolean visit(SubscriptionState state) {
    SubscriptionSpec spec = state.spec;
    boolean mayExpire = spec.lifetimeMillis() > 0;
    for (int i = 0; i < settings.claimsPerVisit(); i++) {
      long silentUntil = silentUntilMillis(state);
      if (silentUntil > step.nowMillis && !mayExpire) {
        // Nothing of it can expire, so it is not even read.
        armAfterSilence(state, silentUntil);
        keepLittle(state, silentUntil);
        return false;
      }
      boolean isRead = mayExpire || state.waits != null || !state.isDue(step.nowMillis);
      if (!isRead && !groups.admits(state)) {
        keepLittleInLine(state);
        return false;
      }
      Pending pending = peek(state);
      if (pending == null) {
        groups.stopWaiting(state);
        if (state.nextDue != Long.MAX_VALUE) {
          arm(state, state.nextDue);
        }
        return false;
      }
      Pending oldest = state.ready.peek();
      if (oldest != null && isAnother(oldest, pending) && isExpired(state, oldest)) {
        state.ready.poll();
        endings.expire(state, oldest);
        continue;
      }
      if (isExpired(state, pending)) {
        poll(state);
        endings.expire(state, pending);
        continue;
      }
      // What waits behind a block still expires in time.
      long deadline = spec.deadlineMillis((oldest == null ? pending : oldest).sinceMillis());
      long expiry = deadline == Long.MAX_VALUE ? deadline : deadline + 1;
      long blockedUntil = blockedUntilMillis(state, silentUntil);
      if (blockedUntil > step.nowMillis) {
        arm(state, Math.min(blockedUntil, expiry));
        keepLittle(state, blockedUntil);
        return false;
      }
      if (!admits(state, pending, isRead)) {
        arm(state, expiry);
        keepLittleInLine(state);
        return false;
      }
      if (!places.hasRoom(state.pace())) {
        return true;
      }
      poll(state);
      claim(state, pending);
    }
    return true;
  }

  private boolean isExpired(SubscriptionState state, Pending pending) {
    return step.nowMillis > state.spec.deadlineMillis(pending.sinceMillis());
  }

  /** Whether the group lets this attempt start; {@code ask}: its places were not asked for yet. */
  private boolean admits(SubscriptionState state, Pending pending, boolean ask) {
    GroupLines.Place waits = state.waits;
    if (waits != null) {
      if (!waits.forRetry || Groups.isRetry(pending)) {
        return false;
      }
      groups.stopWaiting(state);
    }
    return (!ask || groups.admits(state)) && groups.admitsRetry(state, pending);
  }

  /** A timer for the end of the pause; none if a completion ends it, or nothing waits. */
  private void armAfterSilence(SubscriptionState state, long silentUntil) {
    boolean isDue = !state.fresh.isEmpty() || !state.ready.isEmpty();
    if (silentUntil != Long.MAX_VALUE && (isDue || state.nextDue != Long.MAX_VALUE)) {
      arm(state, isDue ? silentUntil : Math.max(silentUntil, state.nextDue));
    }
  }

  /** Memory is for what can start soon. */
  private void keepLittle(SubscriptionState state, long blockedUntil) {
    boolean endsSoon =
        blockedUntil == Long.MAX_VALUE || blockedUntil - step.nowMillis <= SHORT_BLOCK_MILLIS;
    if (readAhead.isSpent() || (!endsSoon && state.heldFor() == null)) {
      state.dropReadAhead();
    } else if (!endsSoon) {
      // Every second try is one of today's: the cause of all refusals before it may have been
      // removed.
      state.dropReady();
    }
  }

  private void keepLittleInLine(SubscriptionState state) {
    long blockedUntil = groups.blockedUntilMillis(state);
    keepLittle(state, blockedUntil > step.nowMillis ? blockedUntil : Long.MAX_VALUE);
  }

  /**
   * Until when nothing of this subscription may start, whatever the throttle says; {@code
   * Long.MAX_VALUE}: until a completion, or until it is released.
   */
  private static long silentUntilMillis(SubscriptionState state) {
    if (state.room() <= 0 || state.isSuspended()) {
      return Long.MAX_VALUE;
    }
    Streak held = state.heldFor();
    long paused = state.counters.pausedUntilMillis;
    return held == null ? paused : Math.max(paused, held.probeAtMillis());
  }

  private long blockedUntilMillis(SubscriptionState state, long silentUntil) {
    if (silentUntil > step.nowMillis) {
      return silentUntil;
    }
    Throttle throttle = state.throttle;
    long wait = throttle == null ? 0 : throttle.waitNanos(step.nowNanos);
    return wait <= 0 ? step.nowMillis : step.nowMillis + Step.ceilMillis(wait);
  }

  private void claim(SubscriptionState state, Pending pending) {
    byte[] inline = pending.payload();
    byte[] payload = inline != null ? inline : payloads.find(pending.message());
    if (payload == null) {
      endings.quarantine(
          state, pending.key(state.spec.number()), pending.encode(), "its payload is gone");
      return;
    }
    if (state.throttle != null) {
      state.throttle.start(step.nowNanos);
    }
    Claim claim =
        new Claim(
            state.spec.number(),
            pending.message(),
            pending.attempts() + 1,
            payload,
            underWay.starting(state.spec.number(), pending),
            state.group.key,
            step.nowNanos);
    state.inFlight.put(pending.message(), claim);
    places.started(state.pace(), payload.length);
    groups.started(state, pending);
    state.concurrency.occupied(state.inFlight.size(), step.nowNanos);
    step.claims.add(claim);
  }

  /** The next delivery that is due, without taking it; null if none is due now. */
  private @Nullable Pending peek(SubscriptionState state) {
    Pending fresh = state.fresh.peek();
    if (fresh != null) {
      return fresh;
    }
    if (state.ready.isEmpty() && state.nextDue <= step.nowMillis) {
      scan(state);
    }
    Pending live = state.liveIsNext ? state.live.peek() : null;
    return live != null ? live : state.ready.peek();
  }

  @SuppressWarnings("ReferenceEquality") // One delivery is read once, and comparing fields costs.
  private static boolean isAnother(Pending one, Pending other) {
    return one != other;
  }

  /** Takes what {@link #peek} has returned. */
  private static void poll(SubscriptionState state) {
    if (state.fresh.poll() == null) {
      boolean wasLive = state.liveIsNext && state.live.poll() != null;
      if (!wasLive) {
        state.ready.poll();
      }
      state.liveIsNext = !wasLive;
    }
  }

  private void scan(SubscriptionState state) {
    long number = state.spec.number();
    byte[] from = Keys.timed(Keys.PENDING, number, state.cursorDue, state.cursorMessage);
    byte[] to = Keys.after(Keys.ofSubscription(Keys.PENDING, number));
    int most = readAhead.isSpent() ? 1 : READ_AHEAD;
    int bytes = 0;
    try (Store.Cursor cursor = store.range(from, to)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.message(key);
        long due = Keys.time(key);
        state.cursorDue = due;
        state.cursorMessage = message;
        if (state.inFlight.containsKey(message) || state.leftThisTurn.contains(message)) {
          continue;
        }
        state.nextDue = due;
        if (due > step.nowMillis || state.ready.size() >= most || bytes > READ_AHEAD_BYTES) {
          return;
        }
        byte[] value = cursor.value();
        bytes += value.length;
        state.live.remove(message);
        try {
          state.ready.add(Pending.decode(key, value));
        } catch (RuntimeException e) {
          endings.quarantine(state, key, value, String.valueOf(e.getMessage()));
        }
      }
    }
    state.nextDue = Long.MAX_VALUE;
  }

  /** Looks at the end of a turn when the subscription is due again. */
  void reschedule(SubscriptionState state) {
    boolean due = !state.ready.isEmpty() || state.nextDue <= step.nowMillis;
    if (due && (state.room() > 0 || state.spec.lifetimeMillis() > 0)) {
      enqueue(state);
    } else if (!due && !state.removing && state.nextDue != Long.MAX_VALUE) {
      arm(state, state.nextDue);
    }
  }

  /** Returns when the next step is due for what is dispatched, wall time; may be in the past. */
  long wakeAtMillis() {
    if (draining) {
      return Long.MAX_VALUE;
    }
    if (runQueue.hasWork(places::hasRoom)) {
      return step.nowMillis;
    }
    long timer = timers.isEmpty() ? Long.MAX_VALUE : timers.first().atMillis();
    timer = Math.min(timer, groups.nextMillis());
    return isSaturated() ? Math.min(timer, hangingCheckedAtMillis + HANGING_CHECK_MILLIS) : timer;
  }
}
