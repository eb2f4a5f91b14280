package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** The published vectors, through tokens and through calls. */
class StandardVectorsTest {
  private static final Map<String, StandardProfile> PROFILES =
      Map.of("2.0", StandardProfile.AWS_STANDARD_2_0, "2.1", StandardProfile.AWS_STANDARD_2_1);

  private static final Map<String, BiFunction<DecidingStrategy, Operation, Driver>> WAYS =
      Map.of("tokens", Driver::tokens, "calls", Driver::calls);

  @TestFactory
  Stream<DynamicNode> vectors() {
    return WAYS.entrySet().stream()
        .map(
            way ->
                dynamicContainer(
                    way.getKey(),
                    Json.objects("/vectors/standard-retry.json").stream()
                        .map(
                            vector ->
                                dynamicTest(
                                    vector.get("profile") + " " + vector.get("name"),
                                    () -> run(vector, way.getValue())))));
  }

  @SuppressWarnings("unchecked")
  private static void run(
      Map<String, Object> vector, BiFunction<DecidingStrategy, Operation, Driver> way) {
    StandardProfile profile = PROFILES.get((String) vector.get("profile"));
    Map<String, Object> given = (Map<String, Object>) vector.get("given");
    int capacity = number(given, "quota", profile.capacityTokens()).intValue();
    RetryBudget budget = RetryBudget.tokenBucket(capacity, profile.prices());
    Duration base = seconds(given, "baseSeconds", profile.baseDelay());
    Duration cap = seconds(given, "maxBackoffSeconds", profile.maxDelay());
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder(profile)
            .maxAttempts(number(given, "maxAttempts", profile.maxAttempts()).intValue())
            .backoff(Backoff.exponential(base, cap).withFullJitter())
            .random(FixedRandom.LONGEST)
            .budget(budget)
            .build();
    Driver driver = way.apply(strategy, Operation.DEFAULT);
    List<String> told = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (Map<String, Object> step : (List<Map<String, Object>>) vector.get("steps")) {
      expected.add(
          line(
              (String) step.get("outcome"),
              number(step, "quota", 0),
              seconds(step, "delaySeconds", Duration.ZERO)));
      Failure failure = failure(step);
      if (failure == null) {
        driver.succeed();
        told.add(line("success", tokens(budget), Duration.ZERO));
      } else {
        Driver.Outcome outcome = driver.fail(failure);
        told.add(line(nameOf(outcome.stop()), tokens(budget), outcome.delay()));
      }
    }
    assertThat(told).isNotEmpty().isEqualTo(expected);
  }

  private static @Nullable Failure failure(Map<String, Object> step) {
    Object response = step.get("response");
    if (response.equals(200.0)) {
      return null;
    }
    Failure failure =
        response.equals("throttling")
            ? Failure.throttle()
            : response.equals("timeout") ? Failure.timeout() : Failure.error();
    return step.containsKey("retryAfterMillis")
        ? failure.withHint(Duration.ofMillis(number(step, "retryAfterMillis", 0).longValue()))
        : failure;
  }

  private static String nameOf(@Nullable StopReason stop) {
    if (stop == null) {
      return "retry";
    }
    return switch (stop) {
      case ATTEMPTS -> "attempts";
      case BUDGET -> "quota";
      default -> stop.toString();
    };
  }

  private static String line(String outcome, Number tokens, Duration delay) {
    return outcome + ", quota " + tokens.doubleValue() + ", " + delay;
  }

  private static double tokens(RetryBudget budget) {
    return budget.balanceMilliTokens(0) / 1000.0;
  }

  private static Number number(Map<String, Object> object, String name, Number orElse) {
    return (Number) object.getOrDefault(name, orElse);
  }

  private static Duration seconds(Map<String, Object> object, String name, Duration orElse) {
    if (!object.containsKey(name)) {
      return orElse;
    }
    BigDecimal seconds = BigDecimal.valueOf(number(object, name, 0).doubleValue());
    return Duration.ofNanos(seconds.movePointRight(9).longValueExact());
  }
}
