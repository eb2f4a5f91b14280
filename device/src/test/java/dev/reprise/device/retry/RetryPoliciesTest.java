package dev.reprise.device.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorDetails;
import dev.reprise.device.error.TransportException;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.testkit.SeededRandom;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RetryPoliciesTest {
  private final TransportException lost = DeviceErrors.exception("mqtt", "connection-lost");
  private final TransportException throttled = DeviceErrors.exception("http", "429");
  private final TransportException quota = DeviceErrors.exception("mqtt5-connack", "0x97");
  private final TransportException refused = DeviceErrors.exception("http", "401");

  /** The lowest and the highest that can be drawn. */
  private static final RandomGenerator LOWEST = () -> 0;

  private static final RandomGenerator HIGHEST = () -> -1;

  private static final String DOCUMENT =
      """
      {"strategy": "standard", "maxAttempts": 4, "hintCeiling": "30s",
       "backoff": {"type": "fixed", "delay": "1s"},
       "throttleBackoff": {"type": "fixed", "delay": "10s"}}
      """;

  private static JsonNode vectors(String name) {
    try (InputStream in = RetryPoliciesTest.class.getResourceAsStream("/vectors/" + name)) {
      return JsonMapper.shared().readTree(Objects.requireNonNull(in, name));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static Stream<JsonNode> exponentialJitter() {
    return vectors("exponential-jitter.json").get("rows").valueStream();
  }

  static Stream<JsonNode> truncatedExponential() {
    return vectors("truncated-exponential.json").get("rows").valueStream();
  }

  private static Duration millis(JsonNode millis) {
    return Duration.ofNanos(new BigDecimal(millis.asString()).movePointRight(6).longValueExact());
  }

  private static TransportException throttledFor(Duration hint) {
    return DeviceErrors.exception(
        ErrorDetails.of(DeviceErrors.row("http", 429)).withRetryAfter(hint));
  }

  private static ExponentialBackoffWithJitter documented(RandomGenerator random) {
    return new ExponentialBackoffWithJitter(
        Integer.MAX_VALUE,
        dev.reprise.core.backoff.ExponentialBackoffWithJitter.builder().build(),
        () -> random);
  }

  @ParameterizedTest
  @MethodSource("exponentialJitter")
  void exponentialBackoffWithJitterWaitsAsDocumented(JsonNode row) {
    int count = row.get("retry").asInt() - 1;

    assertThat(documented(LOWEST).getRetryDecision(count, lost))
        .isEqualTo(RetryDecision.retryAfter(millis(row.get("minMillis"))));
    assertThat(documented(HIGHEST).getRetryDecision(count, lost))
        .isEqualTo(RetryDecision.retryAfter(millis(row.get("maxMillis"))));
    assertThat(new ExponentialBackoffWithJitter().getRetryDecision(count, lost).delay())
        .isBetween(millis(row.get("minMillis")), millis(row.get("maxMillis")));
  }

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    JsonNode vector = vectors("exponential-jitter.json");

    assertThat(new ExponentialBackoffWithJitter())
        .hasToString(
            new ExponentialBackoffWithJitter(
                    Integer.MAX_VALUE,
                    millis(vector.get("cMillis")),
                    millis(vector.get("cMinMillis")),
                    millis(vector.get("cMaxMillis")))
                .toString());
  }

  @ParameterizedTest
  @MethodSource("truncatedExponential")
  void truncatedExponentialWaitsAsDocumented(JsonNode row) {
    int count = row.get("n").asInt();
    Duration maximum = Duration.ofSeconds(row.get("maximumBackoffSeconds").asLong());
    Backoff backoff = Backoff.truncatedExponential(maximum);

    assertThat(
            RetryPolicies.of(backoff, Integer.MAX_VALUE, () -> LOWEST)
                .getRetryDecision(count, lost)
                .delay())
        .isEqualTo(millis(row.get("minMillis")));
    assertThat(
            RetryPolicies.of(backoff, Integer.MAX_VALUE, () -> HIGHEST)
                .getRetryDecision(count, lost)
                .delay())
        .isEqualTo(millis(row.get("maxMillis")));
    assertThat(RetryPolicies.truncatedExponential(maximum).getRetryDecision(count, lost).delay())
        .isBetween(millis(row.get("minMillis")), millis(row.get("maxMillis")));
  }

  static Stream<RetryPolicy> unlimited() {
    return Stream.of(
        new ExponentialBackoffWithJitter(),
        RetryPolicies.fixed(Duration.ofSeconds(10)),
        RetryPolicies.of(Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10))),
        RetryPolicies.truncatedExponential(Duration.ofSeconds(10)));
  }

  @ParameterizedTest
  @MethodSource("unlimited")
  void thePoliciesWithoutALimitNeverGiveUp(RetryPolicy policy) {
    for (int count : new int[] {1_000, Integer.MAX_VALUE - 1, Integer.MAX_VALUE}) {
      assertThat(policy.getRetryDecision(count, lost))
          .isEqualTo(RetryDecision.retryAfter(Duration.ofSeconds(10)));
    }
  }

  static Stream<RetryPolicy> all() {
    return Stream.concat(
        unlimited(), Stream.of(new NoRetry(), RetryPolicies.of(PolicyDocuments.read(DOCUMENT))));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aNegativeCountIsRefused(RetryPolicy policy) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.getRetryDecision(-1, lost))
        .withMessage("currentRetryCount is -1: must be >= 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.getRetryDecision(Integer.MIN_VALUE, lost));
  }

  @ParameterizedTest
  @MethodSource("all")
  void whatMustNotBeRetriedIsNotRetriedByAnyPolicy(RetryPolicy policy) {
    assertThat(policy.getRetryDecision(0, refused)).isEqualTo(RetryDecision.stop());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, Integer.MAX_VALUE})
  void noRetryNeverRetries(int count) {
    assertThat(new NoRetry().getRetryDecision(count, lost)).isEqualTo(RetryDecision.stop());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, false",
    "1, 0, true",
    "1, 1, false",
    "3, 2, true",
    "3, 3, false",
    "3, 4, false"
  })
  void asManyRetriesAreMadeAsAreAllowed(int maxRetries, int count, boolean retries) {
    RetryPolicy general = RetryPolicies.of(Backoff.none(), maxRetries);
    RetryPolicy documented =
        new ExponentialBackoffWithJitter(
            maxRetries, Duration.ofMillis(1), Duration.ZERO, Duration.ofSeconds(1));

    assertThat(general.getRetryDecision(count, lost).shouldRetry()).isEqualTo(retries);
    assertThat(documented.getRetryDecision(count, lost).shouldRetry()).isEqualTo(retries);
  }

  @ParameterizedTest
  @MethodSource("unlimited")
  void noPolicyComesBackEarlierThanAsked(RetryPolicy policy) {
    Duration hint = Duration.ofMinutes(5);

    assertThat(policy.getRetryDecision(0, throttledFor(hint)).delay()).isEqualTo(hint);
  }

  @ParameterizedTest
  @MethodSource("unlimited")
  void aHintOfAgesEndsTheRetriesAndDoesNotOverflow(RetryPolicy policy) {
    assertThat(policy.getRetryDecision(0, throttledFor(Duration.ofSeconds(Long.MAX_VALUE))))
        .isEqualTo(RetryDecision.stop());
  }

  @Test
  void aShortHintDoesNotHastenARetry() {
    RetryPolicy policy = RetryPolicies.fixed(Duration.ofSeconds(10));

    assertThat(policy.getRetryDecision(0, throttledFor(Duration.ofSeconds(1))).delay())
        .isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aDocumentWaitsLongerAfterThrottlesAndUsedUpQuotas() {
    RetryPolicy policy = RetryPolicies.of(PolicyDocuments.read(DOCUMENT));

    assertThat(policy.getRetryDecision(0, lost).delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(policy.getRetryDecision(0, throttled).delay()).isEqualTo(Duration.ofSeconds(10));
    assertThat(policy.getRetryDecision(0, quota).delay()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void theTruncatedExponentialBackoffEndsWhereItIsTold() {
    RetryPolicy policy = RetryPolicies.truncatedExponential(Duration.ofSeconds(32), 3);

    assertThat(policy.getRetryDecision(2, lost).shouldRetry()).isTrue();
    assertThat(policy.getRetryDecision(3, lost)).isEqualTo(RetryDecision.stop());
  }

  @Test
  void theJitterOfTheDocumentedPolicyCanBeSet() {
    Duration second = Duration.ofSeconds(1);
    RetryPolicy even =
        new ExponentialBackoffWithJitter(5, second, second, Duration.ofMinutes(1), 0, 0);

    assertThat(even.getRetryDecision(0, lost).delay()).isEqualTo(second);
    assertThat(even.getRetryDecision(3, lost).delay()).isEqualTo(Duration.ofSeconds(8));
    assertThat(even.getRetryDecision(5, lost).shouldRetry()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ExponentialBackoffWithJitter(5, second, second, second, 0.25, 0.5));
  }

  @Test
  void aDocumentRetriesOnceLessThanItMakesAttempts() {
    RetryPolicy policy = RetryPolicies.of(PolicyDocuments.read(DOCUMENT));

    assertThat(policy.getRetryDecision(2, lost).shouldRetry()).isTrue();
    assertThat(policy.getRetryDecision(3, lost).shouldRetry()).isFalse();
  }

  @Test
  void theHintOfADocumentIsKeptUpToItsCeiling() {
    RetryPolicy policy = RetryPolicies.of(PolicyDocuments.read(DOCUMENT));

    assertThat(policy.getRetryDecision(0, throttledFor(Duration.ofSeconds(30))).delay())
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.getRetryDecision(0, throttledFor(Duration.ofMillis(30_001))).shouldRetry())
        .isFalse();
  }

  @Test
  void aDocumentWithoutRetriesHasNone() {
    RetryPolicy policy = RetryPolicies.of(PolicyDocuments.read("{\"strategy\": \"none\"}"));

    assertThat(policy.getRetryDecision(0, lost)).isEqualTo(RetryDecision.stop());
  }

  @Test
  void theJitterOfADocumentComesFromTheGivenSource() {
    String jittered =
        """
        {"strategy": "standard",
         "backoff": {"type": "fixed", "delay": "8s", "jitter": "full"}}
        """;

    assertThat(
            RetryPolicies.of(PolicyDocuments.read(jittered), () -> LOWEST)
                .getRetryDecision(0, lost)
                .delay())
        .isEqualTo(Duration.ofNanos(1));
    assertThat(
            RetryPolicies.of(PolicyDocuments.read(jittered), () -> HIGHEST)
                .getRetryDecision(0, lost)
                .delay())
        .isEqualTo(Duration.ofSeconds(8));
  }

  @Test
  void theSameSeedGivesTheSameDelays() {
    Backoff backoff = Backoff.fixed(Duration.ofSeconds(9)).withFullJitter();
    SeededRandom.check(
        random -> {
          SeededRandom first = SeededRandom.of(random.seed());
          SeededRandom again = SeededRandom.of(random.seed());
          RetryPolicy policy = RetryPolicies.of(backoff, 100, () -> first);
          RetryPolicy twin = RetryPolicies.of(backoff, 100, () -> again);
          for (int count = 0; count < 100; count++) {
            assertThat(policy.getRetryDecision(count, lost))
                .isEqualTo(twin.getRetryDecision(count, lost));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  void aNegativeLimitIsRefused(int maxRetries) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryPolicies.of(Backoff.none(), maxRetries))
        .withMessageContaining("maxRetries is " + maxRetries);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ExponentialBackoffWithJitter(
                    maxRetries, Duration.ZERO, Duration.ZERO, Duration.ZERO))
        .withMessageContaining("maxRetries is " + maxRetries);
  }

  @ParameterizedTest
  @CsvSource({
    "PT-1S, PT0S, PT1S, interval",
    "PT1S, PT-1S, PT1S, minDelay",
    "PT1S, PT2S, PT1S, minDelay",
    "PT1S, PT0S, PT-1S, maxDelay"
  })
  void settingsOutOfRangeAreRefusedByName(
      Duration interval, Duration minDelay, Duration maxDelay, String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ExponentialBackoffWithJitter(1, interval, minDelay, maxDelay))
        .withMessageContaining(name);
  }

  @Test
  void delaysOutOfRangeAreRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryPolicies.fixed(Duration.ofSeconds(-1)))
        .withMessageContaining("delay");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryPolicies.truncatedExponential(Duration.ofSeconds(-1)))
        .withMessageContaining("maximumBackoff");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryDecision.retryAfter(Duration.ofNanos(-1)))
        .withMessageContaining("delay");
  }
}
