package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplaceableRetryStrategyTest {
  private final StandardRetryStrategy before = fixed(Duration.ofSeconds(1));
  private final StandardRetryStrategy after = fixed(Duration.ofSeconds(2));
  private final ReplaceableRetryStrategy strategy = RetryStrategies.replaceable(before);

  private static StandardRetryStrategy fixed(Duration delay) {
    return RetryStrategies.of(Backoff.fixed(delay), Classifier.defaults(), 9);
  }

  @Test
  void operationsKeepTheStrategyThatTheyBeganWith() {
    RetryToken running = strategy.acquireInitialToken();
    strategy.replaceWith(after);
    RetryToken later = strategy.acquireInitialToken();

    running = strategy.refreshRetryToken(running, Failure.error());
    later = strategy.refreshRetryToken(later, Failure.error());
    assertThat(running.delay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(later.delay()).isEqualTo(Duration.ofSeconds(2));

    strategy.replaceWith(RetryStrategies.noRetry());
    running = strategy.refreshRetryToken(running, Failure.error());
    assertThat(running.delay()).isEqualTo(Duration.ofSeconds(1));
    strategy.recordSuccess(running);
    RetryToken none = strategy.acquireInitialToken();
    assertThatThrownBy(() -> strategy.refreshRetryToken(none, Failure.error()))
        .isInstanceOf(TokenAcquisitionFailedException.class);
  }

  @Test
  void runnersGetTheStrategyOfNow() {
    assertThat(strategy.current().strategy()).isSameAs(before);
    strategy.replaceWith(after);
    assertThat(strategy.current().strategy()).isSameAs(after);
  }

  @Test
  void aCopyOfTheOldStrategyKeepsItsBudget() {
    StandardRetryStrategy first =
        StandardRetryStrategy.builder(StandardProfile.SMITHY_GUIDE).maxAttempts(200).build();
    ReplaceableRetryStrategy replaceable = RetryStrategies.replaceable(first);
    CallState call = replaceable.current().begin(Operation.DEFAULT);
    while (replaceable.current().decide(call, Failure.error(), Long.MAX_VALUE)) {}

    replaceable.replaceWith(first.toBuilder().maxAttempts(3).build());

    call = replaceable.current().begin(Operation.DEFAULT);
    assertThat(replaceable.current().decide(call, Failure.error(), Long.MAX_VALUE)).isFalse();
  }

  @Test
  void cannotBeNested() {
    RetryStrategy other = RetryStrategies.replaceable(after);

    assertThatThrownBy(() -> strategy.replaceWith(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("must not be replaceable itself");
    assertThatThrownBy(() -> RetryStrategies.replaceable(strategy))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(strategy.current().strategy()).isSameAs(before);
  }
}
