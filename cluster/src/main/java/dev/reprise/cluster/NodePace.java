package dev.reprise.cluster;

import dev.reprise.delivery.engine.TurnPace;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spreads the turns of all shards of a node. Each is a transaction of some requests, here and at
 * the brokers, whose cost hardly depends on what is in it: one shard alone may take many of them, a
 * node with many shards takes fewer of each.
 */
final class NodePace implements TurnPace {
  /** More of them leave a processor that node and broker share little time for deliveries. */
  static final int TURNS_A_SECOND_AND_PROCESSOR = 120;

  /** The longest that a shard waits, whatever the others do. */
  static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long stepNanos;

  /** The last time that is booked, since {@code beganNanos}, so that it can be compared. */
  private final AtomicLong booked = new AtomicLong();

  private final long beganNanos;

  NodePace(int processors, long nowNanos) {
    stepNanos = TimeUnit.SECONDS.toNanos(1) / ((long) processors * TURNS_A_SECOND_AND_PROCESSOR);
    beganNanos = nowNanos;
  }

  @Override
  public long next(long nowNanos) {
    long now = nowNanos - beganNanos;
    return beganNanos
        + booked.updateAndGet(
            last -> Math.min(Math.max(last, now) + stepNanos, now + MAX_WAIT_NANOS));
  }
}
