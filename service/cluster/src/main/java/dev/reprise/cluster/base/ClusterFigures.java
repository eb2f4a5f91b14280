package dev.reprise.cluster.base;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The counts of one node since it has begun. Safe for use by many threads. */
public final class ClusterFigures {
  private final LongAdder takeovers = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder copiesDropped = new LongAdder();
  private final LongAdder commits = new LongAdder();
  private final LongAdder commitNanos = new LongAdder();
  private final AtomicLong lastTakeoverNanos = new AtomicLong();

  public ClusterFigures() {}

  public void tookOver(long nanos) {
    takeovers.increment();
    lastTakeoverNanos.set(nanos);
  }

  public void lost(int shards) {
    lost.add(shards);
  }

  public void dropped(int copies) {
    copiesDropped.add(copies);
  }

  public void committed(long nanos) {
    commits.increment();
    commitNanos.add(nanos);
  }

  /** Returns how many shards were taken over. */
  public long takeovers() {
    return takeovers.sum();
  }

  /** Returns how long the last take-over took; 0 before the first. */
  public long lastTakeoverMillis() {
    return TimeUnit.NANOSECONDS.toMillis(lastTakeoverNanos.get());
  }

  /** Returns how many shards were lost: to a node that took them over, or for want of a lease. */
  public long lostShards() {
    return lost.sum();
  }

  /** Returns how many copies of shards were dropped that this node had no more part in. */
  public long copiesDropped() {
    return copiesDropped.sum();
  }

  /** Returns how many transactions the brokers took. */
  public long commits() {
    return commits.sum();
  }

  /** Returns how long they took together, from the first record to the answer. */
  public double commitNanos() {
    return commitNanos.sum();
  }
}
