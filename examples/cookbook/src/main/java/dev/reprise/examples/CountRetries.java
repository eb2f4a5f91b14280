package dev.reprise.examples;

import dev.reprise.core.retry.Retry;
import dev.reprise.micrometer.RetryMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;

/** Shows on a dashboard how much load retries add. */
public final class CountRetries {
  private CountRetries() {}

  /** Runs an operation that fails once, and reads the meters. */
  public static void main(String[] args) throws ConnectException {
    MeterRegistry registry = new SimpleMeterRegistry();
    // @start region=meters
    Retry retry = Retry.builder().name("payments").listener(new RetryMetrics(registry)).build();
    // @end
    AtomicInteger attempts = new AtomicInteger();
    retry.run(
        () -> {
          if (attempts.incrementAndGet() == 1) {
            throw new ConnectException("refused");
          }
        });
    System.out.println(
        sum(registry, "reprise.retry.attempts")
            + " attempts, "
            + sum(registry, "reprise.retry.operations")
            + " operation");
  }

  private static long sum(MeterRegistry registry, String meter) {
    return (long)
        registry.get(meter).tag("name", "payments").counters().stream()
            .mapToDouble(Counter::count)
            .sum();
  }
}
