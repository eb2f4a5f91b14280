package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.ReplicatedStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.testkit.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An owner of the shard, from its take-over to its end, with the rules of {@code ShardTakeover},
 * {@code ShardLoop} and {@code Intake}: fence, catch up, wait for the end of the last lease, prove
 * the ownership, open the shard; then a turn is inputs, one batch, a write, and only then effects.
 */
final class SimulatedOwner {
  private static final long MILLI = 1_000_000;
  private static final Duration LEASE_PAUSE = Duration.ofMillis(100);
  private static final int MAX_UNDER_WAY = 3;

  final SimulatedNode node;
  private final ReplicatedSimulation sim;
  private final SimulatedThread thread;
  private final SeededRandom random;
  private final long monotonicOffsetNanos;
  private @Nullable SimulatedTurnLog log;
  private @Nullable Shard shard;
  private @Nullable Store store;
  private List<ShardInput> inbox = new ArrayList<>();
  private long lastMillis;
  private long wakeAtMillis;
  private long takenTo;
  private int partsUnderWay;
  private int inFlight;
  private boolean closing;
  private boolean draining;
  private boolean stopping;
  private boolean ended;

  /** The turn that is being made. */
  private List<ShardInput> inputs = List.of();

  private long turnMillis;
  private long turnNanos;
  private boolean told;
  private List<SimulatedReply<?>> replies = List.of();

  SimulatedOwner(SimulatedNode node) {
    this.node = node;
    this.sim = node.sim;
    this.thread = new SimulatedThread(sim.time);
    this.random = sim.faults.fork();
    this.monotonicOffsetNanos = random.nextLong(-1_000_000_000, 1_000_000_000);
  }

  int order() {
    return log == null ? 0 : log.order();
  }

  /** Whether it can do nothing more although nobody has stopped it. */
  boolean isLost() {
    return ended;
  }

  boolean isAtWork() {
    return shard != null && !ended && !thread.isKilled();
  }

  boolean isIdle() {
    return inbox.isEmpty() && !thread.isBusy();
  }

  void kill() {
    ended = true;
    thread.kill();
  }

  /** The node has heard that the shard is not its own any more. */
  void abandon() {
    closing = true;
    ended = true;
    if (log != null) {
      log.abandon();
    }
    node.left(this);
  }

  /** Stands still where it is between two turns. */
  void freeze(long nanos) {
    thread.run(() -> thread.standStill(nanos));
  }

  // --- the take-over -----------------------------------------------------------------------

  void begin() {
    thread.run(
        () -> {
          try {
            take();
          } catch (StoreException e) {
            if (log != null) {
              log.abandon();
            }
            if (!closing) {
              sim.time.after(200 * MILLI, this::begin);
            }
          }
        });
  }

  private void take() {
    if (closing) {
      return;
    }
    if (node.isFollowing()) {
      throw new StoreException("the follower is at work yet", false, null);
    }
    SimulatedTurnLog own =
        new SimulatedTurnLog(sim.time, thread, sim.faults, sim.broker, sim.flaw, this::committed);
    log = own;
    long fencedNanos = sim.time.nanos();
    LogCopy copy = node.copy();
    catchUp(copy);
    lastMillis = Shard.storedClockMillis(copy.store());
    if (!SimulatedBroker.isReleased(copy) && sim.flaw != ClusterFlaw.LEASE_IS_NOT_AWAITED) {
      long left = fencedNanos + SimulatedTurnLog.LEASE_NANOS - sim.time.nanos();
      thread.standStill(Math.max(0, left));
    }
    if (sim.flaw != ClusterFlaw.BEGINS_WITHOUT_PROOF) {
      own.begin();
    }
    if (closing) {
      return;
    }
    open(own, copy);
  }

  private void catchUp(LogCopy copy) {
    long end = sim.broker.end();
    copy.prepare(end, sim.broker.millis(), SimulatedBroker.KEPT_MILLIS, Shard::isShortLived);
    if (sim.flaw == ClusterFlaw.DOES_NOT_CATCH_UP) {
      return;
    }
    long from = copy.position();
    while (true) {
      List<SimulatedBroker.Entry> entries = sim.broker.read(from, 1 + random.nextInt(100));
      if (entries.isEmpty() || entries.get(0).offset() >= end) {
        return;
      }
      thread.standStill(sim.faults.pauseNanos());
      node.apply(copy, entries);
      from = entries.get(entries.size() - 1).offset() + 1;
    }
  }

  private void open(SimulatedTurnLog own, LogCopy copy) {
    Store replicated = new ReplicatedStore(own, copy, sim.broker::millis);
    if (sim.flaw == ClusterFlaw.COPY_BEFORE_LOG) {
      replicated = new CopyFirst(copy, own);
    }
    RepeatingStore reads =
        RepeatingStore.ofReads(new FailingReads(replicated, random), millis -> {});
    store = reads;
    sim.opens(this, copy);
    shard =
        new Shard(
            reads,
            sim.settings,
            sim.minutes,
            random.fork(),
            sim.catalog.values(),
            sim.groups.values(),
            wall(),
            nanoTime());
    wakeAtMillis = wall();
    takenTo =
        switch (sim.flaw) {
          case INTAKE_FROM_THE_BEGINNING -> 0;
          case INTAKE_FROM_THE_END ->
              sim.broker.intake.isEmpty()
                  ? 0
                  : sim.broker.intake.get(sim.broker.intake.size() - 1).position() + 1;
          default -> Shard.takenUpTo(copy.store()) + 1;
        };
    feed();
    poke();
  }

  /** A store that breaks the order of a write. */
  private record CopyFirst(LogCopy copy, SimulatedTurnLog log) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) {
      return copy.store().get(key);
    }

    @Override
    public Cursor range(byte[] from, byte[] to) {
      return copy.store().range(from, to);
    }

    @Override
    public Cursor reverseRange(byte[] from, byte[] to) {
      return copy.store().reverseRange(from, to);
    }

    @Override
    public void write(Batch batch) {
      copy.apply(batch.again(), copy.position() + batch.size() + 1, copy.asOfMillis());
      log.append(batch);
    }

    @Override
    public void close() {}
  }

  // --- intake ------------------------------------------------------------------------------

  /** Hands on what was accepted, in parts. */
  void feed() {
    while (isAtWork() && !stopping && partsUnderWay < MAX_UNDER_WAY) {
      List<SimulatedBroker.Accepted> part = sim.broker.intakeFrom(takenTo, 1 + random.nextInt(5));
      if (part.isEmpty()) {
        return;
      }
      long position = part.get(part.size() - 1).position();
      takenTo = position + 1;
      List<ShardInput.Publish> publishes = new ArrayList<>();
      for (SimulatedBroker.Accepted each : part) {
        ModelDelivery.Message message = each.message();
        if (message != null) {
          publishes.add(
              new ShardInput.Publish(
                  message.id,
                  message.payload,
                  each.subscriptions(),
                  each.keyed(),
                  new SimulatedReply<>(sim::isDurable, accepted -> {})));
        }
      }
      partsUnderWay++;
      submit(new ShardInput.Taken(publishes, position));
      // The places of both logs are the same here: the second one is never ahead, nor behind.
      inbox.add(new ShardInput.OpenTaken(position));
    }
  }

  void submit(ShardInput input) {
    if (isAtWork()) {
      inbox.add(input);
      poke();
    }
  }

  // --- turns -------------------------------------------------------------------------------

  private void poke() {
    sim.time.after(random.nextLong(MILLI), () -> thread.run(this::turnIfThereIsOne));
  }

  private void turnIfThereIsOne() {
    if (isAtWork() && (!inbox.isEmpty() || stopping || wakeAtMillis <= wall())) {
      turn();
    }
  }

  private void turn() {
    Shard open = shard;
    SimulatedTurnLog own = log;
    if (open == null || own == null) {
      return;
    }
    boolean last = stopping;
    inputs = inbox;
    inbox = new ArrayList<>();
    if (last) {
      open.stopping();
    }
    turnMillis = wall();
    turnNanos = sim.time.nanos();
    told = false;
    try {
      Turn turn = open.turn(inputs, turnMillis, nanoTime());
      sim.turns++;
      sim.note(() -> node.name + ": " + ShardSimulation.describe(inputs, turn));
      if (sim.flaw == ClusterFlaw.EFFECTS_BEFORE_WRITE) {
        effects(own, turn);
        write(turn.writes());
      } else {
        if (!write(turn.writes())) {
          ended = true;
          return;
        }
        effects(own, turn);
      }
      wakeAtMillis = turn.wakeAtMillis();
    } catch (StoreException e) {
      if (!e.lost()) {
        throw e;
      }
      sim.note(() -> node.name + ": " + e.getMessage());
      if (sim.flaw != ClusterFlaw.GOES_ON_WHEN_LOST) {
        ended = true;
        return;
      }
    }
    partsUnderWay -= (int) inputs.stream().filter(i -> i instanceof ShardInput.Taken).count();
    feed();
    if (last) {
      ended = true;
      release(own);
    } else if (wakeAtMillis != Long.MAX_VALUE) {
      long left = Math.max(0, wakeAtMillis - wall());
      sim.time.after(left * MILLI, () -> thread.run(this::turnIfThereIsOne));
    }
  }

  private void effects(SimulatedTurnLog own, Turn turn) {
    if (!told) {
      committed(new ArrayList<>());
    }
    sim.answer(turn.answers());
    boolean isKnown = sim.isOfficial(this);
    if (isKnown) {
      replies.forEach(SimulatedReply::check);
      sim.check.started(turn.attempts(), turnMillis, turnNanos);
    }
    if (!turn.attempts().isEmpty()) {
      own.confirm();
      turn.attempts().forEach(claim -> attempt(own, claim));
    }
  }

  /** Whether the batch is in the log and in the copy; false if the owner ends before. */
  private boolean write(Batch batch) {
    Store open = store;
    if (batch.isEmpty() || open == null) {
      return true;
    }
    Batch next = batch;
    while (true) {
      try {
        open.write(next);
        return true;
      } catch (StoreException e) {
        if (e.lost()) {
          throw e;
        }
        if (stopping) {
          return false;
        }
        sim.note(() -> node.name + ": " + e.getMessage());
        next = batch.again();
        thread.standStill(200 * MILLI);
      }
    }
  }

  /** The turn is in the log. */
  private void committed() {
    committed(new ArrayList<>(sim.broker.state.lastChanges()));
  }

  private void committed(List<SimulatedStore.Change> changes) {
    require(!told, "a turn of %s is in the log twice", node.name);
    told = true;
    if (sim.isOfficial(this)) {
      sim.committed(inputs, turnMillis, turnNanos, changes);
      replies = List.copyOf(sim.model.replies);
    } else {
      require(changes.isEmpty(), "%s has written although it was fenced", node.name);
    }
  }

  private void attempt(SimulatedTurnLog own, Claim claim) {
    if (draining) {
      return;
    }
    thread.standStill(sim.faults.pauseNanos());
    inFlight++;
    if (!own.isHeld()) {
      AttemptOutcome late = AttemptOutcome.givenBack("the lease has run out", LEASE_PAUSE);
      sim.time.after(0, () -> complete(claim, late));
      return;
    }
    sim.starts(this, claim);
    SimulatedEndpoint.Answer answer = sim.answer(claim);
    sim.time.after(answer.nanos(), () -> complete(claim, answer.outcome()));
  }

  private void complete(Claim claim, AttemptOutcome outcome) {
    inFlight--;
    submit(new ShardInput.Completed(claim, outcome, wall()));
    if (sim.faults.isCalm()) {
      submit(sim.release(claim.subscription()));
    }
  }

  private long wall() {
    lastMillis = Math.max(lastMillis, sim.broker.millis() + node.skewMillis);
    return lastMillis;
  }

  private long nanoTime() {
    return sim.time.nanos() + monotonicOffsetNanos;
  }

  // --- the end in order --------------------------------------------------------------------

  /** Gives the shard back; then it is given to somebody else. */
  void giveBack(Runnable then) {
    closing = true;
    draining = true;
    sim.time.after(
        (inFlight > 0 ? 2_000 : 5) * MILLI,
        () -> {
          stopping = true;
          poke();
        });
    // What does not end in time is abandoned.
    sim.time.after(
        sim.faults.pick(2_500, 12_000) * MILLI,
        () -> {
          abandon();
          then.run();
        });
  }

  private void release(SimulatedTurnLog own) {
    if (!own.hasEnded()) {
      try {
        own.release();
      } catch (StoreException e) {
        sim.note(() -> node.name + " ends without notice: " + e.getMessage());
      }
    }
  }
}
