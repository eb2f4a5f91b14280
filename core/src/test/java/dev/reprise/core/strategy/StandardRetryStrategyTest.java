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
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandardRetryStrategyTest {
  private static final long NO_DEADLINE = Long.MAX_VALUE;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static StandardRetryStrategy.Builder builder(StandardProfile profile) {
    return StandardRetryStrategy.builder(profile).random(FixedRandom.LONGEST);
  }

  private static RetryBudget bucket(int tokens, StandardProfile profile) {
    return RetryBudget.tokenBucket(tokens, profile.prices());
  }

  private static double tokens(RetryBudget budget) {
    return budget.balanceMilliTokens(0) / 1000.0;
  }

  /** Fails until there is no retry; the delays in milliseconds, then the reason to stop. */
  private static List<Object> failures(
      DecidingStrategy strategy, Operation operation, Throwable... failures) {
    List<Object> told = new ArrayList<>();
    CallState call = strategy.begin(operation);
    for (Throwable failure : failures) {
      boolean retried = strategy.decide(call, failure, NO_DEADLINE);
      told.add(retried ? call.delayNanos / 1_000_000 : String.valueOf(call.stopReason));
    }
    return told;
  }

  private static @Nullable StopReason stopOf(DecidingStrategy strategy, Throwable failure) {
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, failure, NO_DEADLINE);
    return call.stopReason;
  }

  private static long delayAfter(DecidingStrategy strategy, Throwable failure) {
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, failure, NO_DEADLINE)).isTrue();
    return call.delayNanos;
  }

  // Attempts and delays

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void makesExactlyTheAttemptsThatAreAllowed(int maxAttempts) {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).maxAttempts(maxAttempts).build();
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
  void seedProfileMakesFiveAttemptsFromOneSecondOn() {
    assertThat(
            failures(
                builder(StandardProfile.SEED).build(),
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
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();
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
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();
    CallState call = strategy.begin(Operation.IDEMPOTENT);

    assertThat(strategy.decide(call, new Refused(), NO_DEADLINE)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.NOT_RETRYABLE);
    call = strategy.begin(Operation.IDEMPOTENT);
    assertThat(strategy.decide(call, new Broken(), NO_DEADLINE)).isTrue();
  }

  @Test
  void whatNobodyKnowsIsNotRetried() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();

    assertThat(stopOf(strategy, new IllegalStateException())).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new InterruptedException())).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new OutOfMemoryError())).isEqualTo(StopReason.NOT_RETRYABLE);
  }

  @Test
  void causesAreLookedAtAndCyclesEnd() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();
    Exception inner = new IllegalStateException("inner");
    Exception outer = new IllegalStateException("outer", inner);
    inner.initCause(outer);

    assertThat(stopOf(strategy, outer)).isEqualTo(StopReason.NOT_RETRYABLE);
    assertThat(stopOf(strategy, new IllegalStateException(Failure.error()))).isNull();
  }

  @Test
  void whatARuleThrowsComesOutAndChangesNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED)
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
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();

    assertThat(delayAfter(strategy, Failure.error().withHint(hint))).isEqualTo(delay.toNanos());
  }

  @Test
  void noHintIsNoHint() {
    assertThat(delayAfter(builder(StandardProfile.SEED).build(), Failure.error().withHint(null)))
        .isEqualTo(SECOND.toNanos());
  }

  @Test
  void aFractionOfAMillisecondIsKept() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED).backoff(Backoff.fixed(Duration.ofNanos(1))).build();

    assertThat(delayAfter(strategy, Failure.error().withHint(Duration.ofNanos(999_999))))
        .isEqualTo(999_999);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT2M0.000000001S", "P10D", "P1000000000D"})
  void aHintBeyondTheCeilingEndsTheOperation(Duration hint) {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).budget(budget).build();

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
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();

    for (RetrySafety safety : List.of(RetrySafety.NO, RetrySafety.MAYBE)) {
      assertThat(stopOf(strategy, Failure.safety(safety).withHint(SECOND)))
          .isEqualTo(StopReason.NOT_RETRYABLE);
    }
  }

  // Order

  @Test
  void whatIsRefusedCostsNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).budget(budget).build();
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
    RetryBudget empty = bucket(0, StandardProfile.SEED);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED).maxAttempts(2).budget(empty).build();
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

  // Budget

  @Test
  void aFirstAttemptThatSucceedsBringsOneToken() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).build();
    failures(strategy, Operation.DEFAULT, Failure.error());
    assertThat(tokens(budget)).isEqualTo(486);

    strategy.recordFirstSuccess(Operation.DEFAULT);
    assertThat(tokens(budget)).isEqualTo(487);
    strategy.recordSuccess(strategy.begin(Operation.DEFAULT));
    assertThat(tokens(budget)).isEqualTo(488);
  }

  @Test
  void successGivesBackWhatTheLastRetryCostAndFailureNothing() {
    RetryBudget budget = bucket(30, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).maxAttempts(5).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    assertThat(tokens(budget)).isEqualTo(2);
    strategy.recordSuccess(call);
    assertThat(tokens(budget)).isEqualTo(16);

    call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    assertThat(tokens(budget)).isEqualTo(2);
    strategy.decide(call, Failure.safety(RetrySafety.NO), NO_DEADLINE);
    assertThat(tokens(budget)).isEqualTo(2);
  }

  @Test
  void seedProfileGivesBackOneToken() {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).budget(budget).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    strategy.decide(call, Failure.timeout(), NO_DEADLINE);
    assertThat(tokens(budget)).isEqualTo(485);

    strategy.recordSuccess(call);
    assertThat(tokens(budget)).isEqualTo(486);
  }

  @Test
  void aFullBudgetStaysFull() {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).budget(budget).build();
    for (int i = 0; i < 10; i++) {
      strategy.recordFirstSuccess(Operation.DEFAULT);
    }

    assertThat(tokens(budget)).isEqualTo(500);
  }

  @Test
  void errorsDrainTheBudgetToItsLastTen() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).build();
    for (int i = 0; i < 34; i++) {
      CallState call = strategy.begin(Operation.DEFAULT);
      assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isTrue();
      assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isTrue();
      strategy.recordSuccess(call);
    }

    assertThat(failures(strategy, Operation.DEFAULT, Failure.error(), Failure.error()))
        .containsExactly(50L, "BUDGET");
    assertThat(tokens(budget)).isEqualTo(10);
  }

  @Test
  void throttlesDrainTheBudgetToNothing() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).build();
    for (int i = 0; i < 99; i++) {
      CallState call = strategy.begin(Operation.DEFAULT);
      assertThat(strategy.decide(call, Failure.throttle(), NO_DEADLINE)).isTrue();
      assertThat(strategy.decide(call, Failure.throttle(), NO_DEADLINE)).isTrue();
      strategy.recordSuccess(call);
    }

    assertThat(failures(strategy, Operation.DEFAULT, Failure.throttle(), Failure.throttle()))
        .containsExactly(1000L, "BUDGET");
    assertThat(tokens(budget)).isZero();
  }

  @Test
  void callsThatOverlapShareOneBudget() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).maxAttempts(5).budget(budget).build();
    CallState one = strategy.begin(Operation.DEFAULT);
    CallState two = strategy.begin(Operation.DEFAULT);
    strategy.decide(one, Failure.error(), NO_DEADLINE);
    strategy.decide(one, Failure.error(), NO_DEADLINE);
    strategy.decide(two, Failure.error(), NO_DEADLINE);
    strategy.recordSuccess(one);
    strategy.recordSuccess(two);

    assertThat(tokens(budget)).isEqualTo(486);
  }

  @Test
  void operationsThatAllNeedARetryCannotDoubleTheTraffic() {
    // 50 from the full budget, and one for each ten of the successes that these made possible.
    assertThat(retriesOf(StandardProfile.REPRISE_DEFAULT)).isEqualTo(55);
    assertThat(retriesOf(StandardProfile.AWS_STANDARD_2_1)).isEqualTo(10_000);
  }

  /** How many of 10,000 operations are retried that fail at every first attempt. */
  private static int retriesOf(StandardProfile profile) {
    StandardRetryStrategy strategy = builder(profile).build();
    int retries = 0;
    for (int i = 0; i < 10_000; i++) {
      CallState call = strategy.begin(Operation.DEFAULT);
      if (strategy.decide(call, Failure.error(), NO_DEADLINE)) {
        retries++;
        strategy.recordSuccess(call);
      }
    }
    return retries;
  }

  @Test
  void scopesFailApart() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED)
            .budgets(ScopedBudgets.perScope(() -> bucket(5, StandardProfile.SEED)))
            .build();
    Operation left = Operation.DEFAULT.withScope("left");
    Operation right = Operation.DEFAULT.withScope("right");

    assertThat(failures(strategy, left, Failure.error(), Failure.error()))
        .containsExactly(1000L, "BUDGET");
    assertThat(failures(strategy, right, Failure.error())).containsExactly(1000L);
    assertThat(failures(strategy, Operation.DEFAULT, Failure.error())).containsExactly(1000L);

    for (int i = 0; i < 5; i++) {
      strategy.recordFirstSuccess(left);
    }
    assertThat(failures(strategy, left, Failure.error())).containsExactly(1000L);
    assertThat(failures(strategy, right, Failure.error())).containsExactly("BUDGET");
  }

  @Test
  void drainedScopesGetNoFreshBudgetBecauseOthersCome() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();
    Operation drained = Operation.DEFAULT.withScope("drained");
    for (int i = 0; i < 100; i++) {
      failures(strategy, drained, Failure.error());
    }
    assertThat(failures(strategy, drained, Failure.error())).containsExactly("BUDGET");

    for (int i = 0; i < 1000; i++) {
      failures(strategy, Operation.DEFAULT.withScope("other " + i), Failure.error());
    }

    assertThat(failures(strategy, drained, Failure.error())).containsExactly("BUDGET");
  }

  @Test
  void theClockIsReadOnlyForBudgetsThatFillWithTime() {
    LongSupplier broken =
        () -> {
          throw new AssertionError("read the clock");
        };
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).nanoClock(broken).build();
    strategy.recordFirstSuccess(Operation.DEFAULT);
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isTrue();
    strategy.recordSuccess(call);

    ManualClock clock = new ManualClock();
    StandardRetryStrategy filling =
        builder(StandardProfile.SEED)
            .nanoClock(clock)
            .budget(RetryBudget.tokenBucket(5, TokenPrices.SEED, 1))
            .build();
    assertThat(failures(filling, Operation.DEFAULT, Failure.error(), Failure.error()))
        .containsExactly(1000L, "BUDGET");
    clock.at(5);
    assertThat(failures(filling, Operation.DEFAULT, Failure.error())).containsExactly(1000L);
  }

  // Long polls

  @Test
  void aLongPollThatTheBudgetDoesNotRetryWaitsAllTheSame() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1)
            .budget(bucket(0, StandardProfile.AWS_STANDARD_2_1))
            .build();

    assertThat(pauseAfter(strategy, true, Failure.error())).isEqualTo(Duration.ofMillis(50));
    assertThat(pauseAfter(strategy, true, Failure.throttle())).isEqualTo(SECOND);
    assertThat(pauseAfter(strategy, false, Failure.error())).isZero();
    assertThat(pauseAfter(strategy, true, Failure.safety(RetrySafety.NO))).isZero();
  }

  @Test
  void aLongPollWhoseAttemptsAreUsedUpDoesNotWait() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).maxAttempts(1).build();

    assertThat(pauseAfter(strategy, true, Failure.error())).isZero();
  }

  @Test
  void otherProfilesLetLongPollsGo() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_0)
            .budget(bucket(0, StandardProfile.AWS_STANDARD_2_0))
            .build();

    assertThat(pauseAfter(strategy, true, Failure.error())).isZero();
  }

  private static Duration pauseAfter(
      StandardRetryStrategy strategy, boolean longPoll, Throwable failure) {
    CallState call = strategy.begin(Operation.DEFAULT.withLongPoll(longPoll));
    assertThat(strategy.decide(call, failure, NO_DEADLINE)).isFalse();
    return Duration.ofNanos(call.delayNanos);
  }

  // Hedges and retries that are not made

  @Test
  void hedgesArePaidForAndNotGivenBack() {
    RetryBudget budget = bucket(500, StandardProfile.AWS_STANDARD_2_1);
    StandardRetryStrategy strategy =
        builder(StandardProfile.AWS_STANDARD_2_1).budget(budget).build();
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThat(strategy.payForHedge(call)).isTrue();
    assertThat(tokens(budget)).isEqualTo(486);
    assertThat(call.attempt).isEqualTo(2);
    strategy.recordSuccess(call);
    assertThat(tokens(budget)).isEqualTo(487);
  }

  @Test
  void hedgesCountAsAttempts() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).maxAttempts(2).build();
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThat(strategy.payForHedge(call)).isTrue();
    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void anEmptyBudgetPaysForNoHedge() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED).budget(bucket(4, StandardProfile.SEED)).build();
    CallState call = strategy.begin(Operation.DEFAULT.withScope("host"));

    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(call.attempt).isEqualTo(1);
  }

  @Test
  void aRetryThatIsNotMadeCostsNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SEED);
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).budget(budget).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    strategy.decide(call, Failure.timeout(), NO_DEADLINE);

    strategy.abandon(call);
    assertThat(tokens(budget)).isEqualTo(495);
    strategy.abandon(call);
    assertThat(tokens(budget)).isEqualTo(495);
    strategy.abandon(strategy.begin(Operation.DEFAULT.withScope("never failed")));
  }

  // Explanations

  @Test
  void explainsWithNumbersAndTheSettingToChange() {
    RetryBudget budget = bucket(13, StandardProfile.SEED);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED).maxAttempts(3).budget(budget).build();

    assertThat(explanation(strategy, Failure.timeout(), Failure.timeout()))
        .isEqualTo(
            "budget: 3.000 of 13 tokens left, a retry after this failure costs 10"
                + " (TokenPrices.timeoutMilliTokens)");
    assertThat(explanation(strategy, Failure.error()))
        .isEqualTo(
            "budget: 3.000 of 13 tokens left, a retry after this failure costs 5"
                + " (TokenPrices.errorMilliTokens)");
    assertThat(explanation(strategy, Failure.throttle()))
        .endsWith("(TokenPrices.throttleMilliTokens)");
    assertThat(explanation(strategy, Failure.error().withHint(Duration.ofHours(1))))
        .isEqualTo(
            "hint: the other side asks to wait for PT1H, at most PT2M is accepted (hintCeiling)");
    assertThat(explanation(strategy, Failure.safety(RetrySafety.MAYBE)))
        .startsWith("not retryable: ")
        .endsWith(
            "; it may have taken effect, and is not declared idempotent (Operation.idempotent)");
    assertThat(explanation(strategy, new IllegalStateException()))
        .isEqualTo("not retryable: unknown failure (classifier)");
  }

  @Test
  void explainsWhoseBudgetIsEmpty() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SEED).budget(bucket(0, StandardProfile.SEED)).build();
    CallState call = strategy.begin(Operation.DEFAULT.withScope("orders.example"));
    strategy.decide(call, Failure.error(), NO_DEADLINE);

    assertThat(strategy.explain(call))
        .startsWith("budget of orders.example: 0.000 of 0 tokens left");
  }

  @Test
  void explainsAttemptsAndDeadline() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).maxAttempts(2).build();

    assertThat(explanation(strategy, Failure.error(), Failure.error()))
        .isEqualTo("attempts: 2 of 2 made (maxAttempts)");
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), Duration.ofMillis(300).toNanos());
    assertThat(strategy.explain(call))
        .isEqualTo("deadline: the next attempt must wait for PT1S, and PT0.3S are left (deadline)");
    strategy.decide(call, Failure.error(), -1);
    assertThat(strategy.explain(call)).contains("PT0S are left");
  }

  @Test
  void explainsWhatTheRunnerDecided() {
    StandardRetryStrategy strategy = builder(StandardProfile.SEED).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.explain(call)).isEqualTo("attempt 1 of 5 (maxAttempts)");
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    for (StopReason reason : StopReason.values()) {
      call.stopReason = reason;
      assertThat(strategy.explain(call)).isNotEmpty();
    }
  }

  private static String explanation(StandardRetryStrategy strategy, Throwable... failures) {
    CallState call = strategy.begin(Operation.DEFAULT);
    for (Throwable failure : failures) {
      strategy.decide(call, failure, NO_DEADLINE);
    }
    return strategy.explain(call);
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
    StandardRetryStrategy.Builder builder = builder(StandardProfile.SEED).maxAttempts(200);
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
