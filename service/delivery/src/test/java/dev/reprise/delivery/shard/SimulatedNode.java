package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster: a disk, and at times a process over it that follows the log or owns the
 * shard. Several owners of one process follow each other; the earlier ones may not know yet that
 * they have ended.
 */
final class SimulatedNode {
  private static final long MILLI = 1_000_000;
  private static final long WHOLE_MILLIS = SimulatedBroker.KEPT_MILLIS / 10;

  final String name;
  final ReplicatedSimulation sim;
  final long skewMillis;
  private final SimulatedDisk disk;

  /** Null while the process does not run. */
  private @Nullable LogCopy copy;

  private SimulatedThread follower;
  private @Nullable SimulatedOwner owner;

  /** All of this process, those that were left included: a thread of theirs may stand still. */
  private final List<SimulatedOwner> owners = new ArrayList<>();

  private long fetchFrom = -1;
  private long cutOffUntilNanos;
  private long wholeMillis;

  /** A write of records up to here has failed, and was perhaps made. */
  private long perhapsAheadTo;

  SimulatedNode(ReplicatedSimulation sim, String name, long skewMillis) {
    this.sim = sim;
    this.name = name;
    this.skewMillis = skewMillis;
    this.disk =
        new SimulatedDisk(
            sim.faults,
            () -> {
              kill();
              throw new SimulatedThread.Killed();
            });
    this.follower = new SimulatedThread(sim.time);
    start();
  }

  void start() {
    follower = new SimulatedThread(sim.time);
    copy = new LogCopy(disk);
    fetchFrom = -1;
    SimulatedThread now = follower;
    sim.time.after(0, () -> follow(now));
  }

  /** The process dies at once, wherever it stands; it begins again later. */
  void kill() {
    if (copy == null) {
      return;
    }
    sim.note(() -> name + " dies");
    copy = null;
    follower.kill();
    owners.forEach(SimulatedOwner::kill);
    owners.clear();
    owner = null;
    sim.time.after(
        sim.faults.pick(0, 10, 1_000, 10_000, 100_000, 400_000) * MILLI,
        () -> {
          disk.crash();
          sim.note(() -> name + " begins again");
          start();
        });
  }

  boolean isAlive() {
    return copy != null;
  }

  LogCopy copy() {
    if (copy == null) {
      throw new SimulatedThread.Killed();
    }
    return copy;
  }

  @Nullable SimulatedOwner owner() {
    return owner;
  }

  /** The brokers are out of reach of this node's follower for a while. */
  void cutOff(long nanos) {
    cutOffUntilNanos = sim.time.nanos() + nanos;
  }

  // --- owning ------------------------------------------------------------------------------

  /** The group gives the shard to this node. */
  void assigned() {
    if (!isAlive()) {
      return;
    }
    SimulatedOwner before = owner;
    if (before != null && !before.isLost()) {
      return;
    }
    if (before != null) {
      before.abandon();
    }
    owner = new SimulatedOwner(this);
    owners.add(owner);
    owner.begin();
  }

  /** This owner has nothing more to do with the shard. */
  void left(SimulatedOwner which) {
    if (owner == which) {
      owner = null;
      fetchFrom = -1;
    }
  }

  boolean isFollowing() {
    return follower.isBusy();
  }

  // --- following ---------------------------------------------------------------------------

  private void follow(SimulatedThread thread) {
    if (thread.isKilled()) {
      return;
    }
    thread.run(
        () -> {
          if (owner == null && sim.time.nanos() >= cutOffUntilNanos) {
            try {
              step(thread);
            } catch (StoreException e) {
              fetchFrom = -1;
            }
          }
        });
    long delay = sim.faults.isCalm() ? 100 : sim.faults.pick(5, 20, 100, 100, 1_000, 5_000);
    sim.time.after(delay * MILLI, () -> follow(thread));
  }

  private void step(SimulatedThread thread) {
    LogCopy following = copy();
    if (fetchFrom < 0) {
      prepare(following);
      fetchFrom = following.position();
    }
    List<SimulatedBroker.Entry> entries = sim.broker.read(fetchFrom, 1 + sim.faults.nextInt(40));
    if (entries.isEmpty()) {
      fetchFrom = sim.broker.end();
      if (sim.broker.millis() - wholeMillis > WHOLE_MILLIS) {
        wholeMillis = sim.broker.millis();
        following.isWhole(sim.broker.millis());
      }
      return;
    }
    thread.standStill(sim.faults.pauseNanos());
    if (owner != null) {
      return;
    }
    if (prepare(following)) {
      fetchFrom = following.position();
      return;
    }
    apply(following, entries);
    fetchFrom = entries.get(entries.size() - 1).offset() + 1;
    if (sim.faults.nextInt(16) == 0) {
      requireBeginning();
    }
  }

  private boolean prepare(LogCopy following) {
    return sim.flaw != ClusterFlaw.OLD_COPY_IS_FOLLOWED
        && following.prepare(
            sim.broker.end(),
            sim.broker.millis(),
            SimulatedBroker.KEPT_MILLIS,
            Shard::isShortLived);
  }

  /** Takes records into the copy, as every reader of the log does. */
  void apply(LogCopy copy, List<SimulatedBroker.Entry> entries) {
    Batch batch = new Batch();
    for (SimulatedBroker.Entry entry : entries) {
      LogCopy.add(batch, entry.key(), entry.value(), Shard.isShortLived(entry.key()));
    }
    SimulatedBroker.Entry last = entries.get(entries.size() - 1);
    try {
      copy.apply(batch, last.offset() + 1, last.atMillis());
    } catch (StoreException e) {
      perhapsAheadTo = Math.max(perhapsAheadTo, last.offset() + 1);
      throw e;
    }
  }

  /** The copy is a beginning of the log, unless a write that failed may be ahead of it. */
  void requireBeginning() {
    if (copy != null && copy.position() >= perhapsAheadTo) {
      sim.broker.requireBeginning(copy, name);
    }
  }

  boolean isCaughtUp() {
    return copy != null && (owner != null || copy.position() >= sim.broker.lastEnd());
  }
}
