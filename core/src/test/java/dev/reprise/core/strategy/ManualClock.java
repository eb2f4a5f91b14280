package dev.reprise.core.strategy;

import java.util.function.LongSupplier;

/** A clock that stands still until it is told. */
final class ManualClock implements LongSupplier {
  private final long startNanos;
  private long nanos;

  ManualClock(long startNanos) {
    this.startNanos = startNanos;
    this.nanos = startNanos;
  }

  /** A clock whose time wraps around soon, as that of a machine may. */
  ManualClock() {
    this(Long.MAX_VALUE - 1_000_000_000L);
  }

  /** Sets the seconds since the start. */
  ManualClock at(double seconds) {
    nanos = startNanos + Math.round(seconds * 1e9);
    return this;
  }

  void advanceNanos(long by) {
    nanos += by;
  }

  double seconds() {
    return (nanos - startNanos) / 1e9;
  }

  @Override
  public long getAsLong() {
    return nanos;
  }
}
