package dev.reprise.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetryMetricsTest {
  private static final StandardRetryStrategy THREE_ATTEMPTS =
      RetryStrategies.of(Backoff.fixed(Duration.ofSeconds(2)), Classifier.defaults(), 3);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Retry retry = retry(registry);

  private static Retry retry(MeterRegistry registry) {
    return Retry.builder()
        .name("payments")
        .strategy(THREE_ATTEMPTS)
        .time(new VirtualTime())
        .listener(new RetryMetrics(registry))
        .build();
  }

  @Test
  void attemptsAndOperationsAreCountedApart() throws Exception {
    retry.call(refusedTwice()::call);

    assertThat(attempts("failure")).isEqualTo(2);
    assertThat(attempts("success")).isEqualTo(1);
    assertThat(operations("success", "none")).isEqualTo(1);
    assertThat(allOperations()).isEqualTo(1);
  }

  @Test
  void anOperationThatFailsIsCountedWithItsReason() {
    var down = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    assertThatThrownBy(() -> retry.call(down::call)).isInstanceOf(ConnectException.class);
    var unknown = new ScriptedOperation<String>().failsAlways(IllegalStateException::new);
    assertThatThrownBy(() -> retry.call(unknown::call)).isInstanceOf(IllegalStateException.class);

    assertThat(operations("failure", "attempts")).isEqualTo(1);
    assertThat(operations("failure", "not_retryable")).isEqualTo(1);
    assertThat(allOperations()).isEqualTo(2);
    assertThat(attempts("failure")).isEqualTo(4);
  }

  @Test
  void anAttemptThatWasAnnouncedAndNeverMadeIsNoAttempt() {
    var refused =
        new ScriptedOperation<String>()
            .fails(
                1,
                () -> {
                  Thread.currentThread().interrupt();
                  return new ConnectException();
                });
    assertThatThrownBy(() -> retry.call(refused::call)).isInstanceOf(ConnectException.class);
    assertThat(Thread.interrupted()).isTrue();

    assertThat(attempts("failure")).isEqualTo(1);
    assertThat(operations("failure", "interrupted")).isEqualTo(1);
    assertThat(summaryMax("failure")).isEqualTo(1);
  }

  @Test
  void theDelayOfEveryRetryIsTimed() throws Exception {
    retry.call(refusedTwice()::call);

    var delay = registry.get("reprise.retry.delay").tag("name", "payments").timer();
    assertThat(delay.count()).isEqualTo(2);
    assertThat(delay.totalTime(TimeUnit.SECONDS)).isEqualTo(4, within(1e-9));
  }

  @Test
  void theSummaryTellsWhichAttemptEndedAnOperation() throws Exception {
    retry.call(refusedTwice()::call);
    retry.call(() -> "at once");

    var summary =
        registry
            .get("reprise.retry.attempts.per.operation")
            .tags("name", "payments", "outcome", "success")
            .summary();
    assertThat(summary.count()).isEqualTo(2);
    assertThat(summary.totalAmount()).isEqualTo(4);
    assertThat(summary.max()).isEqualTo(3);
  }

  @Test
  void everySeriesIsThereFromTheFirstEventOn() {
    retry.call(() -> "at once");

    assertThat(operations("failure", "budget")).isZero();
    assertThat(attempts("failure")).isZero();
  }

  @Test
  void nothingIsLostWhenManyThreadsCount() throws Exception {
    int threads = 8;
    int operationsPerThread = 500;
    // Without delay, so that the threads need no time but the system's.
    Retry shared =
        Retry.builder()
            .name("payments")
            .strategy(RetryStrategies.of(Backoff.none(), Classifier.defaults(), 3))
            .listener(new RetryMetrics(registry))
            .build();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch start = new CountDownLatch(1);
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        workers.add(
            pool.submit(
                () -> {
                  start.await();
                  for (int n = 0; n < operationsPerThread; n++) {
                    shared.call(refusedTwice()::call);
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> worker : workers) {
        worker.get(300, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }

    int operations = threads * operationsPerThread;
    assertThat(attempts("success")).isEqualTo(operations);
    assertThat(attempts("failure")).isEqualTo(2 * operations);
    assertThat(operations("success", "none")).isEqualTo(operations);
    assertThat(allOperations()).isEqualTo(operations);
  }

  @Test
  void aBudgetIsShownInTokens() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    new RetryMetrics(registry).watchBudget("payments", budget);
    Retry paying =
        Retry.builder()
            .strategy(THREE_ATTEMPTS.toBuilder().budget(budget).build())
            .time(new VirtualTime())
            .build();
    var down = new ScriptedOperation<String>().failsAlways(ConnectException::new);
    assertThatThrownBy(() -> paying.call(down::call)).isInstanceOf(IOException.class);

    assertThat(registry.get("reprise.retry.budget.capacity").gauge().value()).isEqualTo(500);
    assertThat(registry.get("reprise.retry.budget.balance").gauge().value())
        .isEqualTo(budget.balanceMilliTokens(0) / 1000.0)
        .isLessThan(500);
  }

  @Test
  void prometheusReadsTheMeters() throws Exception {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    retry(prometheus).call(refusedTwice()::call);

    assertThat(prometheus.scrape().lines())
        .contains(
            "reprise_retry_attempts_total{name=\"payments\",outcome=\"failure\"} 2.0",
            "reprise_retry_attempts_total{name=\"payments\",outcome=\"success\"} 1.0",
            "reprise_retry_operations_total"
                + "{name=\"payments\",outcome=\"success\",reason=\"none\"} 1.0",
            "reprise_retry_operations_total"
                + "{name=\"payments\",outcome=\"failure\",reason=\"budget\"} 0.0",
            "reprise_retry_delay_seconds_sum{name=\"payments\"} 4.0",
            "reprise_retry_attempts_per_operation_sum{name=\"payments\",outcome=\"success\"} 3.0");
  }

  private static ScriptedOperation<String> refusedTwice() {
    return new ScriptedOperation<String>().fails(2, ConnectException::new).succeeds("hello");
  }

  private double attempts(String outcome) {
    return registry
        .get("reprise.retry.attempts")
        .tags("name", "payments", "outcome", outcome)
        .counter()
        .count();
  }

  private double operations(String outcome, String reason) {
    return registry
        .get("reprise.retry.operations")
        .tags("name", "payments", "outcome", outcome, "reason", reason)
        .counter()
        .count();
  }

  private double allOperations() {
    return registry.get("reprise.retry.operations").counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }

  private double summaryMax(String outcome) {
    return registry
        .get("reprise.retry.attempts.per.operation")
        .tag("outcome", outcome)
        .summary()
        .max();
  }
}
