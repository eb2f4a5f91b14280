package dev.reprise.server.watch;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter that is 0 when it is first read. The next reading has all that was counted before: a
 * series that begins with another value has no increase for Prometheus, so an alert on the first
 * failure would stay silent. Safe for use by many threads.
 */
final class CounterFromZero {
  private final LongAdder count = new LongAdder();
  private final Meter meter;
  private volatile boolean shown;

  CounterFromZero(MeterRegistry registry, String name, String description, Tags tags) {
    this.meter =
        FunctionCounter.builder(name, this, CounterFromZero::read)
            .description(description)
            .tags(tags)
            .register(registry);
  }

  private double read() {
    if (!shown) {
      shown = true;
      return 0;
    }
    return count.sum();
  }

  void increment() {
    count.increment();
  }

  /** Returns whether nothing was counted yet. */
  boolean isZero() {
    return count.sum() == 0;
  }

  Meter meter() {
    return meter;
  }
}
