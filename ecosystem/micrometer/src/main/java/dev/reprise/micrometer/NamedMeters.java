package dev.reprise.micrometer;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RetryEvent;
import dev.reprise.core.retry.RetryEvent.Kind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The meters of all retries that have one name, looked up once. */
final class NamedMeters {
  private static final String SUCCESS = "success";
  private static final String FAILURE = "failure";

  private final Counter attemptsThatSucceeded;
  private final Counter attemptsThatFailed;
  private final Counter attemptsSuperseded;
  private final Counter operationsThatSucceeded;
  private final Map<StopReason, Counter> operationsThatFailed = new EnumMap<>(StopReason.class);
  private final DistributionSummary attemptsToSuccess;
  private final DistributionSummary attemptsToFailure;
  private final Timer delay;

  NamedMeters(MeterRegistry registry, String name) {
    this.attemptsThatSucceeded = attempts(registry, name, SUCCESS);
    this.attemptsThatFailed = attempts(registry, name, FAILURE);
    this.attemptsSuperseded = attempts(registry, name, "superseded");
    this.operationsThatSucceeded = operations(registry, name, SUCCESS, "none");
    for (StopReason reason : StopReason.values()) {
      operationsThatFailed.put(
          reason, operations(registry, name, FAILURE, reason.name().toLowerCase(Locale.ROOT)));
    }
    this.attemptsToSuccess = attemptsPerOperation(registry, name, SUCCESS);
    this.attemptsToFailure = attemptsPerOperation(registry, name, FAILURE);
    this.delay =
        Timer.builder("reprise.retry.delay")
            .description("The delay before each retry")
            .tag("name", name)
            .register(registry);
  }

  void count(RetryEvent event) {
    switch (event.kind()) {
      case SUCCESS -> {
        attemptsThatSucceeded.increment();
        operationsThatSucceeded.increment();
        attemptsToSuccess.record(event.attempt());
      }
      case RETRY -> {
        attemptsThatFailed.increment();
        delay.record(event.delay());
      }
      case STOP -> {
        attemptsThatFailed.increment();
        countFailedOperation(event);
      }
      case NOT_MADE -> countFailedOperation(event);
      case SUPERSEDED -> attemptsSuperseded.increment();
    }
  }

  private void countFailedOperation(RetryEvent event) {
    StopReason reason = event.stopReason();
    Counter counter = reason == null ? null : operationsThatFailed.get(reason);
    if (counter != null) {
      counter.increment();
    }
    attemptsToFailure.record(event.kind() == Kind.NOT_MADE ? event.attempt() - 1 : event.attempt());
  }

  private static Counter attempts(MeterRegistry registry, String name, String outcome) {
    return Counter.builder("reprise.retry.attempts")
        .description("Attempts that were made")
        .tags("name", name, "outcome", outcome)
        .register(registry);
  }

  private static Counter operations(
      MeterRegistry registry, String name, String outcome, String reason) {
    return Counter.builder("reprise.retry.operations")
        .description("Operations that ended, and why those that failed were not tried again")
        .tags("name", name, "outcome", outcome, "reason", reason)
        .register(registry);
  }

  private static DistributionSummary attemptsPerOperation(
      MeterRegistry registry, String name, String outcome) {
    return DistributionSummary.builder("reprise.retry.attempts.per.operation")
        .description("Which attempt ended the operation")
        .tags("name", name, "outcome", outcome)
        .register(registry);
  }
}
