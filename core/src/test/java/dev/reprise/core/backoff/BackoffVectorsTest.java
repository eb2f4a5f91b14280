package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The published and the documented schedules. */
class BackoffVectorsTest {
  private static JsonNode vectors(String name) {
    try (InputStream in = BackoffVectorsTest.class.getResourceAsStream("/vectors/" + name)) {
      return JsonMapper.shared().readTree(Objects.requireNonNull(in, name));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static long nanos(JsonNode millis) {
    return new BigDecimal(millis.asString()).movePointRight(6).longValueExact();
  }

  private static Duration millis(JsonNode millis) {
    return Duration.ofMillis(millis.asLong());
  }

  static Stream<JsonNode> exponentialJitter() {
    return vectors("exponential-jitter.json").get("rows").valueStream();
  }

  static Stream<JsonNode> truncatedExponential() {
    return vectors("truncated-exponential.json").get("rows").valueStream();
  }

  static Stream<JsonNode> stagedSchedules() {
    return vectors("staged-schedules.json").valueStream();
  }

  @ParameterizedTest
  @MethodSource("exponentialJitter")
  void exponentialBackoffWithJitterHasTheDocumentedRange(JsonNode row) {
    int retry = row.get("retry").asInt();

    DelayRange range = Backoff.exponentialWithJitter().range(retry);

    assertThat(range)
        .isEqualTo(new DelayRange(nanos(row.get("minMillis")), nanos(row.get("maxMillis"))));
  }

  @Test
  void documentedDefaultsAreTheDefaults() {
    JsonNode vector = vectors("exponential-jitter.json");

    assertThat(Backoff.exponentialWithJitter())
        .isEqualTo(
            ExponentialBackoffWithJitter.builder()
                .interval(millis(vector.get("cMillis")))
                .delays(millis(vector.get("cMinMillis")), millis(vector.get("cMaxMillis")))
                .jitter(vector.get("jitterDown").asDouble(), vector.get("jitterUp").asDouble())
                .build());
  }

  @ParameterizedTest
  @MethodSource("truncatedExponential")
  void truncatedExponentialHasTheDocumentedRange(JsonNode row) {
    int retry = row.get("n").asInt() + 1;
    Duration maximum = Duration.ofSeconds(row.get("maximumBackoffSeconds").asLong());

    DelayRange range = Backoff.truncatedExponential(maximum).range(retry);

    assertThat(range)
        .isEqualTo(new DelayRange(nanos(row.get("minMillis")), nanos(row.get("maxMillis"))));
  }

  @ParameterizedTest
  @MethodSource("stagedSchedules")
  void stagedBackoffHasTheDocumentedStagesAndDelays(JsonNode vector) {
    JsonNode policy = vector.get("healthyRetryPolicy");
    int noDelay = policy.get("numNoDelayRetries").asInt();
    int min = policy.get("numMinDelayRetries").asInt();
    int max = policy.get("numMaxDelayRetries").asInt();
    StagedBackoff backoff =
        StagedBackoff.builder()
            .noDelayRetries(noDelay)
            .minDelayRetries(min)
            .backoffRetries(policy.get("numRetries").asInt() - noDelay - min - max)
            .maxDelayRetries(max)
            .delays(
                Duration.ofSeconds(policy.get("minDelayTarget").asLong()),
                Duration.ofSeconds(policy.get("maxDelayTarget").asLong()))
            .function(
                BackoffFunction.valueOf(
                    policy.get("backoffFunction").asString().toUpperCase(Locale.ROOT)))
            .build();

    int retry = 0;
    long totalMillis = 0;
    for (JsonNode run : vector.get("delays")) {
      for (int i = 0; i < run.get("times").asInt(); i++) {
        retry++;
        totalMillis += backoff.delayMillis(retry);
        assertThat(backoff.stageOf(retry).wireName()).isEqualTo(run.get("stage").asString());
        assertThat(backoff.delayNanos(retry, Sources.UNTOUCHED))
            .isEqualTo(nanos(run.get("delayMillis")));
      }
    }

    assertThat(retry).isEqualTo(vector.get("retries").asInt());
    assertThat(totalMillis).isEqualTo(vector.get("totalDelayMillis").asLong());
  }

  @Test
  void highestDrawIsThePublishedListOfTheStandardStrategy() {
    Backoff backoff =
        Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(20)).withFullJitter();

    LongStream millis =
        IntStream.rangeClosed(1, 11)
            .mapToLong(retry -> backoff.delayNanos(retry, Sources.HIGHEST))
            .peek(nanos -> assertThat(nanos % 1_000_000).isZero())
            .map(nanos -> nanos / 1_000_000);

    assertThat(millis)
        .containsExactly(
            50L, 100L, 200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 12_800L, 20_000L, 20_000L);
  }

  /** Published in whole milliseconds, and from attempt 2, which is retry 1. */
  @ParameterizedTest
  @CsvSource({
    "1, 23, 11",
    "2, 46, 23",
    "4, 184, 92",
    "6, 736, 368",
    "10, 11776, 5888",
    "12, 20000, 10000"
  })
  void fullJitterIsThePublishedShareOfTheCappedDelay(
      int retry, long allMillis, long halfOfItMillis) {
    Backoff backoff =
        Backoff.exponential(Duration.ofMillis(23), Duration.ofSeconds(20)).withFullJitter();

    assertThat(backoff.delayNanos(retry, Sources.HIGHEST)).isEqualTo(allMillis * 1_000_000);
    // Drawn from 1 nanosecond on, so that the middle is one above half.
    assertThat(backoff.delayNanos(retry, Sources.at(0.5))).isEqualTo(allMillis * 500_000 + 1);
    assertThat(allMillis / 2).isEqualTo(halfOfItMillis);
    assertThat(backoff.delayNanos(retry, Sources.LOWEST)).isEqualTo(1);
  }
}
