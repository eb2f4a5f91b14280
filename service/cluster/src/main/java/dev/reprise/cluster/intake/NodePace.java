package dev.reprise.cluster.intake;

import dev.reprise.delivery.host.TurnPace;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spreads the turns of all shards of a node. Each is a transaction of some requests, here and at
 * the brokers, whose cost hardly depends on what is in it: one shard alone may take many of them, a
 * node with many shards takes fewer of each. Where processor time is short, all take fewer.
 */
public final class NodePace implements TurnPace {
  /** More of them leave a processor that node and broker share little time for deliveries. */
  static final int TURNS_A_SECOND_AND_PROCESSOR = 120;

  /** So many times fewer there are where processor time is short. */
  static final int FEWER_UNDER_PRESSURE = 3;

  /** The longest that a shard waits, whatever the others do. */
  static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The same where processor time is short. */
  static final long MAX_WAIT_UNDER_PRESSURE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long stepNanos;
  private final NodeLoad load;

  /** The last time that is booked, since {@code beganNanos}, so that it can be compared. */
  private final AtomicLong booked = new AtomicLong();

  private final long beganNanos;

  public NodePace(int processors, NodeLoad load, long nowNanos) {
    this.stepNanos =
        TimeUnit.SECONDS.toNanos(1) / ((long) processors * TURNS_A_SECOND_AND_PROCESSOR);
    this.load = load;
    this.beganNanos = nowNanos;
  }

  @Override
  public long next(long nowNanos) {
    double pressure = load.pressure(nowNanos);
    long step = stepNanos + (long) (pressure * (FEWER_UNDER_PRESSURE - 1) * stepNanos);
    long maxWait =
        MAX_WAIT_NANOS + (long) (pressure * (MAX_WAIT_UNDER_PRESSURE_NANOS - MAX_WAIT_NANOS));
    long now = nowNanos - beganNanos;
    return beganNanos
        + booked.updateAndGet(last -> Math.min(Math.max(last, now) + step, now + maxWait));
  }
}
