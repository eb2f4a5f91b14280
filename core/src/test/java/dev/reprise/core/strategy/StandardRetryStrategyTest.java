package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Classifier;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandardRetryStrategyTest extends StandardFixture {
  // Attempts and delays

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void makesExactlyTheAttemptsThatAreAllowed(int maxAttempts) {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE).maxAttempts(maxAttempts).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    int attempts = 1;
    while (strategy.decide(call, Failure.error(), NO_DEADLINE)) {
      attempts++;
      assertThat(call.attempt).isEqualTo(attempts);
    }

    assertThat(attempts).isEqualTo(maxAttempts);
    assertThat(call.stopReason).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void smithyGuideProfileMakesFiveAttemptsFromOneSecondOn() {
    assertThat(
            failures(
                builder(StandardProfile.SMITHY_GUIDE).build(),
                Operation.DEFAULT,
                Failure.error(),
                Failure.error(),
                Failure.error(),
                Failure.error(),
                Failure.error()))
        .containsExactly(1000L, 2000L, 4000L, 8000L, "ATTEMPTS");
  }

  @Test
  void theCapComesBeforeTheJitter() {
    assertThat(
            failures(
                builder(StandardProfile.AWS_STANDARD_2_1)
                    .maxAttempts(12)
                    .budget(RetryBudget.unlimited())
                    .build(),
                Operation.DEFAULT,
                Collections.nCopies(11, Failure.error()).toArray(Throwable[]::new)))
        .containsExactly(
            50L, 100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 12_800L, 20_000L, 20_000L);
  }

  @Test
  void lateRetriesNeitherOverflowNorLoseTheirJitter() {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder(StandardProfile.AWS_STANDARD_2_0)
            .maxAttempts(Integer.MAX_VALUE)
            .budget(RetryBudget.unlimited())
            .random(new Random(3))
            .build();
    CallState call = strategy.begin(Operation.DEFAULT);
    for (int attempt : new int[] {33, 63, 64, 1023, 1_000_000, Integer.MAX_VALUE - 1}) {
      List<Long> delays = new ArrayList<>();
      for (int draw = 0; draw < 20; draw++) {
        call.attempt = attempt;
        assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isTrue();
        delays.add(call.delayNanos);
      }
      assertThat(delays).allMatch(delay -> delay > 0 && delay <= 20_000_000_000L);
      assertThat(delays.stream().distinct()).hasSize(20);
    }
    call.attempt = Integer.MAX_VALUE;
    assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isFalse();
  }

  @Test
  void aRetryAlwaysBacksOff() {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder().random(FixedRandom.SHORTEST).build();

    assertThat(delayAfter(strategy, Failure.error())).isPositive();
  }

  @Test
  void baseIsThatOfTheLatestFailureAndGrowthThatOfAllRetries() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).maxAttempts(8).budget(budget).build();

    assertThat(
            failures(
                strategy,
                Operation.DEFAULT,
                Failure.throttle(),
                Failure.throttle(),
                Failure.error(),
                Failure.error(),
                Failure.error(),
                Failure.error(),
                Failure.throttle()))
        .containsExactly(1000L, 2000L, 200L, 400L, 800L, 1600L, 20_000L);
    assertThat(500 - tokens(budget)).isEqualTo(5 + 5 + 14 * 4 + 5);
  }

  // Safety

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
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();
    CallState call = strategy.begin(Operation.DEFAULT.withIdempotent(idempotent));

    assertThat(strategy.decide(call, Failure.safety(safety), NO_DEADLINE)).isEqualTo(retried);
    assertThat(call.stopReason).isEqualTo(retried ? null : StopReason.NOT_RETRYABLE);
  }

  /** An explicit NO beside a fault of the server. */
  private static final class Refused extends RuntimeException implements RetryInfo, ErrorInfo {
    private static final long serialVersionUID = 1;

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.NO;
    }

    @Override
    public ErrorFault fault() {
      return ErrorFault.SERVER;
    }
  }

  /** A fault of the server, and nothing else is known. */
  private static final class Broken extends RuntimeException implements ErrorInfo {
    private static final long serialVersionUID = 1;

    @Override
    public ErrorFault fault() {
      return ErrorFault.SERVER;
    }
  }

  @Test
  void noIsFinalWhateverTheFault() {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();
    CallState call = strategy.begin(Operation.IDEMPOTENT);

    assertThat(strategy.decide(call, new Refused(), NO_DEADLINE)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.NOT_RETRYABLE);
    call = strategy.begin(Operation.IDEMPOTENT);
    assertThat(strategy.decide(call, new Broken(), NO_DEADLINE)).isTrue();
  }

  @Test
  void whatNobodyKnowsIsNotRetried() {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();

    assertThat(stopOf(strategy, new IllegalStateException())).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new InterruptedException())).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new OutOfMemoryError())).isEqualTo(StopReason.NOT_RETRYABLE);
  }

  @Test
  void causesAreLookedAtAndCyclesEnd() {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();
    Exception inner = new IllegalStateException("inner");
    Exception outer = new IllegalStateException("outer", inner);
    inner.initCause(outer);

    assertThat(stopOf(strategy, outer)).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new IllegalStateException(Failure.error()))).isNull();
  }

  @Test
  void whatARuleThrowsComesOutAndChangesNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE)
            .budget(budget)
            .classifier(
                Classifier.defaults()
                    .with(
                        (failure, soFar) -> {
                          throw new ArithmeticException("rule");
                        }))
            .build();
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThatThrownBy(() -> strategy.decide(call, Failure.error(), NO_DEADLINE))
        .isInstanceOf(ArithmeticException.class);
    assertThat(call.attempt).isEqualTo(1);
    assertThat(tokens(budget)).isEqualTo(500);
  }

  // Hints

  @ParameterizedTest
  @CsvSource({
    "PT0S,           PT1S",
    "PT-1S,          PT1S",
    "PT0.999999999S, PT1S",
    "PT1.000000001S, PT1.000000001S",
    "PT30S,          PT30S",
    "PT2M,           PT2M"
  })
  void neverEarlierThanAskedAndNeverFasterThanItsOwnDelay(Duration hint, Duration delay) {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();

    assertThat(delayAfter(strategy, Failure.error().withHint(hint))).isEqualTo(delay.toNanos());
  }

  @Test
  void noHintIsNoHint() {
    assertThat(
            delayAfter(
                builder(StandardProfile.SMITHY_GUIDE).build(), Failure.error().withHint(null)))
        .isEqualTo(SECOND.toNanos());
  }

  @Test
  void aFractionOfAMillisecondIsKept() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE).backoff(Backoff.fixed(Duration.ofNanos(1))).build();

    assertThat(delayAfter(strategy, Failure.error().withHint(Duration.ofNanos(999_999))))
        .isEqualTo(999_999);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT2M0.000000001S", "P10D", "P1000000000D"})
  void aHintBeyondTheCeilingEndsTheOperation(Duration hint) {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();

    assertThat(stopOf(strategy, Failure.error().withHint(hint)))
        .isEqualTo(StopReason.HINT_TOO_LONG);
    assertThat(tokens(budget)).isEqualTo(500);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.049999999S, PT0.05S",
    "PT1.5S,         PT1.5S",
    "PT5.05S,        PT5.05S",
    "PT5.050000001S, PT5.05S",
    "P1000000000D,   PT5.05S",
    "PT-0.1S,        PT0.05S"
  })
  void profileTwoPointOneClampsHints(Duration hint, Duration delay) {
    StandardRetryStrategy strategy = builder(StandardProfile.AWS_STANDARD_2_1).build();

    assertThat(delayAfter(strategy, Failure.error().withHint(hint))).isEqualTo(delay.toNanos());
  }

  @Test
  void clampingSaturates() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1)
            .backoff(Backoff.fixed(Duration.ofNanos(Long.MAX_VALUE - 1)))
            .build();

    assertThat(delayAfter(strategy, Failure.error().withHint(Duration.ofDays(1_000_000_000))))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aHintAloneMakesNothingRetryable() {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();

    for (RetrySafety safety : List.of(RetrySafety.NO, RetrySafety.MAYBE)) {
      assertThat(stopOf(strategy, Failure.safety(safety).withHint(SECOND)))
          .isEqualTo(StopReason.NOT_RETRYABLE);
    }
  }

  // Order

  @Test
  void whatIsRefusedCostsNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThat(strategy.decide(call, Failure.error(), SECOND.toNanos() - 1)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.DEADLINE);
    assertThat(call.delayNanos).isZero();
    assertThat(tokens(budget)).isEqualTo(500);

    call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, Failure.error(), SECOND.toNanos())).isTrue();
    assertThat(tokens(budget)).isEqualTo(495);
  }

  @Test
  void reasonsAreAskedInTheirOrder() {
    RetryBudget empty = bucket(0, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE).maxAttempts(2).budget(empty).build();
    Failure tooLong = Failure.error().withHint(Duration.ofDays(1));
    CallState call = strategy.begin(Operation.DEFAULT);

    call.attempt = 2;
    strategy.decide(call, tooLong.withSafety(RetrySafety.NO), 0);
    assertThat(call.stopReason).isEqualTo(StopReason.NOT_RETRYABLE);
    strategy.decide(call, tooLong, 0);
    assertThat(call.stopReason).isEqualTo(StopReason.ATTEMPTS);
    call.attempt = 1;
    strategy.decide(call, tooLong, 0);
    assertThat(call.stopReason).isEqualTo(StopReason.HINT_TOO_LONG);
    strategy.decide(call, Failure.error(), 0);
    assertThat(call.stopReason).isEqualTo(StopReason.DEADLINE);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    assertThat(call.stopReason).isEqualTo(StopReason.BUDGET);
  }

  // Building

  @Test
  void aCopyKeepsEveryField() throws ReflectiveOperationException {
    StandardRetryStrategy original =
        StandardRetryStrategy.builder(StandardProfile.AWS_STANDARD_2_1)
            .maxAttempts(7)
            .backoff(Backoff.fixed(SECOND))
            .throttleBackoff(Backoff.fixed(Duration.ofSeconds(2)))
            .hintCeiling(Duration.ofSeconds(3))
            .classifier(Classifier.of())
            .budget(RetryBudget.unlimited())
            .random(FixedRandom.LONGEST)
            .nanoClock(() -> 4)
            .build();
    StandardRetryStrategy plain = StandardRetryStrategy.builder().build();
    StandardRetryStrategy copy = original.toBuilder().build();
    int fields = 0;
    for (Field field : StandardRetryStrategy.class.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        fields++;
        assertThat(field.get(copy)).as(field.getName()).isEqualTo(field.get(original));
        // Or the test would not see a field that is lost.
        if (!field.getName().equals("delaysLongPolls")) {
          assertThat(field.get(original)).as(field.getName()).isNotEqualTo(field.get(plain));
        }
      }
    }
    assertThat(fields).isEqualTo(8);
  }

  @Test
  void aCopySharesTheBudgetAndASecondBuildDoesNot() {
    StandardRetryStrategy.Builder builder = builder(StandardProfile.SMITHY_GUIDE).maxAttempts(200);
    StandardRetryStrategy first = builder.build();
    StandardRetryStrategy second = builder.build();
    StandardRetryStrategy copy = first.toBuilder().maxAttempts(2).build();
    CallState call = first.begin(Operation.DEFAULT);
    while (first.decide(call, Failure.error(), NO_DEADLINE)) {}

    assertThat(stopOf(copy, Failure.error())).isEqualTo(StopReason.BUDGET);
    assertThat(stopOf(second, Failure.error())).isNull();
  }

  @Test
  void refusesWhatMakesNoSense() {
    StandardRetryStrategy.Builder builder = StandardRetryStrategy.builder();

    assertThatThrownBy(() -> builder.maxAttempts(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxAttempts is 0: must be >= 1");
    assertThatThrownBy(() -> builder.hintCeiling(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hintCeiling is PT-1S: must not be negative");
    assertThatThrownBy(() -> builder.hintCeiling(Duration.ofDays(1_000_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("hintCeiling is PT24000000H: must be at most");
  }
}
