package dev.reprise.delivery.store;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A number of bytes that takes a while to find out, found out at most five times a second. */
final class SampledBytes {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private record Reading(long bytes, long takenAtNanos) {}

  private final LongSupplier source;
  private volatile Reading reading;

  SampledBytes(LongSupplier source) {
    this.source = source;
    this.reading = read();
  }

  long bytes() {
    Reading last = reading;
    if (System.nanoTime() - last.takenAtNanos() > INTERVAL_NANOS) {
      last = read();
      reading = last;
    }
    return last.bytes();
  }

  private Reading read() {
    return new Reading(source.getAsLong(), System.nanoTime());
  }
}
