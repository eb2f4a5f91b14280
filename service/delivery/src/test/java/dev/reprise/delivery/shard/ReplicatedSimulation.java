package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One shard that is replicated: the nodes of a cluster, its brokers, its endpoints and its users on
 * one virtual clock. Everything follows from the seed, so a seed that fails fails again.
 *
 * <p>Nodes die, lose what their disks have not synced or their disks, stand still at every place
 * where a thread may, do not hear that they own nothing any more, and are cut off from the log for
 * longer than it keeps deletions. Commits are refused, answered late, or never. The shard, its
 * replicated store and the copies are the real ones.
 *
 * <p>What is in the log is the truth: {@link ShardModel} hears of each turn when it is there, of
 * each attempt that its owner decides on, and that a new owner begins.
 */
final class ReplicatedSimulation {
  private static final long START_MILLIS = 1_700_000_000_000L;
  private static final long MILLI = 1_000_000;
  private static final int MAX_HAPPENINGS = 300_000;
  private static final int MAX_DEAD = 100_000;

  final VirtualTime time = new VirtualTime(MAX_HAPPENINGS);
  final ClusterFaults faults;
  final ClusterFlaw flaw;
  final SimulatedBroker broker;
  final ShardSettings settings;
  final MinuteSettings minutes;
  final ShardModel model;
  final TurnCheck check;
  final Map<Long, SubscriptionSpec> catalog = new TreeMap<>();
  final Map<String, GroupSpec> groups = new TreeMap<>();
  int turns;
  private final Consumer<Supplier<String>> trace;
  private final SeededRandom random;
  private final SeededRandom endpointRandom;
  private final ShardProgram program;
  private final Map<Long, SimulatedEndpoint> endpoints = new HashMap<>();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final Set<MessageId> accepted = new HashSet<>();
  private final Set<MessageId> taken = new HashSet<>();

  /** Attempts whose outcomes are not in the log, and who has started them. */
  private final Map<String, SimulatedOwner> started = new HashMap<>();

  /** The owner that has begun last. */
  private @Nullable SimulatedOwner official;

  private int assigned;
  private long openPlace = -1;
  private boolean answering;
  private long nextNumber = 1;
  private MessageId lastMessage = new MessageId(0, 0);
  private int takeovers;
  private int repeated;

  ReplicatedSimulation(long seed, ClusterFlaw flaw, Consumer<Supplier<String>> trace) {
    SeededRandom seeds = SeededRandom.of(seed);
    this.random = seeds.fork();
    this.endpointRandom = seeds.fork();
    this.faults = new ClusterFaults(seeds.fork());
    this.flaw = flaw;
    this.trace = trace;
    this.broker = new SimulatedBroker(time, START_MILLIS, flaw != ClusterFlaw.NOBODY_IS_FENCED);
    this.program = new ShardProgram(random);
    this.settings = remembering(program.settings()).withHoldAfter(ShardProgram.holdAfter(seed));
    this.minutes = ShardProgram.minutes(seeds.fork());
    this.model = new ShardModel(settings, minutes);
    this.check = new TurnCheck(model, broker.state);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      create();
    }
    for (int i = 0; i < 3; i++) {
      nodes.add(new SimulatedNode(this, "node " + i, random.nextLong(-4_000, 4_000)));
    }
  }

  /** A message that is repeated is one that was accepted within a day. */
  private static ShardSettings remembering(ShardSettings drawn) {
    return new ShardSettings(
        drawn.claimsPerTurn(),
        drawn.claimsPerVisit(),
        drawn.maxInFlight(),
        drawn.maxInFlightBytes(),
        drawn.historyMillis(),
        86_400_000,
        drawn.sweepIntervalMillis(),
        drawn.readAheadBytes(),
        drawn.maxBatchBytes(),
        drawn.historyBytes(),
        drawn.deadLetterMillis(),
        drawn.deadLetterBytes(),
        drawn.groupRetries(),
        drawn.groupRetriesPerSecond(),
        drawn.holdAfter());
  }

  /** Runs to the end; an {@link AssertionError} tells what went wrong. */
  ReplicatedSimulation run() {
    assign(0);
    watch();
    long at = 0;
    int steps = 10 + random.nextInt(30);
    int[] left = {steps};
    for (int i = 0; i < steps; i++) {
      at += program.gapNanos();
      time.after(
          at,
          () -> {
            somethingHappens();
            left[0]--;
          });
    }
    until(() -> left[0] == 0);
    calmDown();
    redriveAll();
    until(() -> nodes.stream().allMatch(SimulatedNode::isCaughtUp));
    for (SimulatedNode node : nodes) {
      node.requireBeginning();
      if (node.owner() == null) {
        broker.requireWhole(node.copy(), node.name);
      }
    }
    return this;
  }

  private void until(BooleanSupplier end) {
    while (!end.getAsBoolean()) {
      require(
          time.mayGoOn(),
          "does not come to rest: taken in up to %s of %s, %s",
          Shard.takenUpTo(broker.state),
          lastAccepted(),
          model);
      time.next();
    }
  }

  int turns() {
    return turns;
  }

  int takeovers() {
    return takeovers;
  }

  int repeated() {
    return repeated;
  }

  // --- the end: everything that can be delivered is ------------------------------------------

  private void calmDown() {
    note(() -> "all endpoints recover, and nothing fails any more");
    faults.calmDown();
    endpoints.values().forEach(e -> e.mood(SimulatedEndpoint.Mood.HEALTHY));
    until(() -> nodes.stream().allMatch(SimulatedNode::isAlive));
    until(this::isAtRest);
    require(taken.equals(accepted), "accepted and never taken in: %s", missing());
    StoreAudit.run(model, broker.state);
  }

  private Set<MessageId> missing() {
    Set<MessageId> missing = new HashSet<>(accepted);
    missing.removeAll(taken);
    return missing;
  }

  private void redriveAll() {
    // Beyond what clocks of nodes differ by.
    time.pass(10_000 * MILLI);
    until(this::isAtRest);
    for (long number : catalog.keySet()) {
      submit(
          new ShardInput.Redrive(
              number,
              new SweepRequest(DeadLetterFilter.ALL, broker.millis() + 5_000, null, MAX_DEAD, 0, 0),
              new SimulatedReply<>(this::isDurable, progress -> {})));
    }
    until(this::isAtRest);
    for (ModelSubscription state : model.subscriptions.values()) {
      require(state.ledger().unexplained() == 0, "ledger is %s", state.ledger());
      require(state.deadLettered == 0, "dead letters of %s after a redrive", state.number);
      require(
          state.open.isEmpty() || state.spec.lifetimeMillis() > 0, "not delivered: %s", state.open);
    }
    StoreAudit.run(model, broker.state);
  }

  private boolean isAtRest() {
    SimulatedOwner now = official;
    return now != null
        && now.isAtWork()
        && now.isIdle()
        && model.isIdle()
        && Shard.takenUpTo(broker.state) == lastAccepted()
        && Shard.openTakenUpTo(broker.state) == lastAccepted();
  }

  private long lastAccepted() {
    return broker.intake.isEmpty() ? -1 : broker.intake.get(broker.intake.size() - 1).position();
  }

  // --- what owners tell ----------------------------------------------------------------------

  /** An owner opens its shard; it may have been fenced again already. */
  void opens(SimulatedOwner owner, LogCopy copy) {
    SimulatedOwner before = official;
    if (before != null && before.order() > owner.order()) {
      note(() -> owner.node.name + " begins too late");
      return;
    }
    owner.node.requireBeginning();
    broker.requireWhole(copy, owner.node.name);
    note(() -> owner.node.name + " begins");
    official = owner;
    takeovers++;
    long now =
        Math.max(Shard.storedClockMillis(broker.state), broker.millis() + owner.node.skewMillis);
    model.restarted(List.copyOf(catalog.values()), groups.values(), broker.state, now);
    StoreAudit.run(model, broker.state);
  }

  boolean isOfficial(SimulatedOwner owner) {
    return official == owner;
  }

  /** A turn of the owner is in the log. */
  void committed(
      List<ShardInput> inputs, long millis, long nanos, List<SimulatedStore.Change> changes) {
    check.committed(inputs, millis, nanos, changes);
    long open = Shard.openTakenUpTo(broker.state);
    require(open >= openPlace, "the place of the second log goes back to %s", open);
    openPlace = open;
    for (ShardInput input : inputs) {
      if (input instanceof ShardInput.Taken part) {
        part.publishes().forEach(publish -> taken.add(publish.message()));
      } else if (input instanceof ShardInput.Completed completed) {
        started.remove(nameOf(completed.claim()));
      }
    }
    if (random.nextInt(32) == 0) {
      StoreAudit.run(model, broker.state);
    }
  }

  /** An attempt starts now. */
  void starts(SimulatedOwner owner, Claim claim) {
    require(isOfficial(owner), "%s starts an attempt, and has a successor", owner.node.name);
    SimulatedOwner before = started.put(nameOf(claim), owner);
    require(before != owner, "%s starts it twice: %s", owner.node.name, claim);
    repeated += before == null ? 0 : 1;
  }

  private static String nameOf(Claim claim) {
    return claim.subscription() + " " + claim.message() + " " + claim.attempt();
  }

  SimulatedEndpoint.Answer answer(Claim claim) {
    return endpoint(claim.subscription()).answer(endpointRandom);
  }

  private SimulatedEndpoint endpoint(long number) {
    return endpoints.computeIfAbsent(number, n -> new SimulatedEndpoint());
  }

  void answer(List<Runnable> answers) {
    answering = true;
    answers.forEach(Runnable::run);
    answering = false;
  }

  boolean isDurable() {
    return answering;
  }

  // --- the group -----------------------------------------------------------------------------

  /** The group gives the shard to a node, whatever others think. */
  private void assign(int index) {
    SimulatedOwner earlier = nodes.get(index).owner();
    if (index != assigned && earlier != null) {
      // Another one had it meanwhile, which the node hears now.
      earlier.abandon();
    }
    assigned = index;
    note(() -> "the group gives the shard to " + nodes.get(index).name);
    nodes.get(index).assigned();
  }

  /** Nobody is left without an owner: a node that has died or has lost the shard is replaced. */
  private void watch() {
    SimulatedOwner owner = nodes.get(assigned).owner();
    if (owner == null || owner.isLost()) {
      assign(faults.nextInt(nodes.size()));
    }
    if (faults.isCalm()) {
      // Again and again: an owner that was told may have ended since.
      catalog.keySet().forEach(number -> submit(release(number)));
      catalog.keySet().forEach(number -> submit(attemptNow(number)));
      catalog.values().forEach(spec -> submit(new ShardInput.Unblock(spec.group())));
    }
    time.after((500 + faults.nextInt(6_000)) * MILLI, this::watch);
  }

  private void moveShard() {
    int next = faults.nextInt(nodes.size());
    SimulatedOwner owner = nodes.get(assigned).owner();
    if (owner == null || next == assigned) {
      assign(next);
      return;
    }
    if (faults.nextInt(3) == 0) {
      note(() -> owner.node.name + " gives the shard back");
      owner.giveBack(() -> assign(next));
      return;
    }
    assign(next);
    note(() -> owner.node.name + " does not know yet");
    time.after(faults.pick(0, 10, 300, 1_000, 2_000, 20_000) * MILLI, owner::abandon);
  }

  // --- what happens ----------------------------------------------------------------------------

  private void somethingHappens() {
    switch (random.nextInt(30)) {
      case 0, 1, 2, 3, 4, 5 -> publish();
      case 6, 7 -> {
        for (int i = random.nextInt(30); i > 0; i--) {
          publish();
        }
      }
      case 8, 9, 10 -> moodSwing();
      case 11 -> configure(program.spec(anyone()));
      case 12 -> create();
      case 13 -> remove();
      case 14 -> submit(redrive(anyone()));
      case 15 -> submit(attemptNow(anyone()));
      case 16 ->
          submit(
              new ShardInput.Cancel(
                  anyone(), null, null, MAX_DEAD, new SimulatedReply<>(this::isDurable, p -> {})));
      case 17 ->
          submit(
              random.nextBoolean()
                  ? program.suspend(anyone(), new SimulatedReply<>(this::isDurable, s -> {}))
                  : release(anyone()));
      case 18, 19, 20 -> moveShard();
      case 21 -> {
        moveShard();
        time.after(faults.nextLong(1_500 * MILLI), this::moveShard);
      }
      case 22, 23 -> nodes.get(assigned).kill();
      case 24 -> nodes.get(faults.nextInt(nodes.size())).kill();
      case 25 -> {
        SimulatedOwner owner = nodes.get(assigned).owner();
        if (owner != null) {
          owner.freeze(faults.pick(100, 900, 1_200, 10_000, 200_000) * MILLI);
        }
      }
      case 26, 27 -> broker.compact();
      case 28 ->
          nodes
              .get(faults.nextInt(nodes.size()))
              .cutOff(faults.pick(1_000, 30_000, 200_000, 400_000) * MILLI);
      default -> time.pass(faults.pick(1_000, 70_000, 150_000) * MILLI);
    }
  }

  private void publish() {
    ModelDelivery.Message message = program.message(broker.millis());
    lastMessage = message.id;
    model.messages.put(message.id, message);
    accepted.add(message.id);
    long[] targets =
        random.nextBoolean()
            ? new long[] {anyone()}
            : catalog.keySet().stream().mapToLong(n -> n).toArray();
    boolean keyed = random.nextInt(3) == 0;
    broker.accept(message, targets, keyed, random.nextInt(3));
    while (keyed && random.nextBoolean()) {
      // The publisher has not heard that it was accepted.
      broker.accept(message, targets, true, random.nextInt(3));
    }
    if (random.nextInt(8) == 0) {
      broker.accept(null, targets, false, 0);
    }
    nodes.forEach(
        node -> {
          SimulatedOwner owner = node.owner();
          if (owner != null) {
            owner.feed();
          }
        });
  }

  private long anyone() {
    return 1 + random.nextLong(nextNumber - 1);
  }

  private void create() {
    long number = nextNumber++;
    SubscriptionSpec spec = program.spec(number);
    catalog.put(number, spec);
    submit(new ShardInput.Configure(spec));
  }

  private void configure(SubscriptionSpec spec) {
    if (catalog.containsKey(spec.number())) {
      catalog.put(spec.number(), spec);
      submit(new ShardInput.Configure(spec));
    }
  }

  private void remove() {
    long number = anyone();
    if (random.nextBoolean() && catalog.size() > 1 && catalog.remove(number) != null) {
      submit(new ShardInput.Remove(number));
    }
  }

  private void moodSwing() {
    SimulatedEndpoint.Mood[] moods = SimulatedEndpoint.Mood.values();
    endpoint(anyone()).mood(moods[random.nextInt(moods.length)]);
  }

  private ShardInput redrive(long number) {
    return new ShardInput.Redrive(
        number,
        new SweepRequest(
            program.filter(broker.millis(), lastMessage), broker.millis(), null, MAX_DEAD, 0, 0),
        new SimulatedReply<>(this::isDurable, progress -> {}));
  }

  private ShardInput attemptNow(long number) {
    return new ShardInput.AttemptNow(
        number, null, null, MAX_DEAD, new SimulatedReply<>(this::isDurable, progress -> {}));
  }

  ShardInput release(long number) {
    return new ShardInput.Release(number, new SimulatedReply<>(this::isDurable, was -> {}));
  }

  /** All owners hear of a change of the catalog; what is asked for goes to one. */
  private void submit(ShardInput input) {
    if (input instanceof ShardInput.Asks<?>) {
      SimulatedOwner owner = official;
      if (owner != null) {
        owner.submit(input);
      }
      return;
    }
    for (SimulatedNode node : nodes) {
      SimulatedOwner owner = node.owner();
      if (owner != null) {
        owner.submit(input);
      }
    }
  }

  void note(Supplier<String> what) {
    trace.accept(() -> "[" + time.millis() + " ms] " + what.get());
  }
}
