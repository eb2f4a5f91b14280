package dev.reprise.server.watch;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A counter that is read as 0 for some time. A series that begins with another value has no
 * increase for Prometheus, so an alert on the first failure would stay silent.
 *
 * <p>The time begins when the counter is first read, not when it is made: a Prometheus that is
 * started minutes after the service must find the 0, too. It is a time and not a number of
 * readings, for a reading may be lost on its way (a scrape that timed out), and may be anyone's: of
 * two servers that scrape the same service, each has to see the 0, as it has to after a scrape of
 * its own has failed. What two servers have in common is that each comes by within its interval. So
 * the time is to be longer than two intervals; the default of 150 s is enough for the usual ones of
 * 15 s to 60 s with the time-out of a scrape. The price is that the first alert after a start comes
 * later by that much, and that a process that ends within this time has shown nothing: the ledger,
 * the log and the operator events have it. Safe for use by many threads.
 */
final class CounterFromZero {
  /** Makes counters of one registry. */
  static final class Maker {
    private final MeterRegistry registry;
    private final long zeroNanos;
    private final LongSupplier nanoTime;

    /**
     * A maker of counters in a registry.
     *
     * @param zeroFor how long each is 0 from its first reading; with 0 for that reading only
     * @param nanoTime a monotonic clock
     */
    Maker(MeterRegistry registry, Duration zeroFor, LongSupplier nanoTime) {
      this.registry = registry;
      this.zeroNanos = zeroFor.toNanos();
      this.nanoTime = nanoTime;
    }

    CounterFromZero counter(String name, String description, Tags tags) {
      return new CounterFromZero(this, name, description, tags);
    }

    /** Takes a counter out of the registry. */
    void remove(CounterFromZero counter) {
      registry.remove(counter.meter);
    }
  }

  private final Maker maker;
  private final LongAdder count = new LongAdder();
  private final Meter meter;
  private boolean read;
  private long firstReadNanos;

  private CounterFromZero(Maker maker, String name, String description, Tags tags) {
    this.maker = maker;
    this.meter =
        FunctionCounter.builder(name, this, CounterFromZero::read)
            .description(description)
            .tags(tags)
            .register(maker.registry);
  }

  private synchronized double read() {
    long now = maker.nanoTime.getAsLong();
    if (!read) {
      read = true;
      firstReadNanos = now;
      return 0;
    }
    return now - firstReadNanos < maker.zeroNanos ? 0 : count.sum();
  }

  void increment() {
    count.increment();
  }

  /** Returns whether nothing was counted yet. */
  boolean isZero() {
    return count.sum() == 0;
  }
}
