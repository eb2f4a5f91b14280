package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.RetryDecision.Retry;
import dev.reprise.core.strategy.RetryDecision.Stop;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPolicyTest {
  private static final long NO_DEADLINE = Long.MAX_VALUE;
  private static final long SECOND = 1_000_000_000L;

  private final RandomGenerator random = new SplittableRandom(7);
  private final RetryPolicy policy =
      new RetryPolicy(Backoff.fixed(Duration.ofSeconds(10)), 3, Duration.ofMinutes(1));

  record Failure(RetrySafety isRetrySafe, @Nullable Duration retryAfter) implements RetryInfo {}

  private static Failure failure(RetrySafety safety) {
    return new Failure(safety, null);
  }

  private static Failure hinted(Duration hint) {
    return new Failure(RetrySafety.YES, hint);
  }

  private RetryDecision decide(RetryInfo failure) {
    return policy.decide(0, failure, false, NO_DEADLINE, random);
  }

  @ParameterizedTest
  @CsvSource({
    "YES,   false, true",
    "YES,   true,  true",
    "MAYBE, false, false",
    "MAYBE, true,  true",
    "NO,    false, false",
    "NO,    true,  false"
  })
  void retriesWhatIsSafe(RetrySafety safety, boolean idempotent, boolean retried) {
    RetryDecision decision = policy.decide(0, failure(safety), idempotent, NO_DEADLINE, random);

    assertThat(decision)
        .isEqualTo(
            retried
                ? new Retry(1, 10 * SECOND, 10 * SECOND, Retry.NO_HINT)
                : new Stop(StopReason.NOT_RETRYABLE));
  }

  @Test
  void countsRetriesNotAttempts() {
    assertThat(policy.decide(2, failure(RetrySafety.YES), false, NO_DEADLINE, random))
        .isEqualTo(new Retry(3, 10 * SECOND, 10 * SECOND, Retry.NO_HINT));
    assertThat(policy.decide(3, failure(RetrySafety.YES), false, NO_DEADLINE, random))
        .isEqualTo(new Stop(StopReason.ATTEMPTS));
  }

  @Test
  void policyOfMostRetriesReachesTheLastOne() {
    RetryPolicy endless = new RetryPolicy(Backoff.none(), Integer.MAX_VALUE, Duration.ZERO);

    assertThat(
            endless.decide(
                Integer.MAX_VALUE - 1, failure(RetrySafety.YES), false, NO_DEADLINE, random))
        .isEqualTo(new Retry(Integer.MAX_VALUE, 0, 0, Retry.NO_HINT));
    assertThat(
            endless.decide(Integer.MAX_VALUE, failure(RetrySafety.YES), false, NO_DEADLINE, random))
        .isEqualTo(new Stop(StopReason.ATTEMPTS));
  }

  @Test
  void waitsForTheLongerOfBackoffAndHint() {
    assertThat(decide(hinted(Duration.ofSeconds(30))))
        .isEqualTo(new Retry(1, 30 * SECOND, 10 * SECOND, 30 * SECOND));
    assertThat(decide(hinted(Duration.ofSeconds(3))))
        .isEqualTo(new Retry(1, 10 * SECOND, 10 * SECOND, 3 * SECOND));
    assertThat(decide(hinted(Duration.ZERO))).isEqualTo(new Retry(1, 10 * SECOND, 10 * SECOND, 0));
  }

  @Test
  void hintAtTheCeilingIsKeptAndBeyondItStops() {
    assertThat(decide(hinted(Duration.ofMinutes(1))))
        .isEqualTo(new Retry(1, 60 * SECOND, 10 * SECOND, 60 * SECOND));
    assertThat(decide(hinted(Duration.ofMinutes(1).plusNanos(1))))
        .isEqualTo(new Stop(StopReason.HINT_TOO_LONG));
    assertThat(decide(hinted(Duration.ofSeconds(Long.MAX_VALUE))))
        .isEqualTo(new Stop(StopReason.HINT_TOO_LONG));
  }

  @Test
  void negativeHintIsNone() {
    assertThat(decide(hinted(Duration.ofSeconds(Long.MIN_VALUE))))
        .isEqualTo(new Retry(1, 10 * SECOND, 10 * SECOND, Retry.NO_HINT));
  }

  @Test
  void hintAloneDoesNotMakeAFailureRetryable() {
    assertThat(decide(new Failure(RetrySafety.NO, Duration.ofSeconds(1))))
        .isEqualTo(new Stop(StopReason.NOT_RETRYABLE));
    assertThat(decide(new Failure(RetrySafety.MAYBE, Duration.ofSeconds(1))))
        .isEqualTo(new Stop(StopReason.NOT_RETRYABLE));
  }

  @Test
  void doesNotWaitForADeadlineItCannotMeet() {
    Failure failure = failure(RetrySafety.YES);

    assertThat(policy.decide(0, failure, false, 10 * SECOND, random)).isInstanceOf(Retry.class);
    assertThat(policy.decide(0, failure, false, 10 * SECOND - 1, random))
        .isEqualTo(new Stop(StopReason.DEADLINE));
    assertThat(policy.decide(0, failure, false, -1, random))
        .isEqualTo(new Stop(StopReason.DEADLINE));
    assertThat(policy.decide(0, hinted(Duration.ofSeconds(20)), false, 15 * SECOND, random))
        .isEqualTo(new Stop(StopReason.DEADLINE));
  }

  @Test
  void firstRuleThatAppliesGivesTheReason() {
    Failure unsafe = new Failure(RetrySafety.NO, Duration.ofDays(1));
    Failure longHint = hinted(Duration.ofDays(1));

    assertThat(policy.decide(9, unsafe, true, -1, random))
        .isEqualTo(new Stop(StopReason.NOT_RETRYABLE));
    assertThat(policy.decide(9, longHint, true, -1, random))
        .isEqualTo(new Stop(StopReason.ATTEMPTS));
    assertThat(policy.decide(0, longHint, true, -1, random))
        .isEqualTo(new Stop(StopReason.HINT_TOO_LONG));
  }

  @Test
  void badSettingsAreNamed() {
    assertThatThrownBy(() -> new RetryPolicy(Backoff.none(), -1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxRetries is -1: must be >= 0");
    assertThatThrownBy(() -> new RetryPolicy(Backoff.none(), 1, Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hintCeiling is PT-1S: must not be negative");
    assertThatThrownBy(() -> policy.decide(-1, failure(RetrySafety.YES), true, 0, random))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retriesMade is -1: must be >= 0");
    assertThatThrownBy(() -> Backoff.fixed(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("delay is PT-1S: must not be negative");
  }
}
