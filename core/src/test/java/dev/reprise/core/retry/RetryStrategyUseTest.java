package dev.reprise.core.retry;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.ReplaceableRetryStrategy;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.SlowingStrategy;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a runner asks of strategies that can be replaced, that pace, or that are not ours. */
class RetryStrategyUseTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();

  @Test
  void aRunningOperationKeepsTheStrategyThatItBeganWith() {
    ReplaceableRetryStrategy replaceable = RetryStrategies.replaceable(fixed(1));
    Retry retry = builder(replaceable).build();
    CompletableFuture<String> running =
        retry.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
    replaceable.replaceWith(fixed(5));
    CompletableFuture<String> later =
        retry.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
    time.runUntilIdle(100);

    assertThat(running).isCompletedExceptionally();
    assertThat(later).isCompletedExceptionally();
    assertThat(listener.delays())
        .containsExactlyInAnyOrder(ofSeconds(1), ofSeconds(1), ofSeconds(5), ofSeconds(5));
  }

  @Test
  void aStrategyThatCanBeReplacedCanPayForHedges() {
    Retry retry =
        builder(RetryStrategies.replaceable(fixed(1)))
            .idempotent(true)
            .hedging(Hedging.after(ofMillis(10)))
            .build();
    List<CompletableFuture<String>> stages = new ArrayList<>();
    CompletableFuture<String> future =
        retry.callAsync(
            () -> {
              stages.add(new CompletableFuture<>());
              return stages.get(stages.size() - 1);
            });
    time.advance(ofMillis(10));
    stages.get(1).complete("of the hedge");

    assertThat(future).isCompletedWithValue("of the hedge");
  }

  @Test
  void aTokenThatComesTooLateForTheDeadlineIsGivenBack() {
    List<RetryToken> abandoned = new ArrayList<>();
    RetryStrategy strategy =
        new RetryStrategy() {
          private final RetryStrategy seed = new TokenOnlyStrategy(9);

          @Override
          public RetryToken acquireInitialToken() {
            return seed.acquireInitialToken();
          }

          @Override
          public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
            return seed.refreshRetryToken(token, failure);
          }

          @Override
          public void recordSuccess(RetryToken token) {}

          @Override
          public void abandon(RetryToken token) {
            abandoned.add(token);
          }
        };
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(
            () -> builder(strategy).deadline(ofSeconds(2)).build().call(operation::call));

    assertThat(RetryStoppedException.of(thrown).reason()).isEqualTo(StopReason.DEADLINE);
    assertThat(operation.calls()).isEqualTo(2);
    assertThat(abandoned).extracting(RetryToken::attempt).containsExactly(3);
  }

  @ParameterizedTest
  @EnumSource
  void aRetryThatIsPacedBeyondTheDeadlineIsNotWaitedFor(Runner runner) {
    SlowingStrategy slowing = new SlowingStrategy();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(
            () ->
                runner.run(builder(slowing).deadline(ofSeconds(5)).build(), time, operation::call));

    assertThat(RetryStoppedException.of(thrown).reason()).isEqualTo(StopReason.DEADLINE);
    assertThat(operation.calls()).isEqualTo(1);
    assertThat(time.elapsed()).isEqualTo(ofSeconds(1));
    assertThat(slowing.abandoned).isEqualTo(1);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.NOT_MADE);
  }

  private RetryBuilder builder(RetryStrategy strategy) {
    return Retry.builder()
        .strategy(strategy)
        .time(time)
        .executor(time.executor())
        .listener(listener);
  }

  private static StandardRetryStrategy fixed(long seconds) {
    return RetryStrategies.of(Backoff.fixed(Duration.ofSeconds(seconds)), Classifier.defaults(), 3);
  }
}
