package dev.reprise.cluster.intake;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;

/**
 * Measures how short processor time is on this machine. While there is enough of it, a node does
 * everything at once. Where there is not, requests and transactions that wait a little for company
 * cost less for each message, and so more of them get through. Safe for use by many threads.
 */
public final class NodeLoad {
  /** Up to this part of the processors' time, nothing waits. */
  static final double EASY = 0.5;

  /** From this part on, waits are the longest. */
  static final double SHORT = 0.7;

  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Of a look. One that is off, such as for a collection, moves little. */
  private static final double WEIGHT = 0.25;

  private final DoubleSupplier busy;
  private final AtomicLong lookedNanos;
  private volatile double pressure;

  /** Of the looker alone, which {@link #lookedNanos} lets be one at a time. */
  private double average;

  /**
   * Begins without pressure.
   *
   * @param busy returns which part of the processors' time was used lately, from 0 to 1; negative
   *     or no number if that is not known
   */
  NodeLoad(DoubleSupplier busy, long nowNanos) {
    this.busy = busy;
    this.lookedNanos = new AtomicLong(nowNanos);
  }

  /** The load of this machine, or of the container that this process runs in. */
  public static NodeLoad ofMachine() {
    return new NodeLoad(
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system::getCpuLoad
            : () -> 0,
        System.nanoTime());
  }

  /**
   * Returns how short processor time is: 0 if there is enough, 1 if waits are to be the longest.
   *
   * @param nowNanos the time by {@link System#nanoTime}
   */
  public double pressure(long nowNanos) {
    long last = lookedNanos.get();
    if (nowNanos - last >= LOOK_NANOS && lookedNanos.compareAndSet(last, nowNanos)) {
      look();
    }
    return pressure;
  }

  private synchronized void look() {
    double now = busy.getAsDouble();
    if (now >= 0) {
      average += WEIGHT * (Math.min(now, 1) - average);
      pressure = Math.min(1, Math.max(0, (average - EASY) / (SHORT - EASY)));
    }
  }
}
