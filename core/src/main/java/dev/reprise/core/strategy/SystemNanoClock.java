package dev.reprise.core.strategy;

import java.util.function.LongSupplier;

/** The monotonic time of this virtual machine. */
enum SystemNanoClock implements LongSupplier {
  INSTANCE;

  @Override
  public long getAsLong() {
    return System.nanoTime();
  }
}
