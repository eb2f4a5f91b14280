package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All deliveries of some subscriptions: decides what is stored and what is attempted when. A pure
 * step function: {@link #turn} takes what has happened and the time, reads the store, and returns
 * writes and attempts. It never blocks on a network, never reads a clock and never writes by
 * itself; the host does, in the order that {@link Turn} states.
 *
 * <p><b>What survives.</b> Everything that was answered is in a batch that was durable before the
 * answer. A claim is kept in memory only, and the outcome of an attempt is one batch. So a crash
 * repeats what was in flight and nothing else.
 *
 * <p><b>What a turn sees.</b> Reads see the store as the previous turn left it. What this turn
 * writes is therefore kept in memory where this turn may need it: {@link SubscriptionState#fresh},
 * {@link SharedPayloads}, and the sets of this class that end in {@code ThisTurn}. Each turn's
 * batch must be durable before the next turn begins.
 *
 * <p><b>Fairness.</b> Subscriptions with due work stand in the {@link RunQueue} and have their
 * turns in order, each with at most {@link ShardSettings#claimsPerVisit} claims. One that is full,
 * throttled or paused leaves the queue until a completion or a timer brings it back. {@link Places}
 * keeps endpoints that hang from taking all places.
 *
 * <p><b>What cannot be read.</b> A record that cannot be read costs its delivery, never the shard:
 * see {@link Quarantine}.
 *
 * <p>Not safe for use by several threads.
 */
public final class Shard {
  /** How long a hint may silence the whole endpoint; the delivery itself waits in full. */
  private static final long MAX_PAUSE_MILLIS = Duration.ofMinutes(5).toMillis();

  private static final int READ_AHEAD = 32;
  private static final int READ_AHEAD_BYTES = 256 << 10;

  /** What is blocked for longer keeps nothing in memory. */
  private static final long SHORT_BLOCK_MILLIS = 1000;

  /** How long an attempt that could not be made, for want of a connection of ours, waits. */
  private static final long GIVEN_BACK_MILLIS = 1000;

  /** How often attempts are looked for that hang, while prompt endpoints wait for places. */
  private static final long HANGING_CHECK_MILLIS = 500;

  private static final int REMOVALS_PER_TURN = 500;

  /** With more deliveries than this, even a small payload is shared. */
  private static final int MAX_INLINE_COPIES = 100;

  private static final long CLOCK_INTERVAL_MILLIS = 1000;

  /** How attempts count that outlive their subscription. */
  private static final Pace PACE_OF_REMOVED = Pace.SLOW;

  private final Store store;
  private final ShardSettings settings;
  private final RandomGenerator random;
  private final SharedPayloads payloads;
  private final IdempotencyKeys idempotency;
  private final History history;
  private final Sweeper sweeper;

  private final Map<Long, SubscriptionState> subscriptions = new HashMap<>();
  private final RunQueue runQueue = new RunQueue();
  private final TreeSet<Timer> timers = new TreeSet<>();
  private final List<SubscriptionState> removing = new ArrayList<>();
  private final Counters closed;
  private List<ShardInput> deferred = new ArrayList<>();

  private final Places places;
  private final ReadAhead.Budget readAhead;
  private long hangingCheckedAtMillis;
  private long clockStoredAtMillis;

  private long nowMillis;
  private long nowNanos;
  private Batch batch = new Batch();
  private List<Claim> claims = new ArrayList<>();
  private List<Runnable> answers = new ArrayList<>();
  private List<GivenUp> givenUp = new ArrayList<>();
  private final List<SubscriptionState> touched = new ArrayList<>();

  /** At most one for each subscription: the earliest that was asked for. */
  private record Timer(long atMillis, SubscriptionState state) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(state.spec.number(), other.state.spec.number());
    }
  }

  /**
   * A shard over what {@code store} holds. {@code nowMillis} is wall time and must not be before
   * {@link #storedClockMillis}; {@code nowNanos} is monotonic.
   */
  public Shard(
      Store store,
      ShardSettings settings,
      RandomGenerator random,
      Collection<SubscriptionSpec> specs,
      long nowMillis,
      long nowNanos) {
    this.store = store;
    this.settings = settings;
    this.random = random;
    this.payloads = new SharedPayloads(store);
    this.idempotency = new IdempotencyKeys(store, settings.idempotencyMillis());
    this.places = new Places(settings.maxInFlight(), settings.maxInFlightBytes());
    this.readAhead = new ReadAhead.Budget(settings.readAheadBytes());
    this.hangingCheckedAtMillis = nowMillis;
    this.history = new History(store, settings.historyBytes());
    this.nowMillis = nowMillis;
    this.nowNanos = nowNanos;
    this.closed = closedCounters();
    for (SubscriptionSpec spec : specs) {
      open(spec);
    }
    adoptOrphans();
    this.sweeper = new Sweeper(store, settings, history, subscriptions, this::touch, nowMillis);
  }

  /**
   * The wall time up to which the store has seen the clock, 0 if never. A clock that was set back
   * while the process was down must not run behind it: due times would seem further away.
   */
  public static long storedClockMillis(Store store) {
    byte[] stored = store.get(Keys.CLOCK);
    try {
      return stored == null ? 0 : new Wire.Reader(stored).number();
    } catch (RuntimeException unreadable) {
      return 0;
    }
  }

  /**
   * Tells from the next step on whether the disk has less free space than is kept in reserve: then
   * no responses are kept in the history, and the oldest history is removed until there is space.
   */
  public void spaceIsShort(boolean isShort) {
    history.spaceIsShort(isShort);
  }

  /** One step. The time must not run backwards from one step to the next. */
  public Turn turn(List<ShardInput> inputs, long nowMillis, long nowNanos) {
    if (nowMillis < this.nowMillis) {
      throw new IllegalArgumentException(
          "nowMillis is " + nowMillis + ": must be >= " + this.nowMillis + ", the last step's");
    }
    this.nowMillis = nowMillis;
    this.nowNanos = nowNanos;
    continueRemovals();
    // First, so that what this turn writes anew wins over what the sweep removes.
    sweeper.step(batch, nowMillis);
    List<ShardInput> earlier = deferred;
    deferred = new ArrayList<>();
    applyWhileThereIsRoom(earlier);
    applyWhileThereIsRoom(inputs);
    fireTimers();
    dispatch();
    sweeper.retire(this::retire, nowMillis);
    return finish();
  }

  // --- what happened -----------------------------------------------------------------------

  private void applyWhileThereIsRoom(List<ShardInput> inputs) {
    for (ShardInput input : inputs) {
      if (batch.bytes() + payloads.addedBytes() < settings.maxBatchBytes()) {
        apply(input);
      } else {
        deferred.add(input);
      }
    }
  }

  /** What has been taken in and not been looked at: a host that gives up must refuse it. */
  public List<ShardInput> deferred() {
    return List.copyOf(deferred);
  }

  private void apply(ShardInput input) {
    if (input instanceof ShardInput.Completed completed) {
      complete(completed);
    } else if (input instanceof ShardInput.Publish publish) {
      publish(publish);
    } else if (input instanceof ShardInput.Configure configure) {
      configure(configure.spec());
    } else if (input instanceof ShardInput.Remove remove) {
      remove(remove.subscription());
    } else if (input instanceof ShardInput.Reserve reserve) {
      idempotency.reserve(reserve, nowMillis, batch, answers);
    } else if (input instanceof ShardInput.Redrive redrive) {
      walk(input, redrive.subscription(), redrive.reply(), w -> w.redrive(redrive.request()));
    } else if (input instanceof ShardInput.Purge purge) {
      walk(input, purge.subscription(), purge.reply(), w -> w.purge(purge.request()));
    } else if (input instanceof ShardInput.AttemptNow attemptNow) {
      attemptNow(attemptNow);
    } else if (input instanceof ShardInput.Inspect inspect) {
      inspect(inspect);
    }
  }

  private void configure(SubscriptionSpec spec) {
    SubscriptionState state = subscriptions.get(spec.number());
    if (state == null) {
      state = open(spec);
      touch(state);
      return;
    }
    if (spec.maxPerSecond() != state.spec.maxPerSecond()) {
      state.throttle =
          spec.maxPerSecond() == 0 ? null : new Throttle(spec.maxPerSecond(), nowNanos);
    }
    state.spec = spec;
    state.concurrency.max(spec.maxInFlight());
    touch(state);
  }

  private SubscriptionState open(SubscriptionSpec spec) {
    byte[] stored = store.get(Keys.ofSubscription(Keys.LEDGER, spec.number()));
    Counters counters = counters(spec.number(), stored);
    Throttle throttle =
        spec.maxPerSecond() == 0
            ? null
            : stored == null
                ? new Throttle(spec.maxPerSecond(), nowNanos)
                : Throttle.reopened(spec.maxPerSecond(), nowNanos);
    SubscriptionState state = new SubscriptionState(spec, counters, throttle, readAhead);
    subscriptions.put(spec.number(), state);
    history.opened(counters);
    enqueue(state);
    if (counters.recounted) {
      touch(state);
    }
    return state;
  }

  private Counters counters(long number, byte @Nullable [] stored) {
    if (stored == null) {
      return new Counters();
    }
    Counters counters = Counters.read(stored);
    return counters != null ? counters : Quarantine.recount(store, number);
  }

  private Counters closedCounters() {
    byte[] stored = store.get(Keys.CLOSED_LEDGER);
    Counters counters = stored == null ? null : Counters.read(stored);
    // One that cannot be read is a sum of the past, on which no delivery depends.
    return counters != null ? counters : new Counters();
  }

  /** A removal that a crash has interrupted goes on. */
  private void adoptOrphans() {
    try (Store.Cursor cursor =
        store.range(Keys.kind(Keys.LEDGER), Keys.after(Keys.kind(Keys.LEDGER)))) {
      while (cursor.next()) {
        long number = Keys.subscription(cursor.key());
        if (!subscriptions.containsKey(number)) {
          SubscriptionSpec none =
              new SubscriptionSpec(
                  number, new RetryPolicy(Backoff.none(), 0, Duration.ZERO), 0, 0, true, 1);
          SubscriptionState state =
              new SubscriptionState(none, counters(number, cursor.value()), null, readAhead);
          state.removing = true;
          subscriptions.put(number, state);
          history.opened(state.counters);
          removing.add(state);
        }
      }
    }
  }

  private void publish(ShardInput.Publish publish) {
    MessageId message = publish.message();
    if (publish.keyed()) {
      Integer before = idempotency.acceptedBefore(message, publish.subscriptions().length);
      if (before != null) {
        answers.add(() -> publish.reply().complete(new ShardInput.Accepted(before, true)));
        return;
      }
    }
    byte[] payload = publish.payload();
    boolean inline =
        payload.length <= PayloadRecord.MAX_INLINE_BYTES
            && publish.subscriptions().length <= MAX_INLINE_COPIES;
    // A lifetime counts from acceptance: an idempotency key may bring an older id.
    long since = Math.max(message.publishedAtMillis(), nowMillis);
    Pending pending = Pending.first(message, since, inline ? payload : null);
    byte[] value = pending.encode();
    int accepted = 0;
    for (long number : publish.subscriptions()) {
      SubscriptionState state = subscriptions.get(number);
      if (state == null || state.removing) {
        continue;
      }
      batch.put(pending.key(number), value);
      state.counters.accepted++;
      state.counters.pending++;
      accepted++;
      await(state, pending);
    }
    if (!inline && accepted > 0) {
      payloads.add(message, payload, accepted);
    }
    if (publish.keyed()) {
      idempotency.accepted(message, accepted, batch);
    }
    ShardInput.Accepted answer = new ShardInput.Accepted(accepted, false);
    answers.add(() -> publish.reply().complete(answer));
  }

  private void complete(ShardInput.Completed completed) {
    Claim claim = completed.claim();
    SubscriptionState state = subscriptions.get(claim.subscription());
    if (state == null || state.inFlight.remove(claim.message()) == null) {
      // The subscription was removed meanwhile, and the ledger has counted this as discarded.
      places.ended(PACE_OF_REMOVED, claim.payload().length);
      return;
    }
    places.ended(state.pace(), claim.payload().length);
    AttemptOutcome outcome = completed.outcome();
    if (!outcome.made()) {
      giveBack(state, claim);
      return;
    }
    state.leftThisTurn.add(claim.message());
    pace(state, Pace.of(outcome.durationNanos()));
    places.observe(nowNanos - claim.startedNanos(), outcome.durationNanos());
    observe(state.concurrency, outcome);
    state.concurrency.occupied(state.inFlight.size(), nowNanos);
    long endedAt = Math.min(completed.endedAtMillis(), nowMillis);
    state.counters.attempts++;
    batch.delete(claim.pending().key(claim.subscription()));
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      state.counters.pending--;
      state.counters.delivered++;
      release(claim.pending());
      log(state, claim, outcome, endedAt, new DeliveryState(Status.DELIVERED, endedAt, null), null);
      touch(state);
      return;
    }
    pause(state, failure, endedAt);
    SubscriptionSpec spec = state.spec;
    RetryDecision decision =
        spec.policy()
            .decide(
                claim.pending().retries(),
                failure,
                /* idempotent: at least once with a stable id is the contract */ true,
                remainingNanos(spec.deadlineMillis(claim.pending().sinceMillis()), endedAt),
                random);
    if (decision instanceof RetryDecision.Retry retry) {
      retry(state, claim, outcome, endedAt, retry);
    } else if (decision instanceof RetryDecision.Stop stop) {
      DeliveryState after =
          giveUp(
              state, claim.pending(), claim.attempt(), stop.reason(), outcome.summary(), endedAt);
      log(state, claim, outcome, endedAt, after, null);
    }
    touch(state);
  }

  /** The attempt was not made, for a reason of this process: the delivery stays as it is stored. */
  private void giveBack(SubscriptionState state, Claim claim) {
    state.concurrency.occupied(state.inFlight.size(), nowNanos);
    state.heldUntilMillis = nowMillis + GIVEN_BACK_MILLIS;
    state.addedThisTurn(claim.pending().dueMillis(), claim.message());
    touch(state);
  }

  private void pace(SubscriptionState state, Pace pace) {
    places.moved(state.inFlight.size(), state.pace(), pace);
    state.counters.pace = pace;
  }

  private void observe(Concurrency concurrency, AttemptOutcome outcome) {
    RetryInfo failure = outcome.failure();
    if (failure == null) {
      concurrency.succeeded(outcome.durationNanos(), nowNanos);
    } else if (failure.isRetrySafe() != RetrySafety.NO) {
      // A refusal of this one message says nothing about the endpoint's health.
      concurrency.failed(nowNanos);
    }
  }

  private static void pause(SubscriptionState state, RetryInfo failure, long endedAt) {
    Duration hint = failure.retryAfter();
    if (hint != null && failure.isThrottle()) {
      long pause = Math.min(ceilMillis(hint), MAX_PAUSE_MILLIS);
      state.counters.pausedUntilMillis =
          Math.max(state.counters.pausedUntilMillis, endedAt + pause);
    }
  }

  private void retry(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      long endedAt,
      RetryDecision.Retry retry) {
    long due = endedAt + ceilMillis(retry.delayNanos());
    DueReason reason =
        new DueReason(
            DueReason.Kind.RETRY,
            retry.retry(),
            state.spec.stageOf(retry.retry()),
            ceilMillis(retry.backoffNanos()),
            retry.hintNanos() < 0 ? -1 : ceilMillis(retry.hintNanos()));
    Pending before = claim.pending();
    Pending pending =
        new Pending(
            before.message(),
            due,
            claim.attempt(),
            retry.retry(),
            before.sinceMillis(),
            reason,
            before.payload());
    batch.put(pending.key(claim.subscription()), pending.encode());
    await(state, pending);
    log(state, claim, outcome, endedAt, new DeliveryState(Status.PENDING, due, null), reason);
  }

  /** The one way out for what is not delivered. */
  private DeliveryState giveUp(
      SubscriptionState state,
      Pending pending,
      int attempts,
      StopReason reason,
      String summary,
      long endedAt) {
    givenUp.add(new GivenUp(state.spec.number(), pending.message(), attempts, reason, summary));
    state.counters.pending--;
    boolean expired = reason == StopReason.DEADLINE;
    boolean kept = !state.spec.discard();
    if (kept) {
      Dead dead =
          new Dead(pending.message(), endedAt, attempts, reason, summary, pending.payload());
      batch.put(dead.key(state.spec.number()), dead.encode());
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

  private void log(
      SubscriptionState state,
      Claim claim,
      AttemptOutcome outcome,
      long endedAt,
      DeliveryState after,
      @Nullable DueReason due) {
    LoggedOutcome logged =
        new LoggedOutcome(
            outcome.succeeded(),
            outcome.status(),
            outcome.summary(),
            outcome.address(),
            outcome.response(),
            outcome.durationNanos());
    log(
        state,
        claim.message(),
        new HistoryEvent(HistoryEvent.Kind.ATTEMPT, endedAt, claim.attempt(), logged, after, due));
  }

  private void log(SubscriptionState state, MessageId message, HistoryEvent event) {
    history.log(batch, state, message, event);
  }

  private void release(Pending pending) {
    if (pending.payload() == null) {
      payloads.release(pending.message());
    }
  }

  private void inspect(ShardInput.Inspect inspect) {
    SubscriptionState state = subscriptions.get(inspect.subscription());
    if (state == null || state.removing) {
      inspect.reply().fail(new ShardInput.NoSubscriptionException());
      return;
    }
    Throttle throttle = state.throttle;
    long throttledNanos = throttle == null ? 0 : Math.max(0, throttle.waitNanos(nowNanos));
    Pending ahead = state.ready.peek();
    long nextDue = ahead != null ? ahead.dueMillis() : state.nextDue;
    ShardInput.EndpointHealth health =
        new ShardInput.EndpointHealth(
            state.inFlight.size(),
            state.concurrency.limit(),
            state.spec.maxInFlight(),
            state.concurrency.reason(),
            ceilMillis(throttledNanos),
            state.counters.pausedUntilMillis > nowMillis ? state.counters.pausedUntilMillis : 0,
            nextDue == Long.MAX_VALUE ? -1 : nextDue,
            Set.copyOf(state.inFlight.keySet()));
    answers.add(() -> inspect.reply().complete(health));
  }

  // --- dead letters and removals -----------------------------------------------------------

  private interface Walk {
    ShardInput.SweepProgress run(DeadLetterWalk walk);
  }

  private void walk(
      ShardInput input, long number, Reply<ShardInput.SweepProgress> reply, Walk walk) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      reply.fail(new ShardInput.NoSubscriptionException());
      return;
    }
    if (state.swept) {
      // A second walk in one turn would see the dead letters that the first has just moved.
      deferred.add(input);
      return;
    }
    state.swept = true;
    DeadLetterWalk walker =
        new DeadLetterWalk(
            store, batch, payloads, history, state, nowMillis, pending -> await(state, pending));
    touch(state);
    try {
      ShardInput.SweepProgress progress = walk.run(walker);
      answers.add(() -> reply.complete(progress));
    } catch (DeadLetterWalk.FilterFailedException e) {
      answers.add(() -> reply.fail(e));
    }
  }

  /** A part of the pending deliveries that wait for a later time becomes due. */
  private void attemptNow(ShardInput.AttemptNow request) {
    SubscriptionState state = subscriptions.get(request.subscription());
    if (state == null || state.removing) {
      request.reply().fail(new ShardInput.NoSubscriptionException());
      return;
    }
    if (state.swept) {
      // A second walk in one turn would see what the first has just moved.
      deferred.add(request);
      return;
    }
    state.swept = true;
    touch(state);
    state.counters.pausedUntilMillis = 0;
    ShardInput.SweepProgress progress = hasten(state, request);
    answers.add(() -> request.reply().complete(progress));
  }

  private ShardInput.SweepProgress hasten(SubscriptionState state, ShardInput.AttemptNow request) {
    long number = state.spec.number();
    ShardInput.Position start = request.from();
    byte[] from =
        start == null
            ? Keys.timed(Keys.PENDING, number, nowMillis + 1)
            : Keys.timed(Keys.PENDING, number, start.atMillis(), start.message());
    byte[] to = Keys.after(Keys.ofSubscription(Keys.PENDING, number));
    int changed = 0;
    int seen = 0;
    try (Store.Cursor cursor = store.range(from, to)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        MessageId message = Keys.message(key);
        if (seen++ == request.limit()) {
          return new ShardInput.SweepProgress(
              changed, new ShardInput.Position(Keys.time(key), message));
        }
        boolean wanted = request.message() == null || request.message().equals(message);
        boolean waits =
            !state.inFlight.containsKey(message) && !state.leftThisTurn.contains(message);
        if (wanted && waits && Keys.time(key) > nowMillis && hasten(state, key, cursor.value())) {
          changed++;
        }
      }
    }
    return new ShardInput.SweepProgress(changed, null);
  }

  /** Whether it is due now; if not, it could not be read. */
  private boolean hasten(SubscriptionState state, byte[] key, byte[] value) {
    Pending before;
    try {
      before = Pending.decode(key, value);
    } catch (RuntimeException e) {
      quarantine(state, key, value, String.valueOf(e.getMessage()));
      return false;
    }
    state.leftThisTurn.add(before.message());
    batch.delete(key);
    Pending pending =
        new Pending(
            before.message(),
            nowMillis,
            before.attempts(),
            before.retries(),
            before.sinceMillis(),
            DueReason.REQUESTED,
            before.payload());
    batch.put(pending.key(state.spec.number()), pending.encode());
    log(
        state,
        pending.message(),
        new HistoryEvent(
            HistoryEvent.Kind.REQUESTED,
            nowMillis,
            pending.attempts(),
            null,
            new DeliveryState(Status.PENDING, nowMillis, null),
            DueReason.REQUESTED));
    await(state, pending);
    return true;
  }

  /** Dead letters that were kept for long enough; not in a turn in which a walk has moved some. */
  private byte @Nullable [] retire(long number, byte[] from, long beforeMillis, int limit) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      return null;
    }
    if (state.swept) {
      return from;
    }
    DeadLetterWalk walk =
        new DeadLetterWalk(
            store, batch, payloads, history, state, nowMillis, pending -> await(state, pending));
    touch(state);
    ShardInput.Position start = new ShardInput.Position(Keys.time(from), Keys.message(from));
    ShardInput.SweepProgress progress =
        walk.retire(
            new ShardInput.SweepRequest(DeadLetterFilter.ALL, beforeMillis, start, limit, 0, 0));
    ShardInput.Position next = progress.next();
    return next == null
        ? null
        : Keys.timed(Keys.DEAD_LETTER, number, next.atMillis(), next.message());
  }

  private void remove(long number) {
    SubscriptionState state = subscriptions.get(number);
    if (state == null || state.removing) {
      return;
    }
    state.removing = true;
    disarm(state);
    places.moved(state.inFlight.size(), state.pace(), PACE_OF_REMOVED);
    state.inFlight.clear();
    state.ready.clear();
    removing.add(state);
  }

  private void continueRemovals() {
    int budget = REMOVALS_PER_TURN;
    while (!removing.isEmpty() && budget > 0) {
      SubscriptionState state = removing.get(0);
      DeadLetterWalk walk =
          new DeadLetterWalk(store, batch, payloads, history, state, nowMillis, pending -> {});
      budget = walk.discardAll(budget);
      byte[] ledgerKey = Keys.ofSubscription(Keys.LEDGER, state.spec.number());
      if (budget > 0) {
        removing.remove(0);
        subscriptions.remove(state.spec.number());
        history.closed(state.counters);
        closed.add(state.counters);
        batch.delete(ledgerKey);
        batch.put(Keys.CLOSED_LEDGER, closed.encode());
      } else {
        batch.put(ledgerKey, state.counters.encode());
      }
    }
  }

  // --- what is attempted -------------------------------------------------------------------

  /** A pending delivery was written in this turn. */
  private void await(SubscriptionState state, Pending pending) {
    if (pending.dueMillis() <= nowMillis && state.hasNoBacklog(nowMillis)) {
      state.fresh.add(pending);
      enqueue(state);
    } else {
      state.addedThisTurn(pending.dueMillis(), pending.message());
    }
    touch(state);
  }

  private void fireTimers() {
    while (!timers.isEmpty() && timers.first().atMillis() <= nowMillis) {
      SubscriptionState state = timers.pollFirst().state();
      state.timerAtMillis = Long.MAX_VALUE;
      enqueue(state);
    }
  }

  private void enqueue(SubscriptionState state) {
    if (!state.removing) {
      runQueue.add(state);
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

  /** For tests: how many alarms are set. */
  int armedTimers() {
    return timers.size();
  }

  /** For tests: how much of the backlog is in memory. */
  long readAheadBytes() {
    return readAhead.bytes();
  }

  private void dispatch() {
    findHanging();
    int visits = settings.claimsPerTurn();
    while (visits > 0 && claims.size() < settings.claimsPerTurn()) {
      SubscriptionState state = runQueue.poll(places::hasRoom);
      if (state == null) {
        return;
      }
      visits--;
      if (!state.removing && visit(state)) {
        enqueue(state);
      }
    }
  }

  /**
   * While prompt endpoints wait for a place, those among them that have begun to hang are found,
   * and what they hold no longer counts as theirs.
   */
  private void findHanging() {
    if (!isSaturated() || nowMillis < hangingCheckedAtMillis + HANGING_CHECK_MILLIS) {
      return;
    }
    hangingCheckedAtMillis = nowMillis;
    for (SubscriptionState state : subscriptions.values()) {
      if (state.pace() == Pace.PROMPT && !state.inFlight.isEmpty()) {
        Claim oldest = state.inFlight.values().iterator().next();
        if (Pace.hangs(nowNanos - oldest.startedNanos())) {
          pace(state, Pace.HANGING);
        }
      }
    }
  }

  /** Whether prompt endpoints wait for places that no single one of them holds up. */
  private boolean isSaturated() {
    return !places.hasRoom(Pace.PROMPT) && runQueue.hasWork(pace -> pace == Pace.PROMPT);
  }

  /** Starts what may start now; true if the subscription has more that may start at once. */
  private boolean visit(SubscriptionState state) {
    SubscriptionSpec spec = state.spec;
    for (int i = 0; i < settings.claimsPerVisit(); i++) {
      long silentUntil = silentUntilMillis(state);
      if (silentUntil > nowMillis && spec.lifetimeMillis() == 0) {
        // Nothing of it can expire, so it is not even read.
        armAfterSilence(state, silentUntil);
        keepLittle(state, silentUntil);
        return false;
      }
      Pending pending = peek(state);
      if (pending == null) {
        if (state.nextDue != Long.MAX_VALUE) {
          arm(state, state.nextDue);
        }
        return false;
      }
      long deadline = spec.deadlineMillis(pending.sinceMillis());
      if (nowMillis > deadline) {
        poll(state);
        expire(state, pending);
        continue;
      }
      long blockedUntil = blockedUntilMillis(state, silentUntil);
      if (blockedUntil > nowMillis) {
        // What waits behind a block still expires in time.
        arm(state, Math.min(blockedUntil, deadline == Long.MAX_VALUE ? deadline : deadline + 1));
        keepLittle(state, blockedUntil);
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

  /** A timer for the end of the silence; none if a completion ends it, or nothing waits. */
  private void armAfterSilence(SubscriptionState state, long silentUntil) {
    boolean isDue = !state.fresh.isEmpty() || !state.ready.isEmpty();
    if (silentUntil != Long.MAX_VALUE && (isDue || state.nextDue != Long.MAX_VALUE)) {
      arm(state, isDue ? silentUntil : Math.max(silentUntil, state.nextDue));
    }
  }

  /** Memory is for what can start soon. */
  private void keepLittle(SubscriptionState state, long blockedUntil) {
    boolean endsSoon =
        blockedUntil == Long.MAX_VALUE || blockedUntil - nowMillis <= SHORT_BLOCK_MILLIS;
    if (!endsSoon || readAhead.isSpent()) {
      state.dropReadAhead();
    }
  }

  /**
   * Until when nothing of this subscription may start, whatever the throttle says; {@code
   * Long.MAX_VALUE}: until a completion.
   */
  private static long silentUntilMillis(SubscriptionState state) {
    return state.room() <= 0
        ? Long.MAX_VALUE
        : Math.max(state.counters.pausedUntilMillis, state.heldUntilMillis);
  }

  private long blockedUntilMillis(SubscriptionState state, long silentUntil) {
    if (silentUntil > nowMillis) {
      return silentUntil;
    }
    Throttle throttle = state.throttle;
    long wait = throttle == null ? 0 : throttle.waitNanos(nowNanos);
    return wait <= 0 ? nowMillis : nowMillis + ceilMillis(wait);
  }

  private void claim(SubscriptionState state, Pending pending) {
    byte[] inline = pending.payload();
    byte[] payload = inline != null ? inline : payloads.find(pending.message());
    if (payload == null) {
      quarantine(state, pending.key(state.spec.number()), pending.encode(), "its payload is gone");
      return;
    }
    if (state.throttle != null) {
      state.throttle.start(nowNanos);
    }
    Claim claim =
        new Claim(
            state.spec.number(),
            pending.message(),
            pending.attempts() + 1,
            payload,
            pending,
            nowNanos);
    state.inFlight.put(pending.message(), claim);
    places.started(state.pace(), payload.length);
    state.concurrency.occupied(state.inFlight.size(), nowNanos);
    claims.add(claim);
  }

  /**
   * A pending delivery that cannot be read is kept as a dead letter, whatever else is discarded.
   */
  private void quarantine(SubscriptionState state, byte[] key, byte[] record, String why) {
    long number = state.spec.number();
    MessageId message = Keys.message(key);
    state.leftThisTurn.add(message);
    batch.delete(key);
    Dead dead = Quarantine.deadLetter(store, number, message, record, nowMillis, why);
    batch.put(dead.key(number), dead.encode());
    state.counters.pending--;
    state.counters.deadLettered++;
    givenUp.add(new GivenUp(number, message, dead.attempts(), StopReason.UNREADABLE, why));
    log(
        state,
        message,
        new HistoryEvent(
            HistoryEvent.Kind.UNREADABLE,
            nowMillis,
            dead.attempts(),
            null,
            new DeliveryState(Status.DEAD_LETTERED, nowMillis, StopReason.UNREADABLE),
            null));
    touch(state);
  }

  private void expire(SubscriptionState state, Pending pending) {
    state.leftThisTurn.add(pending.message());
    batch.delete(pending.key(state.spec.number()));
    DeliveryState after =
        giveUp(
            state,
            pending,
            pending.attempts(),
            StopReason.DEADLINE,
            "lifetime of " + state.spec.lifetimeMillis() + " ms passed while waiting",
            nowMillis);
    log(
        state,
        pending.message(),
        new HistoryEvent(
            HistoryEvent.Kind.EXPIRED, nowMillis, pending.attempts(), null, after, null));
    touch(state);
  }

  /** The next delivery that is due, without taking it; null if none is due now. */
  private @Nullable Pending peek(SubscriptionState state) {
    Pending fresh = state.fresh.peek();
    if (fresh != null) {
      return fresh;
    }
    if (state.ready.isEmpty() && state.nextDue <= nowMillis) {
      scan(state);
    }
    return state.ready.peek();
  }

  private static void poll(SubscriptionState state) {
    if (state.fresh.poll() == null) {
      state.ready.poll();
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
        if (due > nowMillis || state.ready.size() >= most || bytes > READ_AHEAD_BYTES) {
          return;
        }
        byte[] value = cursor.value();
        bytes += value.length;
        try {
          state.ready.add(Pending.decode(key, value));
        } catch (RuntimeException e) {
          quarantine(state, key, value, String.valueOf(e.getMessage()));
        }
      }
    }
    state.nextDue = Long.MAX_VALUE;
  }

  // --- the end of a turn -------------------------------------------------------------------

  private void touch(SubscriptionState state) {
    if (!state.touched) {
      state.touched = true;
      touched.add(state);
    }
  }

  private Turn finish() {
    for (SubscriptionState state : touched) {
      state.touched = false;
      state.swept = false;
      if (subscriptions.get(state.spec.number()) != state) {
        continue;
      }
      state.foldTurn(nowMillis);
      batch.put(Keys.ofSubscription(Keys.LEDGER, state.spec.number()), state.counters.encode());
      reschedule(state);
    }
    touched.clear();
    payloads.writeTo(batch);
    idempotency.endTurn();
    history.endTurn();
    if (!batch.isEmpty() && nowMillis - clockStoredAtMillis >= CLOCK_INTERVAL_MILLIS) {
      clockStoredAtMillis = nowMillis;
      batch.put(Keys.CLOCK, new Wire.Writer(9).number(nowMillis).toBytes());
    }
    boolean saturated = isSaturated();
    Turn turn = new Turn(batch, claims, answers, givenUp, saturated, wakeAtMillis());
    batch = new Batch();
    claims = new ArrayList<>();
    answers = new ArrayList<>();
    givenUp = new ArrayList<>();
    return turn;
  }

  private void reschedule(SubscriptionState state) {
    boolean due = !state.ready.isEmpty() || state.nextDue <= nowMillis;
    if (due && (state.room() > 0 || state.spec.lifetimeMillis() > 0)) {
      enqueue(state);
    } else if (!due && !state.removing && state.nextDue != Long.MAX_VALUE) {
      arm(state, state.nextDue);
    }
  }

  private long wakeAtMillis() {
    boolean more = runQueue.hasWork(places::hasRoom);
    if (more || !deferred.isEmpty() || !removing.isEmpty() || sweeper.isUnderWay()) {
      return nowMillis;
    }
    long timer = timers.isEmpty() ? Long.MAX_VALUE : timers.first().atMillis();
    if (isSaturated()) {
      timer = Math.min(timer, hangingCheckedAtMillis + HANGING_CHECK_MILLIS);
    }
    return Math.min(timer, sweeper.nextMillis());
  }

  private static long remainingNanos(long deadlineMillis, long nowMillis) {
    if (deadlineMillis == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    long millis = Math.max(0, deadlineMillis - nowMillis);
    return millis > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
  }

  /** Rounds up: what is stored in milliseconds must never be earlier than what was decided. */
  private static long ceilMillis(long nanos) {
    return nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1);
  }

  private static long ceilMillis(Duration duration) {
    try {
      return ceilMillis(duration.toNanos());
    } catch (ArithmeticException e) {
      return duration.toMillis();
    }
  }
}
