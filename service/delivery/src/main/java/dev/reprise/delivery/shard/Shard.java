package dev.reprise.delivery.shard;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * All deliveries of some subscriptions: decides what is stored and what is attempted when. A pure
 * step function: {@link #turn} takes what has happened and the time, reads the store, and returns
 * writes and attempts. It never blocks on a network, never reads a clock and never writes by
 * itself; the host does, in the order that {@link Turn} states.
 *
 * <p><b>What survives.</b> Everything that was answered is in a batch that was durable before the
 * answer. A claim is stored only to say later that it was under way ({@link UnderWay}), and the
 * outcome of an attempt is one batch. So a crash repeats what was in flight and nothing else.
 *
 * <p><b>What a turn sees.</b> Reads see the store as the previous turn left it. What this turn
 * writes is therefore kept in memory where this turn may need it: {@link SubscriptionState#fresh},
 * {@link SharedPayloads}, {@link Receipts}, and {@link SubscriptionState#leftThisTurn}. Each turn's
 * batch must be durable before the next turn begins.
 *
 * <p><b>Division of work.</b> All take part in one {@link Step} and add to its batch. {@link
 * Outcomes} decides what an attempt's outcome means, {@link Endings} takes out what is not
 * delivered, {@link Dispatch} decides which attempts start when, {@link Refusals} notices when
 * everything is refused alike, {@link Holds} suspends and releases, {@link Operations} and {@link
 * Removals} carry out what is asked from outside. Each uses only those that it was given: endings
 * use none of them, dispatch uses endings, the others use both.
 *
 * <p>Not safe for use by several threads.
 */
public final class Shard {
  /** With more deliveries than this, even a small payload is shared. */
  private static final int MAX_INLINE_COPIES = 100;

  private static final long CLOCK_INTERVAL_MILLIS = 1000;

  private final Store store;
  private final ShardSettings settings;
  private final SharedPayloads payloads;
  private final IdempotencyKeys idempotency;
  private final History history;
  private final Receipts receipts;
  private final Sweeper sweeper;
  private final Minutes minutes;

  private final Map<Long, SubscriptionState> subscriptions = new HashMap<>();
  private final Step step;
  private final TakenLogs takenLogs;
  private final Dispatch dispatch;
  private final DeadLetterBudget deadLetters;
  private final Holds holds;
  private final Refusals refusals;
  private final UnderWay underWay;
  private final Outcomes outcomes;
  private final Operations operations;
  private final Removals removals;
  private final Inputs inputs = new Inputs();
  private List<ShardInput> deferred = new ArrayList<>();

  private long clockStoredAtMillis;

  /**
   * Opens a shard over what {@code store} holds. {@code nowMillis} is wall time and must not be
   * before {@link #storedClockMillis}; {@code nowNanos} is monotonic. {@code groups} are those that
   * have limits of their own.
   */
  public Shard(
      Store store,
      ShardSettings settings,
      RandomGenerator random,
      Collection<SubscriptionSpec> specs,
      Collection<GroupSpec> groups,
      long nowMillis,
      long nowNanos) {
    this(store, settings, MinuteSettings.DEFAULT, random, specs, groups, nowMillis, nowNanos);
  }

  /** The same with other bounds of the figures that are kept. */
  public Shard(
      Store store,
      ShardSettings settings,
      MinuteSettings minuteSettings,
      RandomGenerator random,
      Collection<SubscriptionSpec> specs,
      Collection<GroupSpec> groups,
      long nowMillis,
      long nowNanos) {
    this.store = store;
    this.settings = settings;
    this.payloads = new SharedPayloads(store);
    this.idempotency = new IdempotencyKeys(store, settings.idempotencyMillis());
    this.history = new History(store, settings.historyBytes());
    this.step = new Step(nowMillis, nowNanos);
    this.takenLogs = new TakenLogs(store, step);
    this.deadLetters = new DeadLetterBudget(settings.deadLetterBytes());
    this.minutes =
        new Minutes(store, step, minuteSettings, subscriptions, settings.sweepIntervalMillis());
    Endings endings = new Endings(store, step, payloads, history, deadLetters);
    this.underWay = new UnderWay(store, step);
    this.dispatch =
        new Dispatch(
            store, settings, step, payloads, endings, underWay, subscriptions.values(), groups);
    this.receipts = new Receipts(store, step, history, subscriptions);
    this.refusals = new Refusals(store, settings, step, dispatch);
    this.holds = new Holds(store, step, endings, dispatch, refusals, subscriptions);
    this.outcomes =
        new Outcomes(
            step,
            random,
            endings,
            dispatch,
            receipts,
            holds,
            refusals,
            underWay,
            minutes,
            subscriptions);
    this.operations =
        new Operations(
            store,
            step,
            payloads,
            history,
            deadLetters,
            endings,
            dispatch,
            refusals,
            minutes,
            subscriptions);
    this.removals =
        new Removals(
            store, step, payloads, history, deadLetters, holds, dispatch, minutes, subscriptions);
    for (SubscriptionSpec spec : specs) {
      open(spec);
    }
    removals.adoptOrphans();
    dispatch.groups().forgetUnused();
    this.sweeper =
        new Sweeper(store, settings, history, receipts, subscriptions, step::touch, nowMillis);
  }

  /**
   * Returns the wall time up to which the store has seen the clock, 0 if never. A clock that was
   * set back while the process was down must not run behind it: due times would seem further away.
   */
  public static long storedClockMillis(Store store) {
    byte[] stored = store.get(Keys.CLOCK);
    try {
      return stored == null ? 0 : new RecordCodec.Reader(stored).number();
    } catch (RuntimeException unreadable) {
      return 0;
    }
  }

  /** Returns whether a key of a shard is of the kind that {@code Batch.putOnce} writes. */
  public static boolean isShortLived(byte[] key) {
    return key[0] == Keys.PENDING;
  }

  /**
   * Returns the place in its log up to which the store has what followed, -1 if there is none: the
   * inputs behind it are to be given again, those before it are not.
   */
  public static long takenUpTo(Store store) {
    return place(store, Keys.TAKEN);
  }

  /**
   * Returns the place up to which {@link ShardInput.OpenTaken} has passed the second log, -1 if it
   * has not.
   */
  public static long openTakenUpTo(Store store) {
    return place(store, Keys.OPEN_TAKEN);
  }

  /** Returns the place up to which one of the logs is taken, -1 if there is none. */
  public static long takenUpTo(Store store, IntakeLog log) {
    return place(store, Keys.taken(log));
  }

  private static long place(Store store, byte[] key) {
    byte[] stored = store.get(key);
    return stored == null ? -1 : new RecordCodec.Reader(stored).number();
  }

  /**
   * Sets, from the next step on, whether the disk has less free space than is kept in reserve: then
   * no responses are kept in the history, and the oldest history is removed until there is space;
   * when none is left, the oldest figures of minutes.
   */
  public void spaceIsShort(boolean isShort) {
    history.spaceIsShort(isShort);
  }

  /** Sets, from the next step on, whether nothing more is to start. */
  public void draining(boolean isDraining) {
    dispatch.draining(isDraining);
  }

  /**
   * Notes that the next step is the last one: figures of the present minute are written with it.
   */
  public void stopping() {
    minutes.stopping();
  }

  /** Makes one step. The time must not run backwards from one step to the next. */
  public Turn turn(List<ShardInput> inputs, long nowMillis, long nowNanos) {
    step.begin(nowMillis, nowNanos);
    removals.step();
    // First, so that what this turn writes anew wins over what the sweep removes.
    sweeper.step(step.batch, nowMillis);
    holds.step();
    minutes.sweep(history.hasGivenWay());
    List<ShardInput> earlier = deferred;
    deferred = new ArrayList<>();
    applyWhileThereIsRoom(earlier);
    applyWhileThereIsRoom(inputs);
    dispatch.fireTimers();
    dispatch.run();
    sweeper.retire(operations::retire, nowMillis);
    deadLetters.step(subscriptions, operations::retire, nowMillis);
    return finish();
  }

  /**
   * Returns whether these inputs may be taken in a little later without delaying anything: all of
   * them tell of deliveries that have arrived, and no other delivery could start once they are
   * known. Changes nothing.
   */
  public boolean canWait(List<ShardInput> inputs, long nowMillis) {
    if (!deferred.isEmpty() || !dispatch.isIdle()) {
      return false;
    }
    for (ShardInput input : inputs) {
      if (!(input instanceof ShardInput.Completed completed)
          || !completed.outcome().made()
          || completed.outcome().failure() != null
          || completed.outcome().block() != null) {
        return false;
      }
      SubscriptionState state = subscriptions.get(completed.claim().subscription());
      if (dispatch.groups().holdsUp(state, completed.claim())
          || (state != null && !state.hasNoBacklog(nowMillis))) {
        return false;
      }
    }
    return true;
  }

  private void applyWhileThereIsRoom(List<ShardInput> given) {
    for (ShardInput input : given) {
      if (step.batch.bytes() + payloads.addedBytes() < settings.maxBatchBytes()) {
        input.accept(inputs);
      } else {
        deferred.add(input);
      }
    }
  }

  /** Returns what was taken in and not looked at: a host that gives up must refuse it. */
  public List<ShardInput> deferred() {
    return List.copyOf(deferred);
  }

  /** Takes each kind of input to where it belongs. */
  private final class Inputs implements ShardInput.Visitor {
    @Override
    public void visit(ShardInput.Configure input) {
      configure(input.spec());
    }

    @Override
    public void visit(ShardInput.ConfigureGroup input) {
      dispatch.groups().configure(input.spec());
    }

    @Override
    public void visit(ShardInput.Unblock input) {
      dispatch.groups().unblock(input.group());
    }

    @Override
    public void visit(ShardInput.Resume input) {
      refusals.resume(input, subscriptions.values());
    }

    @Override
    public void visit(ShardInput.Remove input) {
      removals.remove(input.subscription());
    }

    @Override
    public void visit(ShardInput.Publish input) {
      publish(input);
    }

    @Override
    public void visit(ShardInput.Reserve input) {
      idempotency.reserve(input, step.nowMillis, step.batch, step.answers);
    }

    @Override
    public void visit(ShardInput.Taken input) {
      input.publishes().forEach(Shard.this::publish);
      takenLogs.taken(input.position());
    }

    @Override
    public void visit(ShardInput.Lost input) {
      takenLogs.lost(input);
    }

    @Override
    public void visit(ShardInput.AcknowledgeLost input) {
      takenLogs.acknowledge(input);
    }

    @Override
    public void visit(ShardInput.OpenTaken input) {
      takenLogs.openTaken(input.position());
    }

    @Override
    public void visit(ShardInput.Stands input) {
      StandRecord.put(step.batch, input.stand());
    }

    @Override
    public void visit(ShardInput.Completed input) {
      outcomes.complete(input);
    }

    @Override
    public void visit(ShardInput.Received input) {
      receipts.received(input);
    }

    @Override
    public void visit(ShardInput.Redrive input) {
      deferUnless(
          operations.walk(input.subscription(), input.reply(), w -> w.redrive(input.request())),
          input);
    }

    @Override
    public void visit(ShardInput.Purge input) {
      deferUnless(
          operations.walk(input.subscription(), input.reply(), w -> w.purge(input.request())),
          input);
    }

    @Override
    public void visit(ShardInput.AttemptNow input) {
      deferUnless(operations.attemptNow(input), input);
    }

    @Override
    public void visit(ShardInput.Cancel input) {
      deferUnless(operations.cancel(input), input);
    }

    @Override
    public void visit(ShardInput.Moved input) {
      deferUnless(operations.moved(input), input);
    }

    @Override
    public void visit(ShardInput.Suspend input) {
      holds.suspend(input);
    }

    @Override
    public void visit(ShardInput.Release input) {
      holds.release(input);
    }

    @Override
    public void visit(ShardInput.Inspect input) {
      operations.inspect(input);
    }

    @Override
    public void visit(ShardInput.PresentMinute input) {
      operations.presentMinute(input);
    }
  }

  private void deferUnless(boolean done, ShardInput input) {
    if (!done) {
      deferred.add(input);
    }
  }

  private void configure(SubscriptionSpec spec) {
    SubscriptionState state = subscriptions.get(spec.number());
    if (state == null) {
      state = open(spec);
      step.touch(state);
      return;
    }
    if (spec.maxPerSecond() != state.spec.maxPerSecond()) {
      state.throttle =
          spec.maxPerSecond() == 0 ? null : new Throttle(spec.maxPerSecond(), step.nowNanos);
    }
    String groupBefore = state.spec.group();
    String heldBefore = state.spec.held();
    state.spec = spec;
    holds.hold(state, heldBefore, spec.held());
    state.concurrency.max(spec.maxInFlight());
    if (!state.removing) {
      if (!spec.group().equals(groupBefore)) {
        dispatch.moved(state, spec.group());
        refusals.moved(state);
      }
      // What was changed may be what all were refused for.
      refusals.tryNow(state);
    }
    step.touch(state);
  }

  private SubscriptionState open(SubscriptionSpec spec) {
    byte[] stored = store.get(Keys.ofSubscription(Keys.LEDGER, spec.number()));
    Counters counters = Quarantine.counters(store, spec.number(), stored);
    Throttle throttle =
        spec.maxPerSecond() == 0
            ? null
            : stored == null
                ? new Throttle(spec.maxPerSecond(), step.nowNanos)
                : Throttle.reopened(spec.maxPerSecond(), step.nowNanos);
    SubscriptionState state =
        new SubscriptionState(
            spec, counters, throttle, dispatch.groups().join(spec.group()), dispatch.readAhead());
    subscriptions.put(spec.number(), state);
    history.opened(counters);
    deadLetters.opened(store, state);
    if (stored == null && spec.startsSuspended()) {
      Suspension created =
          Suspension.of(Suspension.Cause.CREATION, step.nowMillis, "", spec.maxHeld());
      holds.suspend(state, created);
    }
    holds.hold(state, null, spec.held());
    holds.opened(state);
    refusals.opened(state);
    minutes.opened(state);
    dispatch.enqueue(state);
    if (counters.recounted || counters.deadLettersUncounted) {
      step.touch(state);
    }
    return state;
  }

  private void publish(ShardInput.Publish publish) {
    MessageId message = publish.message();
    if (publish.keyed()) {
      Integer before = idempotency.acceptedBefore(message, publish.subscriptions().length);
      if (before != null) {
        step.answers.add(() -> publish.reply().complete(new ShardInput.Accepted(before, true)));
        return;
      }
    }
    byte[] payload = publish.payload();
    boolean inline =
        payload.length <= PayloadRecord.MAX_INLINE_BYTES
            && publish.subscriptions().length <= MAX_INLINE_COPIES;
    // A lifetime counts from acceptance: an idempotency key may bring an older id.
    long since = Math.max(message.publishedAtMillis(), step.nowMillis);
    Pending pending = Pending.first(message, since, inline ? payload : null);
    byte[] value = pending.encode();
    int accepted = 0;
    for (long number : publish.subscriptions()) {
      SubscriptionState state = subscriptions.get(number);
      if (state == null || state.removing) {
        continue;
      }
      step.batch.putOnce(pending.key(number), value);
      state.counters.accepted++;
      state.counters.pending++;
      accepted++;
      dispatch.await(state, pending);
    }
    if (!inline && accepted > 0) {
      payloads.add(message, payload, accepted);
    }
    if (publish.keyed()) {
      idempotency.accepted(message, accepted, step.batch);
    }
    ShardInput.Accepted answer = new ShardInput.Accepted(accepted, false);
    step.answers.add(() -> publish.reply().complete(answer));
  }

  /**
   * Returns what waits because all before it was refused alike. May be called by any thread; what
   * has changed in this moment may be missing.
   */
  public List<RefusalHold> held() {
    return refusals.held();
  }

  /** Returns how many timers are armed; for tests. */
  int armedTimers() {
    return dispatch.armedTimers();
  }

  /** Returns how many subscriptions were ever looked at; for tests. */
  long visits() {
    return dispatch.visits();
  }

  /** Returns how many groups there are; for tests. */
  int groups() {
    return dispatch.groups().size();
  }

  /** Returns how much of the backlog is in memory; for tests. */
  long readAheadBytes() {
    return dispatch.readAhead().bytes();
  }

  private Turn finish() {
    underWay.endTurn();
    for (SubscriptionState state : step.touched) {
      state.touched = false;
      state.swept = false;
      if (subscriptions.get(state.spec.number()) != state) {
        continue;
      }
      state.foldTurn(step.nowMillis);
      if (state.changed) {
        step.batch.put(
            Keys.ofSubscription(Keys.LEDGER, state.spec.number()), state.counters.encode());
      }
      state.changed = false;
      holds.settle(state);
      dispatch.reschedule(state);
    }
    step.touched.clear();
    minutes.endTurn();
    payloads.writeTo(step.batch);
    idempotency.endTurn();
    history.endTurn();
    receipts.endTurn();
    if (!step.batch.isEmpty() && step.nowMillis - clockStoredAtMillis >= CLOCK_INTERVAL_MILLIS) {
      clockStoredAtMillis = step.nowMillis;
      step.batch.put(Keys.CLOCK, new RecordCodec.Writer(9).number(step.nowMillis).toBytes());
    }
    return step.end(dispatch.isSaturated(), wakeAtMillis());
  }

  private long wakeAtMillis() {
    if (!deferred.isEmpty()
        || removals.isUnderWay()
        || sweeper.isUnderWay()
        || minutes.isUnderWay()) {
      return step.nowMillis;
    }
    long atMillis = Math.min(dispatch.wakeAtMillis(), holds.nextMillis());
    atMillis = Math.min(atMillis, deadLetters.nextMillis());
    return atMillis <= step.nowMillis
        ? atMillis
        : Math.min(atMillis, Math.min(sweeper.nextMillis(), minutes.nextMillis()));
  }
}
