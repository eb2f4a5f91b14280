package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.Operation;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AdaptiveRetryStrategyTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NO_DEADLINE = Long.MAX_VALUE;

  private final ManualClock clock = new ManualClock();
  private final RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);
  private final AdaptiveRetryStrategy strategy =
      RetryStrategies.adaptive(
          StandardRetryStrategy.builder(StandardProfile.AWS_STANDARD_2_1)
              .random(FixedRandom.LONGEST)
              .budget(budget)
              .nanoClock(clock)
              .build());

  private void throttle(Operation operation) {
    strategy.decide(
        strategy.begin(operation), Failure.throttle().withSafety(RetrySafety.NO), NO_DEADLINE);
  }

  private long firstDelay(Operation operation) {
    CallState call = strategy.begin(operation);
    long delay = call.delayNanos;
    strategy.abandon(call);
    return delay;
  }

  @Test
  void nothingIsPacedBeforeTheFirstThrottle() {
    for (int i = 0; i < 1000; i++) {
      strategy.recordFirstSuccess(Operation.DEFAULT);
      strategy.decide(strategy.begin(Operation.DEFAULT), Failure.timeout(), NO_DEADLINE);
    }

    assertThat(strategy.pacesFirstAttempts()).isFalse();
    assertThat(strategy.begin(Operation.DEFAULT).delayNanos).isZero();
  }

  @Test
  void aThrottleThatIsNotRetriedSlowsTheClientDown() {
    CallState call = strategy.begin(Operation.DEFAULT);
    call.attempt = 3;

    assertThat(strategy.decide(call, Failure.throttle(), NO_DEADLINE)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.ATTEMPTS);
    assertThat(strategy.pacesFirstAttempts()).isTrue();
    assertThat(strategy.begin(Operation.DEFAULT).delayNanos).isEqualTo(2 * SECOND);
  }

  @Test
  void theFirstThrottleFallsBackToAShareOfWhatWasMeasured() {
    for (int i = 1; i <= 1000; i++) {
      clock.at(i * 0.01);
      strategy.recordFirstSuccess(Operation.DEFAULT);
    }
    throttle(Operation.DEFAULT);

    // 70 of the 100 calls a second, less the burst that the bucket has.
    int started = 0;
    for (int i = 0; i < 1000; i++) {
      started += strategy.begin(Operation.DEFAULT).delayNanos <= SECOND ? 1 : 0;
    }
    assertThat(started).isBetween(70, 142);
  }

  @Test
  void tokensOfFirstAttemptsHaveDelaysInTheirOrder() {
    throttle(Operation.DEFAULT);

    assertThat(strategy.acquireInitialToken().delay()).isEqualTo(Duration.ofSeconds(2));
    assertThat(strategy.acquireInitialToken().delay()).isEqualTo(Duration.ofSeconds(4));
    clock.at(3);
    assertThat(strategy.acquireInitialToken().delay()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aRetryWaitsForItsBackoffAndForItsTurnAtOnce() {
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, Failure.throttle(), NO_DEADLINE)).isTrue();
    // 1 s of backoff, 2 s until the first permit.
    assertThat(call.delayNanos).isEqualTo(2 * SECOND);

    clock.at(1);
    assertThat(strategy.furtherDelayNanos(call)).isEqualTo(SECOND);
    clock.at(2);
    assertThat(strategy.furtherDelayNanos(call)).isZero();

    CallState slow = strategy.begin(Operation.DEFAULT);
    strategy.decide(slow, Failure.error().withHint(Duration.ofSeconds(4)), NO_DEADLINE);
    assertThat(slow.delayNanos).isEqualTo(4 * SECOND);
    clock.at(4);
    assertThat(strategy.furtherDelayNanos(slow)).isEqualTo(2 * SECOND);
  }

  @Test
  void nobodyWaitsForHisTurnLongerThanTwentySeconds() {
    throttle(Operation.DEFAULT);
    for (int i = 0; i < 100; i++) {
      strategy.begin(Operation.DEFAULT);
    }
    CallState last = strategy.begin(Operation.DEFAULT);

    assertThat(last.delayNanos).isEqualTo(20 * SECOND);
    clock.at(20);
    assertThat(strategy.furtherDelayNanos(last)).isZero();
  }

  @Test
  void whoDoesNotWaitAnyMoreHoldsNobodyUp() {
    throttle(Operation.DEFAULT);
    CallState[] calls = new CallState[10];
    for (int i = 0; i < calls.length; i++) {
      calls[i] = strategy.begin(Operation.DEFAULT);
    }
    assertThat(firstDelay(Operation.DEFAULT)).isEqualTo(20 * SECOND);
    for (CallState call : calls) {
      strategy.abandon(call);
    }

    assertThat(firstDelay(Operation.DEFAULT)).isEqualTo(2 * SECOND);
  }

  @Test
  void aPermitThatIsNotUsedGoesToTheNext() {
    throttle(Operation.DEFAULT);
    CallState first = strategy.begin(Operation.DEFAULT);
    CallState second = strategy.begin(Operation.DEFAULT);
    clock.at(2);
    assertThat(strategy.furtherDelayNanos(first)).isZero();
    assertThat(strategy.furtherDelayNanos(second)).isEqualTo(2 * SECOND);

    strategy.abandon(first);

    assertThat(strategy.furtherDelayNanos(second)).isZero();
  }

  @Test
  void successesMakeTheWaitShorter() {
    throttle(Operation.DEFAULT);
    CallState waiting = null;
    for (int i = 0; i < 8; i++) {
      waiting = strategy.begin(Operation.DEFAULT);
    }
    for (int i = 1; i <= 40; i++) {
      clock.at(i * 0.1);
      strategy.recordFirstSuccess(Operation.DEFAULT);
    }

    assertThat(strategy.furtherDelayNanos(waiting)).isLessThan(SECOND);
  }

  @Test
  void aTurnThatComesAfterTheDeadlineIsNotWorthTheWait() {
    throttle(Operation.DEFAULT);
    CallState call = strategy.begin(Operation.DEFAULT);

    assertThat(strategy.decide(call, Failure.error(), SECOND)).isFalse();
    assertThat(call.stopReason).isEqualTo(StopReason.DEADLINE);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(500_000);
    assertThat(strategy.explain(call)).contains("PT2S");
    // It takes no place in the queue.
    assertThat(firstDelay(Operation.DEFAULT)).isEqualTo(2 * SECOND);
  }

  @Test
  void scopesArePacedApart() {
    Operation left = Operation.DEFAULT.withScope("left");
    throttle(left);

    assertThat(firstDelay(left)).isEqualTo(2 * SECOND);
    assertThat(firstDelay(Operation.DEFAULT.withScope("right"))).isZero();
    assertThat(firstDelay(Operation.DEFAULT)).isZero();
  }

  @Test
  void scopesWithoutEndTakeNoMemoryWithoutEnd() {
    for (int i = 0; i < RateLimiters.MAX_SCOPES; i++) {
      strategy.recordFirstSuccess(Operation.DEFAULT.withScope("scope " + i));
    }
    throttle(Operation.DEFAULT.withScope("one more"));

    assertThat(firstDelay(Operation.DEFAULT.withScope("yet another"))).isEqualTo(2 * SECOND);
    assertThat(firstDelay(Operation.DEFAULT.withScope("scope 0"))).isZero();
  }

  @Test
  void hedgesNeedAPermitAtOnce() {
    throttle(Operation.DEFAULT);
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(500_000);

    clock.at(4);
    assertThat(strategy.payForHedge(call)).isTrue();
    assertThat(call.attempt).isEqualTo(2);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(486_000);
  }

  @Test
  void aHedgeThatTheBudgetDeniesLeavesItsPermit() {
    throttle(Operation.DEFAULT);
    CallState call = strategy.begin(Operation.DEFAULT);
    call.attempt = 3;
    clock.at(4);

    assertThat(strategy.payForHedge(call)).isFalse();
    assertThat(firstDelay(Operation.DEFAULT)).isZero();
  }

  @Test
  void budgetIsThatOfTheStandardStrategy() {
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(486_000);
    strategy.abandon(call);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(500_000);
    strategy.decide(call, Failure.error(), NO_DEADLINE);
    strategy.recordSuccess(call);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(500_000);
    strategy.decide(strategy.begin(Operation.DEFAULT), Failure.error(), NO_DEADLINE);
    strategy.recordFirstSuccess(Operation.DEFAULT);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(487_000);
  }
}
