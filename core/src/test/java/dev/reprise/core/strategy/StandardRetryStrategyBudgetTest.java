package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.Operation;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class StandardRetryStrategyBudgetTest extends StandardFixture {
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
  void smithyGuideProfileGivesBackOneToken() {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    strategy.decide(call, Failure.timeout(), NO_DEADLINE);
    assertThat(tokens(budget)).isEqualTo(485);

    strategy.recordSuccess(call);
    assertThat(tokens(budget)).isEqualTo(486);
  }

  @Test
  void aFullBudgetStaysFull() {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();
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
        builder(StandardProfile.SMITHY_GUIDE)
            .budgets(ScopedBudgets.perScope(() -> bucket(5, StandardProfile.SMITHY_GUIDE)))
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
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();
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
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE).nanoClock(broken).build();
    strategy.recordFirstSuccess(Operation.DEFAULT);
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isTrue();
    strategy.recordSuccess(call);

    ManualClock clock = new ManualClock();
    StandardRetryStrategy filling =
        builder(StandardProfile.SMITHY_GUIDE)
            .nanoClock(clock)
            .budget(RetryBudget.tokenBucket(5, TokenPrices.SMITHY_GUIDE, 1))
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
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).maxAttempts(2).build();
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThat(strategy.payForHedge(call)).isTrue();
    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(strategy.decide(call, Failure.error(), NO_DEADLINE)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void anEmptyBudgetPaysForNoHedge() {
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE)
            .budget(bucket(4, StandardProfile.SMITHY_GUIDE))
            .build();
    CallState call = strategy.begin(Operation.DEFAULT.withScope("host"));

    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(call.attempt).isEqualTo(1);
  }

  @Test
  void aRetryThatIsNotMadeCostsNothing() {
    RetryBudget budget = bucket(500, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();
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
    RetryBudget budget = bucket(13, StandardProfile.SMITHY_GUIDE);
    StandardRetryStrategy strategy =
        builder(StandardProfile.SMITHY_GUIDE).maxAttempts(3).budget(budget).build();

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
        builder(StandardProfile.SMITHY_GUIDE)
            .budget(bucket(0, StandardProfile.SMITHY_GUIDE))
            .build();
    CallState call = strategy.begin(Operation.DEFAULT.withScope("orders.example"));
    strategy.decide(call, Failure.error(), NO_DEADLINE);

    assertThat(strategy.explain(call))
        .startsWith("budget of orders.example: 0.000 of 0 tokens left");
  }

  @Test
  void explainsAttemptsAndDeadline() {
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).maxAttempts(2).build();

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
    StandardRetryStrategy strategy = builder(StandardProfile.SMITHY_GUIDE).build();
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
}
