package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.VirtualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Asynchronous operations in virtual time, whose stages the test completes. */
abstract class AsyncFixture {
  final VirtualTime time = new VirtualTime();
  final RecordingListener listener = new RecordingListener();
  final RetryBudget budget =
      RetryBudget.tokenBucket(10, new TokenPrices(1_000, 1_000, 1_000, 0, false));
  final Stages stages = new Stages();

  RetryBuilder retry() {
    return Retry.builder()
        .strategy(strategy(Backoff.fixed(ofSeconds(1)), 3))
        .time(time)
        .executor(time.executor())
        .listener(listener);
  }

  RetryStrategy strategy(Backoff backoff, int maxAttempts) {
    return StandardRetryStrategy.builder()
        .backoff(backoff)
        .throttleBackoff(backoff)
        .maxAttempts(maxAttempts)
        .budget(maxAttempts > 10 ? RetryBudget.unlimited() : budget)
        .build();
  }

  long balance() {
    return budget.balanceMilliTokens(time.nanoTime());
  }

  void assertNothingIsLeft() {
    assertThat(time.pending()).isZero();
  }

  void assertEvents(Kind... kinds) {
    assertThat(listener.kinds()).containsExactly(kinds);
    assertThat(listener.events()).filteredOn(RetryEvent::isLast).hasSize(1);
    assertThat(listener.events()).extracting(RetryEvent::attempt).doesNotHaveDuplicates();
  }

  CompletionStage<String> first(CompletionStage<String> stage) {
    stages.made.add(new CompletableFuture<>());
    return stage;
  }

  static Throwable failure(CompletableFuture<?> future) {
    // Some complete on the common pool; a minute is for a future that nobody ever completes.
    Throwable thrown = catchThrowable(() -> future.get(1, TimeUnit.MINUTES));
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    return thrown.getCause();
  }

  static void assertStopped(Throwable thrown, StopReason reason, int attempts) {
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(reason);
    assertThat(stopped.attempts()).isEqualTo(attempts);
  }

  /** A stage that can be listened to and nothing else, as the contract of stages allows. */
  @SuppressWarnings("unchecked")
  static CompletionStage<String> bareStage(CompletableFuture<String> source) {
    return (CompletionStage<String>)
        Proxy.newProxyInstance(
            AsyncFixture.class.getClassLoader(),
            new Class<?>[] {CompletionStage.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("toCompletableFuture")) {
                throw new UnsupportedOperationException();
              }
              try {
                return method.invoke(source, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Stages that the test completes. */
  static final class Stages {
    final List<CompletableFuture<String>> made = new ArrayList<>();

    CompletableFuture<String> next() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      made.add(stage);
      return stage;
    }

    void fail(int index) {
      made.get(index).completeExceptionally(new ConnectException("refused"));
    }

    void succeed(int index, String value) {
      made.get(index).complete(value);
    }
  }

  /** A failure that costs nothing to make. */
  static final class Refused extends ConnectException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /** Lets even first attempts wait for a second. */
  static class Paced implements RetryStrategy {
    private record Token(int attempt, Duration delay) implements RetryToken {}

    int abandoned;

    @Override
    public RetryToken acquireInitialToken() {
      return new Token(1, ofSeconds(1));
    }

    @Override
    public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
      throw new TokenAcquisitionFailedException(StopReason.ATTEMPTS, "one is enough");
    }

    @Override
    public void recordSuccess(RetryToken token) {}

    @Override
    public void abandon(RetryToken token) {
      abandoned++;
    }
  }
}
