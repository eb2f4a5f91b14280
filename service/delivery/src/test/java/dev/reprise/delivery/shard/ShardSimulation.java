package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.testkit.SeededRandom;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One shard, its host, its store, its endpoints and its users in one thread on one virtual clock.
 * Everything follows from the seed, so a seed that fails fails again.
 *
 * <p>The host is the real one in small: it hands a turn all that has happened, makes the batch
 * durable, gives the answers, starts the attempts, and sleeps until the shard wants to wake or
 * something happens. It dies before or after some writes, and between them, and begins again over
 * what the store kept. Reads fail once, writes are reported as failed, and records are damaged.
 */
final class ShardSimulation {
  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int MAX_TURNS = 20_000;

  /** When the process dies. */
  interface CrashPlan {
    /** What happens at this write, counted from 0; null for nothing. */
    SimulatedStore.@Nullable Crash atWrite(int write);
  }

  private record Happening(long atNanos, long order, Runnable action)
      implements Comparable<Happening> {
    @Override
    public int compareTo(Happening other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final Consumer<Supplier<String>> trace;
  private final CrashPlan crashes;
  private final SeededRandom random;
  private final SeededRandom endpointRandom;
  private final SeededRandom shardRandom;
  private final SeededRandom faultRandom;
  private final ShardProgram program;
  private final ShardSettings settings;
  private final MinuteSettings minutes;
  private final SimulatedStore store = new SimulatedStore();
  private final ShardModel model;
  private final TurnCheck check;
  private final Map<Long, SubscriptionSpec> catalog = new TreeMap<>();
  private final Map<String, GroupSpec> groups = new TreeMap<>();
  private final Map<Long, SimulatedEndpoint> endpoints = new HashMap<>();
  private final PriorityQueue<Happening> users = new PriorityQueue<>();
  private final PriorityQueue<Happening> attempts = new PriorityQueue<>();

  /** What carriers report later; they do not know whether the service runs. */
  private final PriorityQueue<Happening> reports = new PriorityQueue<>();

  private long nextReceipt;
  private List<ShardInput> inbox = new ArrayList<>();

  private Shard shard;
  private long nanos;
  private long wallOffsetMillis = START_MILLIS;
  private long monotonicOffsetNanos;
  private long wakeAtMillis;
  private long order;
  private long nextNumber = 1;
  private int turns;
  private int idleTurns;
  private int allIdleTurns;
  private int writes;
  private boolean durable;
  private boolean calm;

  /** Whether the disk is at times nearly full. */
  private final boolean mayFillUp;

  private boolean spaceIsShort;
  private boolean justRestarted;
  private int openPublishes;
  private MessageId lastMessage = new MessageId(0, 0);

  ShardSimulation(long seed, CrashPlan crashes, Consumer<Supplier<String>> trace) {
    SeededRandom seeds = SeededRandom.of(seed);
    this.random = seeds.fork();
    this.endpointRandom = seeds.fork();
    this.shardRandom = seeds.fork();
    this.faultRandom = seeds.fork();
    this.crashes = crashes;
    this.trace = trace;
    this.program = new ShardProgram(random);
    this.settings = program.settings().withHoldAfter(ShardProgram.holdAfter(seed));
    this.minutes = ShardProgram.minutes(seeds.fork());
    this.model = new ShardModel(settings, minutes);
    this.check = new TurnCheck(model, store);
    int subscriptions = 1 + random.nextInt(5);
    for (int i = 0; i < subscriptions; i++) {
      create();
    }
    if (random.nextBoolean()) {
      configureGroup();
    }
    this.mayFillUp = random.nextInt(4) == 0;
    model.historyMayGo |= mayFillUp;
    note(() -> settings.toString());
    this.shard = open();
  }

  /** A seed with crashes at one of some forty writes, or none. */
  static ShardSimulation of(long seed, Consumer<Supplier<String>> trace) {
    SeededRandom dice = SeededRandom.of(~seed);
    int oneIn = new int[] {Integer.MAX_VALUE, 60, 20, 6}[dice.nextInt(4)];
    return new ShardSimulation(
        seed,
        write ->
            dice.nextInt(oneIn) != 0
                ? null
                : dice.nextBoolean() ? SimulatedStore.Crash.BEFORE : SimulatedStore.Crash.AFTER,
        trace);
  }

  /** Runs to the end; an {@link AssertionError} tells what went wrong. */
  ShardSimulation run() {
    long at = 0;
    int steps = 5 + random.nextInt(25);
    for (int i = 0; i < steps; i++) {
      at += program.gapNanos();
      schedule(users, at, this::somethingHappens);
    }
    runUntil(() -> users.isEmpty() && inbox.isEmpty());
    StoreAudit.run(model, store);
    calmDown();
    redriveAll();
    forgetAll();
    return this;
  }

  int turns() {
    return turns;
  }

  int writes() {
    return writes;
  }

  // --- the end: everything that can be delivered is ----------------------------------------

  private void calmDown() {
    note(() -> "all endpoints recover");
    calm = true;
    endpoints.values().forEach(e -> e.mood(SimulatedEndpoint.Mood.HEALTHY));
    catalog.keySet().forEach(number -> inbox.add(release(number)));
    runUntil(model::isIdle);
    StoreAudit.run(model, store);
  }

  private void redriveAll() {
    // Beyond the second by which a clock may have been set back.
    sleepMillis(2000);
    for (SubscriptionSpec spec : catalog.values()) {
      walk(spec.number(), true, new SweepRequest(DeadLetterFilter.ALL, wall(), null, 7, 0, 0));
    }
    runUntil(() -> inbox.isEmpty() && model.isIdle());
    for (ModelSubscription state : model.subscriptions.values()) {
      long unreadable = state.open.values().stream().filter(d -> d.unreadable).count();
      require(state.deadLettered == unreadable, "dead letters of %s after a redrive", state.number);
      require(
          state.open.size() == unreadable || state.spec.lifetimeMillis() > 0,
          "not delivered: %s",
          state.open);
    }
    for (SubscriptionSpec spec : catalog.values()) {
      // What expired again in the redrive, because its lifetime is shorter than its wait.
      sleepMillis(1);
      walk(spec.number(), false, new SweepRequest(DeadLetterFilter.ALL, wall(), null, 50, 0, 0));
    }
    runUntil(() -> inbox.isEmpty() && model.isIdle());
    StoreAudit.run(model, store);
  }

  private void forgetAll() {
    long sweep = settings.sweepIntervalMillis();
    // Figures are swept less often than all else.
    long pass = Math.max(sweep, minutes.keepMillis() / 100);
    long figures = minutes.keepMillis();
    sleepMillis(settings.historyMillis() + settings.idempotencyMillis() + figures + 2 * pass);
    for (int i = 0; i < 3; i++) {
      turnsUntilQuiet();
      sleepMillis(pass + 1);
    }
    turnsUntilQuiet();
    StoreAudit.nothingLeft(store);
    // A sweep has four parts, and a turn that has done something may have to look once more.
    long sweeps = nanos / 1_000_000 / settings.sweepIntervalMillis();
    require(
        allIdleTurns <= 100 + 6 * sweeps + 2L * (turns - allIdleTurns),
        "%s of %s turns did nothing",
        allIdleTurns,
        turns);
  }

  // --- the host -----------------------------------------------------------------------------

  private interface Condition {
    boolean holds();
  }

  private void runUntil(Condition end) {
    turnsUntilQuiet();
    while (!end.holds()) {
      step();
    }
  }

  private void step() {
    long next = wakeAtMillis == Long.MAX_VALUE ? Long.MAX_VALUE : nanosAt(wakeAtMillis);
    next = Math.min(next, nextOf(users));
    next = Math.min(next, nextOf(attempts));
    next = Math.min(next, nextOf(reports));
    require(next != Long.MAX_VALUE, "sleeps for ever over %s", model.subscriptions.values());
    nanos = Math.max(nanos, next);
    if (random.nextInt(4) == 0) {
      // A loaded machine comes late.
      nanos += random.nextLong(3_000_000);
    }
    take(users);
    take(attempts);
    take(reports);
    turnsUntilQuiet();
  }

  private static long nextOf(PriorityQueue<Happening> happenings) {
    Happening next = happenings.peek();
    return next == null ? Long.MAX_VALUE : next.atNanos();
  }

  private void take(PriorityQueue<Happening> happenings) {
    Happening next;
    while ((next = happenings.peek()) != null && next.atNanos() <= nanos) {
      happenings.poll();
      next.action().run();
      if (justRestarted) {
        return;
      }
    }
  }

  private void schedule(PriorityQueue<Happening> happenings, long atNanos, Runnable action) {
    happenings.add(new Happening(atNanos, order++, action));
  }

  private void turnsUntilQuiet() {
    justRestarted = false;
    do {
      turn();
      // Completions come in while the shard is busy.
      if (random.nextInt(8) == 0) {
        nanos += random.nextLong(500_000);
      }
    } while (!inbox.isEmpty() || wakeAtMillis <= wall());
    check.quiet(wall(), nanos, wakeAtMillis);
  }

  private void turn() {
    List<ShardInput> inputs = inbox;
    inbox = new ArrayList<>();
    long now = wall();
    long now2 = nanos;
    if (mayFillUp && !calm && random.nextInt(8) == 0) {
      spaceIsShort = !spaceIsShort;
    }
    spaceIsShort &= !calm;
    shard.spaceIsShort(spaceIsShort);
    model.minutes.spaceIsShort = spaceIsShort;
    Turn turn = shard.turn(inputs, now, nanos + monotonicOffsetNanos);
    turns++;
    require(turns < MAX_TURNS, "does not come to rest: %s", model);
    require(store.openCursors() == 0, "%s cursors were not closed", store.openCursors());
    note(() -> describe(inputs, turn));
    spinning(inputs, turn);
    List<SimulatedStore.Change> changes = new ArrayList<>();
    if (!turn.writes().isEmpty()) {
      SimulatedStore.Crash crash = calm ? null : crashes.atWrite(writes);
      writes++;
      if (crash != null) {
        note(() -> "-- dies " + crash + " the write");
        store.crashAtNextWrite(crash);
      }
      try {
        write(turn.writes(), changes);
      } catch (SimulatedStore.CrashedException e) {
        if (crash == SimulatedStore.Crash.AFTER) {
          check.committed(inputs, now, now2, new ArrayList<>(store.lastChanges()));
        }
        restart();
        return;
      }
    }
    check.committed(inputs, now, now2, changes);
    durable = true;
    turn.answers().forEach(Runnable::run);
    durable = false;
    check.answered();
    check.started(turn.attempts(), now, now2);
    turn.attempts().forEach(this::attempt);
    wakeAtMillis = turn.wakeAtMillis();
    if ((turns & 31) == 0) {
      StoreAudit.run(model, store);
    }
  }

  /**
   * Writes as the real host does: what is refused is written again, and what was refused may have
   * been applied all the same.
   */
  private void write(Batch batch, List<SimulatedStore.Change> changes) {
    boolean refused = faultRandom.nextInt(20) == 0;
    store.write(batch);
    changes.addAll(store.lastChanges());
    if (refused) {
      note(() -> "-- the write was reported as failed, and is repeated");
      store.write(batch.again());
      require(
          store.lastChanges().stream().noneMatch(ShardSimulation::isChange),
          "a repeated batch changes");
    }
  }

  private static boolean isChange(SimulatedStore.Change change) {
    return !Arrays.equals(change.before(), change.after());
  }

  /** A turn for nothing is allowed to find that out, but not again and again. */
  private void spinning(List<ShardInput> inputs, Turn turn) {
    boolean idle =
        inputs.isEmpty()
            && turn.writes().isEmpty()
            && turn.attempts().isEmpty()
            && turn.answers().isEmpty();
    // A shard without space looks again and again for history that may go, and one without places
    // for endpoints that hang.
    allIdleTurns += idle && !spaceIsShort && !turn.saturated() ? 1 : 0;
    idleTurns = idle && turn.wakeAtMillis() <= wall() ? idleTurns + 1 : 0;
    require(idleTurns <= 12, "spins: turn after turn at %s with nothing done", wall());
  }

  private void attempt(Claim claim) {
    SimulatedEndpoint endpoint = endpoints.get(claim.subscription());
    SimulatedEndpoint.Answer answer = endpoint.answer(endpointRandom);
    schedule(attempts, nanos + answer.nanos(), () -> ended(claim, answer.outcome()));
  }

  private void ended(Claim claim, AttemptOutcome outcome) {
    if (!outcome.succeeded() || random.nextInt(4) > 0) {
      inbox.add(new ShardInput.Completed(claim, outcome, wall()));
      if (calm) {
        // This one was under way when all became calm, and may have suspended it again.
        inbox.add(release(claim.subscription()));
      }
      return;
    }
    List<String> ids = new ArrayList<>();
    for (int parts = 1 + random.nextInt(3); parts > 0; parts--) {
      // Some are too long for a key, and now and then a carrier gives an id a second time.
      long id = random.nextInt(20) == 0 ? nextReceipt : nextReceipt++;
      ids.add(random.nextInt(8) == 0 ? "i".repeat(300) + id : "id " + id);
    }
    inbox.add(new ShardInput.Completed(claim, outcome.withReceiptIds(ids), wall()));
    for (String id : ids) {
      int[] millis = {0, 0, 3, 200, 30_000, 3_600_000, 300_000_000};
      long delay = millis[random.nextInt(millis.length)] * 1_000_000L;
      if (random.nextInt(4) > 0) {
        schedule(reports, nanos + delay, () -> report(claim.group(), id));
      }
      if (random.nextInt(16) == 0) {
        schedule(reports, nanos + delay, () -> report(program.group(), id));
      }
    }
  }

  private void report(String group, String id) {
    inbox.add(
        new ShardInput.Received(
            group,
            id,
            random.nextBoolean(),
            random.nextInt(12),
            "UNDELIV",
            wall() - 5_000 + random.nextInt(10_000),
            new SimulatedReply<>(() -> durable, known -> {})));
  }

  private Shard open() {
    model.restarted(List.copyOf(catalog.values()), groups.values(), store, wall());
    wakeAtMillis = wall();
    return new Shard(
        RepeatingStore.ofReads(new FailingReads(store, faultRandom), millis -> {}),
        settings,
        minutes,
        shardRandom.fork(),
        catalog.values(),
        groups.values(),
        wall(),
        nanos + monotonicOffsetNanos);
  }

  /** The process has died; a new one begins, perhaps on a clock that was set back. */
  private void restart() {
    inbox.clear();
    attempts.clear();
    nanos += program.pick(0, 0, 1_000_000, 300_000_000, 2_000_000_000);
    long stored = Shard.storedClockMillis(store);
    long wanted = wall() - program.pick(0, 0, 0, 500, 3_600_000);
    wallOffsetMillis += Math.max(stored, wanted) - wall();
    monotonicOffsetNanos = random.nextLong(-SECOND_NANOS, SECOND_NANOS);
    justRestarted = true;
    damageSomething();
    note(() -> "-- begins again at " + wall());
    StoreAudit.run(model, store);
    shard = open();
    List<Runnable> again = new ArrayList<>(unanswered);
    unanswered.clear();
    openPublishes = 0;
    again.forEach(Runnable::run);
  }

  /** One pending delivery can no longer be read; it must cost nothing else. */
  private void damageSomething() {
    if (calm || random.nextInt(3) > 0) {
      return;
    }
    List<byte[]> keys = new ArrayList<>();
    try (Store.Cursor cursor =
        store.range(Keys.kind(Keys.PENDING), Keys.after(Keys.kind(Keys.PENDING)))) {
      while (cursor.next()) {
        keys.add(cursor.key());
      }
    }
    if (keys.isEmpty()) {
      return;
    }
    byte[] key = keys.get(random.nextInt(keys.size()));
    ModelSubscription state = model.subscriptions.get(Keys.subscription(key));
    ModelDelivery delivery = state == null ? null : state.open.get(Keys.message(key));
    if (delivery != null) {
      note(() -> "-- the record of " + delivery + " is damaged");
      delivery.unreadable = true;
      store.damage(key);
    }
  }

  private long wall() {
    return Math.floorDiv(nanos, 1_000_000) + wallOffsetMillis;
  }

  private long nanosAt(long wallMillis) {
    return (wallMillis - wallOffsetMillis) * 1_000_000;
  }

  private void sleepMillis(long millis) {
    nanos += millis * 1_000_000;
  }

  // --- the users ----------------------------------------------------------------------------

  private final List<Runnable> unanswered = new ArrayList<>();

  private void somethingHappens() {
    switch (random.nextInt(26)) {
      case 0, 1, 2, 3, 4, 5 -> publish();
      case 6 -> {
        int count = random.nextInt(40);
        for (int i = 0; i < count; i++) {
          publish();
        }
      }
      case 7, 8, 9, 10 -> moodSwing();
      case 11 -> configure(program.spec(anyone()));
      case 12 -> create();
      case 13 -> remove();
      case 14, 15, 16 -> walk();
      case 17 -> {
        inspect();
        attemptNow(anyone(), null, program.pick(1, 3, 1000));
      }
      case 18 -> jump();
      case 19 -> configureGroup();
      case 20 -> unblock();
      case 21, 22 -> suspendOrRelease();
      case 23 -> cancel(anyone(), null, program.pick(1, 3, 1000));
      case 24 -> move();
      default -> {
        if (random.nextInt(3) == 0) {
          note(() -> "-- is killed");
          restart();
        }
      }
    }
  }

  private long anyone() {
    return 1 + random.nextLong(nextNumber - 1);
  }

  private void create() {
    long number = nextNumber++;
    endpoints.put(number, new SimulatedEndpoint());
    SubscriptionSpec spec = program.spec(number);
    catalog.put(number, spec);
    if (shard != null) {
      inbox.add(new ShardInput.Configure(spec));
    }
  }

  private void configure(SubscriptionSpec spec) {
    if (catalog.containsKey(spec.number())) {
      catalog.put(spec.number(), spec);
      inbox.add(new ShardInput.Configure(spec));
    }
  }

  private void configureGroup() {
    GroupSpec spec = program.groupSpec(program.group());
    groups.put(spec.key(), spec);
    if (shard != null) {
      inbox.add(new ShardInput.ConfigureGroup(spec));
    }
  }

  private void unblock() {
    SubscriptionSpec spec = catalog.get(anyone());
    String group = spec == null ? program.group() : spec.group();
    inbox.add(new ShardInput.Unblock(group));
    inbox.add(new ShardInput.Resume(group, new SimulatedReply<>(() -> durable, was -> {})));
  }

  private void remove() {
    long number = anyone();
    if (random.nextBoolean() && catalog.remove(number) != null) {
      inbox.add(new ShardInput.Remove(number));
    }
  }

  private void moodSwing() {
    SimulatedEndpoint.Mood[] moods = SimulatedEndpoint.Mood.values();
    SimulatedEndpoint.Mood mood = moods[random.nextInt(moods.length)];
    long number = anyone();
    note(() -> "endpoint " + number + " is " + mood);
    endpoints.get(number).mood(mood);
  }

  private void jump() {
    if (openPublishes == 0) {
      long millis = program.pick(100, 5_000, 100_000, 4_000_000, 100_000_000);
      note(() -> "clock jumps " + millis + " ms ahead");
      wallOffsetMillis += millis;
    }
  }

  private void publish() {
    ModelDelivery.Message message = program.message(wall());
    long[] targets = catalog.keySet().stream().mapToLong(n -> n).toArray();
    if (targets.length > 1 && random.nextBoolean()) {
      targets = new long[] {anyone()};
    }
    if (random.nextInt(3) > 0) {
      send(message, targets, false);
      return;
    }
    byte[] digest = ByteBuffer.allocate(4).putInt(random.nextInt(6)).array();
    publishKeyed(message, targets, digest, random.nextInt(3), 1 + random.nextInt(2));
  }

  /** Publishes as a client does that repeats until it has an answer, and sometimes once more. */
  private void publishKeyed(
      ModelDelivery.Message message, long[] targets, byte[] digest, int content, int times) {
    openPublishes++;
    Runnable again =
        () ->
            publishKeyed(
                new ModelDelivery.Message(
                    MessageId.create(wall(), random), message.payload, message.kind),
                targets,
                digest,
                content,
                times);
    unanswered.add(again);
    SimulatedReply<ShardInput.Reserved> reply =
        new SimulatedReply<>(
            () -> durable,
            key -> {
              MessageId id = key.message();
              ModelDelivery.Message known =
                  model.messages.computeIfAbsent(
                      id, i -> new ModelDelivery.Message(i, message.payload, message.kind));
              SimulatedReply<ShardInput.Accepted> accepted =
                  new SimulatedReply<>(
                      () -> durable,
                      count -> {
                        openPublishes--;
                        unanswered.remove(again);
                        if (times > 1) {
                          again(message, targets, digest, content, times - 1);
                        }
                      });
              inbox.add(
                  new ShardInput.Publish(id, known.payload, targets, /* keyed= */ true, accepted));
            },
            () -> {
              openPublishes--;
              unanswered.remove(again);
            });
    List<Integer> shards =
        IntStream.range(0, random.nextInt(4))
            .map(i -> 400 * i + random.nextInt(400))
            .boxed()
            .toList();
    inbox.add(
        new ShardInput.Reserve(digest, content, new ShardInput.Keyed(message.id, shards), reply));
  }

  private void again(
      ModelDelivery.Message message, long[] targets, byte[] digest, int content, int times) {
    publishKeyed(
        new ModelDelivery.Message(MessageId.create(wall(), random), message.payload, message.kind),
        targets,
        digest,
        content,
        times);
  }

  private void send(ModelDelivery.Message message, long[] targets, boolean keyed) {
    lastMessage = message.id;
    model.messages.put(message.id, message);
    inbox.add(
        new ShardInput.Publish(
            message.id,
            message.payload,
            targets,
            keyed,
            new SimulatedReply<>(() -> durable, count -> {})));
  }

  private void walk() {
    boolean redrive = random.nextInt(3) > 0;
    double perSecond = redrive && random.nextBoolean() ? program.pick(1, 7, 100) / 2.0 : 0;
    walk(
        anyone(),
        redrive,
        new SweepRequest(
            program.filter(wall(), lastMessage),
            wall(),
            null,
            program.pick(1, 3, 1000),
            perSecond,
            0));
  }

  private void walk(long number, boolean redrive, SweepRequest request) {
    SimulatedReply<SweepProgress> reply =
        new SimulatedReply<>(
            () -> durable,
            progress -> {
              Position next = progress.next();
              if (next != null) {
                walk(
                    number,
                    redrive,
                    new SweepRequest(
                        request.filter(),
                        request.startedAtMillis(),
                        next,
                        request.limit(),
                        request.perSecond(),
                        request.before() + progress.changed()));
              }
            });
    inbox.add(
        redrive
            ? new ShardInput.Redrive(number, request, reply)
            : new ShardInput.Purge(number, request, reply));
  }

  private void attemptNow(long number, @Nullable Position from, int limit) {
    MessageId only = random.nextInt(4) == 0 ? lastMessage : null;
    SimulatedReply<SweepProgress> reply =
        new SimulatedReply<>(
            () -> durable,
            progress -> {
              if (progress.next() != null) {
                attemptNow(number, progress.next(), limit);
              }
            });
    inbox.add(new ShardInput.AttemptNow(number, only, from, limit, reply));
  }

  private void suspendOrRelease() {
    inbox.add(
        random.nextBoolean()
            ? program.suspend(anyone(), new SimulatedReply<>(() -> durable, suspension -> {}))
            : release(anyone()));
  }

  private ShardInput release(long number) {
    return new ShardInput.Release(number, new SimulatedReply<>(() -> durable, was -> {}));
  }

  private void cancel(long number, @Nullable Position from, int limit) {
    MessageId only = random.nextInt(3) == 0 ? lastMessage : null;
    SimulatedReply<SweepProgress> reply =
        new SimulatedReply<>(
            () -> durable,
            progress -> {
              if (progress.next() != null) {
                cancel(number, progress.next(), limit);
              }
            });
    inbox.add(new ShardInput.Cancel(number, only, from, limit, reply));
  }

  /** Another subscription has taken some dead letters; one is named twice, one is none. */
  private void move() {
    long number = anyone();
    List<Position> letters = new ArrayList<>();
    letters.add(new Position(wall(), lastMessage));
    ModelSubscription state = model.subscriptions.get(number);
    if (state != null) {
      for (ModelDelivery delivery : state.open.values()) {
        if (delivery.kept && random.nextInt(3) > 0) {
          letters.add(new Position(delivery.diedAtMillis, delivery.message.id));
        }
      }
    }
    letters.add(letters.get(letters.size() - 1));
    inbox.add(
        new ShardInput.Moved(number, letters, new SimulatedReply<>(() -> durable, moved -> {})));
  }

  private void inspect() {
    inbox.add(new ShardInput.Inspect(anyone(), new SimulatedReply<>(() -> durable, health -> {})));
  }

  // --- what a failing seed shows ------------------------------------------------------------

  private void note(Supplier<String> what) {
    trace.accept(() -> "[" + wall() + " ms] " + what.get());
  }

  static String describe(List<ShardInput> inputs, Turn turn) {
    StringBuilder text = new StringBuilder("turn");
    inputs.forEach(input -> text.append("\n    in    ").append(line(input)));
    turn.writes()
        .forEach(
            new Batch.Visitor() {
              @Override
              public void put(byte[] key, byte[] value) {
                text.append("\n    put   ").append(TurnCheck.hex(key));
              }

              @Override
              public void delete(byte[] key) {
                text.append("\n    del   ").append(TurnCheck.hex(key));
              }
            });
    turn.attempts()
        .forEach(
            claim ->
                text.append("\n    start ")
                    .append(claim.message())
                    .append(" to ")
                    .append(claim.subscription())
                    .append(", attempt ")
                    .append(claim.attempt()));
    return text.append("\n    wakes at ").append(turn.wakeAtMillis()).toString();
  }

  private static String line(ShardInput input) {
    if (input instanceof ShardInput.Publish publish) {
      return "publish "
          + publish.message()
          + " of "
          + publish.payload().length
          + " bytes to "
          + Arrays.toString(publish.subscriptions())
          + (publish.keyed() ? ", keyed" : "");
    }
    if (input instanceof ShardInput.Completed completed) {
      return "completed "
          + completed.claim().message()
          + " to "
          + completed.claim().subscription()
          + ": "
          + completed.outcome().summary()
          + ", ended at "
          + completed.endedAtMillis();
    }
    return input.toString();
  }
}
