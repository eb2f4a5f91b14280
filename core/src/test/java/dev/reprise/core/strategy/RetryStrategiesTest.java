package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryStrategiesTest {
  @Test
  void noRetryMakesOneAttempt() {
    RetryStrategy strategy = RetryStrategies.noRetry();
    RetryToken token = strategy.acquireInitialToken();

    assertThat(token.delay()).isZero();
    assertThatThrownBy(() -> strategy.refreshRetryToken(token, Failure.error()))
        .isInstanceOfSatisfying(
            TokenAcquisitionFailedException.class,
            refused -> assertThat(refused.reason()).isEqualTo(StopReason.ATTEMPTS));
    strategy.recordSuccess(strategy.acquireInitialToken());
  }

  @Test
  void ofTakesDelaysRulesAndAttemptsAndHasNoBudget() {
    StandardRetryStrategy strategy =
        RetryStrategies.of(
            Backoff.fixed(Duration.ofMillis(7)),
            Classifier.of(FailureRule.retryOn(IllegalStateException.class)),
            1_000);
    CallState call = strategy.begin(Operation.DEFAULT);
    int retries = 0;
    while (strategy.decide(call, new IllegalStateException(), Long.MAX_VALUE)) {
      retries++;
      assertThat(call.delayNanos).isEqualTo(7_000_000);
    }

    assertThat(retries).isEqualTo(999);
    // Without the default rules, nobody knows what a refused connection is.
    CallState refused = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(refused, new ConnectException("refused"), Long.MAX_VALUE)).isFalse();
    call = strategy.begin(Operation.DEFAULT);
    assertThat(RetryStrategies.standard().decide(call, Failure.throttle(), Long.MAX_VALUE))
        .isTrue();
  }

  @Test
  void everyStandardStrategyHasABudgetOfItsOwn() {
    StandardRetryStrategy drained = RetryStrategies.standard();
    while (drained.decide(drained.begin(Operation.DEFAULT), Failure.error(), Long.MAX_VALUE)) {}
    StandardRetryStrategy fresh = RetryStrategies.standard();

    assertThat(fresh.maxAttempts()).isEqualTo(3);
    assertThat(fresh.decide(fresh.begin(Operation.DEFAULT), Failure.error(), Long.MAX_VALUE))
        .isTrue();
  }

  @Test
  void delaysAreDrawnAnewForEachCall() {
    StandardRetryStrategy strategy = RetryStrategies.standard();
    CallState one = strategy.begin(Operation.DEFAULT);
    CallState two = strategy.begin(Operation.DEFAULT);
    strategy.decide(one, Failure.error(), Long.MAX_VALUE);
    strategy.decide(two, Failure.error(), Long.MAX_VALUE);

    assertThat(one.delayNanos).isNotEqualTo(two.delayNanos).isBetween(1L, 100_000_000L);
  }
}
