package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class AsyncExecutorsTest extends AsyncFixture {
  // Executors and timers.

  @Test
  void anExecutorThatWasShutDownEndsTheOperationWithItsOwnFailure() {
    RejectedExecutionException rejected = new RejectedExecutionException("shut down");
    CompletableFuture<String> future =
        retry()
            .executor(
                task -> {
                  throw rejected;
                })
            .build()
            .callAsync(stages::next);
    stages.fail(0);
    time.advance(ofSeconds(1));

    Throwable failure = failure(future);
    assertThat(failure).isInstanceOf(ConnectException.class).hasSuppressedException(rejected);
    assertStopped(failure, StopReason.CLOSED, 1);
    assertNothingIsLeft();
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void anExecutorThatCannotMakeAThreadEndsTheOperationToo() {
    CompletableFuture<String> future =
        retry()
            .executor(
                task -> {
                  throw new InternalError("unable to create native thread");
                })
            .build()
            .callAsync(stages::next);
    stages.fail(0);
    time.advance(ofSeconds(1));

    assertStopped(failure(future), StopReason.CLOSED, 1);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void aFirstAttemptThatNoExecutorTakesFailsWithTheRejection() {
    RejectedExecutionException rejected = new RejectedExecutionException("shut down");
    CompletableFuture<String> future =
        retry()
            .executor(
                task -> {
                  throw rejected;
                })
            .build()
            .submit(() -> "never");
    assertThat(failure(future)).isSameAs(rejected);
    assertEvents(Kind.STOP);

    Paced strategy = new Paced();
    CompletableFuture<String> paced =
        Retry.builder()
            .strategy(strategy)
            .time(time)
            .executor(
                task -> {
                  throw rejected;
                })
            .build()
            .callAsync(stages::next);
    time.advance(ofSeconds(1));
    assertThat(failure(paced)).isSameAs(rejected);
    assertThat(strategy.abandoned).isEqualTo(1);
  }

  @Test
  void anExecutorThatRunsTasksAtOnceWillDo() {
    int[] calls = new int[1];
    CompletableFuture<String> future =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 100_001))
            .executor(Runnable::run)
            .time(time)
            .build()
            .callAsync(
                () ->
                    ++calls[0] <= 100_000
                        ? CompletableFuture.failedFuture(new Refused())
                        : CompletableFuture.completedFuture("hello"));

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aTimerThatTakesNoTasksEndsTheOperationWithItsOwnFailure() {
    IllegalStateException broken = new IllegalStateException("the timer is broken");
    CompletableFuture<String> future =
        retry().time(new BrokenTime(broken)).build().callAsync(stages::next);
    stages.fail(0);

    Throwable failure = failure(future);
    assertThat(failure).isInstanceOf(ConnectException.class).hasSuppressedException(broken);
    assertStopped(failure, StopReason.CLOSED, 1);
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void anAttemptThatCannotBeTimedIsCancelledAndFails() {
    IllegalStateException broken = new IllegalStateException("the timer is broken");
    CompletableFuture<String> future =
        retry()
            .time(new BrokenTime(broken))
            .attemptTimeout(ofSeconds(1))
            .build()
            .callAsync(stages::next);

    assertThat(failure(future)).isSameAs(broken);
    assertThat(stages.made.get(0)).isCancelled();
    assertEvents(Kind.STOP);
  }

  @Test
  void noUserCodeRunsOnTheTimersThread() {
    Thread timer = Thread.currentThread();
    List<Thread> threads = new ArrayList<>();
    Queue<Runnable> tasks = new ArrayDeque<>();
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 2))
            .idempotent(true)
            .time(time)
            .executor(tasks::add)
            .attemptTimeout(ofSeconds(1))
            .listener(event -> threads.add(Thread.currentThread()))
            .build();
    boolean[] cancelSeen = new boolean[1];
    List<CompletableFuture<String>> seen = new ArrayList<>();
    CompletableFuture<String> future =
        retry.callAsync(
            () -> {
              CompletableFuture<String> stage = stages.next();
              seen.add(stage.whenComplete((value, thrown) -> cancelSeen[0] = true));
              return stage;
            });

    time.advance(ofSeconds(1));

    assertThat(threads).isEmpty();
    assertThat(cancelSeen[0]).isFalse();
    assertThat(tasks).hasSize(1);
    assertThat(timer.isInterrupted()).isFalse();
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
    assertThat(cancelSeen[0]).isTrue();
    assertThat(seen).hasSize(2);
    future.cancel(true);
  }

  @Test
  void aMillionImmediateRetriesNeedNoDeeperStackThanOne() {
    int[] calls = new int[1];
    CompletableFuture<String> future =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 1_000_001))
            .time(time)
            .build()
            .callAsync(
                () ->
                    ++calls[0] <= 1_000_000
                        ? CompletableFuture.failedFuture(new Refused())
                        : CompletableFuture.completedFuture("hello"));

    assertThat(future).isCompletedWithValue("hello");
  }

  // User code that throws.

  @Test
  void aListenerThatThrowsAnErrorChangesNothing() {
    CompletableFuture<String> future =
        retry()
            .listener(
                event -> {
                  throw new AssertionError("of the listener");
                })
            .build()
            .callAsync(stages::next);
    stages.fail(0);
    time.advance(ofSeconds(1));
    stages.succeed(1, "hello");

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aDiscardThatThrowsAnErrorChangesNothing() {
    CompletableFuture<String> future =
        retry()
            .retryOnResult(String.class, "not yet"::equals)
            .onDiscard(
                result -> {
                  throw new AssertionError("of the discard");
                })
            .build()
            .callAsync(stages::next);
    stages.succeed(0, "not yet");
    time.advance(ofSeconds(1));
    stages.succeed(1, "hello");

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aResultRuleWhoseAnswerThrowsEndsTheOperation() {
    List<Object> discarded = new ArrayList<>();
    IllegalStateException broken = new IllegalStateException("broken");
    CompletableFuture<String> future =
        retry()
            .classifyResult(
                String.class,
                result ->
                    () -> {
                      throw broken;
                    })
            .onDiscard(discarded::add)
            .build()
            .callAsync(stages::next);
    stages.succeed(0, "hello");

    assertThat(failure(future)).isSameAs(broken);
    assertThat(discarded).containsExactly("hello");
    assertEvents(Kind.STOP);
  }

  @Test
  void aFailureThatCannotTellItsStackIsRetriedLikeAnyOther() {
    @SuppressWarnings("serial")
    class Hostile extends ConnectException {
      @Override
      public StackTraceElement[] getStackTrace() {
        throw new IllegalStateException("no stack for you");
      }
    }
    Hostile failure = new Hostile();
    failure.addSuppressed(RetryStoppedException.note(StopReason.ATTEMPTS, 1, null));
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.made.get(0).completeExceptionally(failure);
    time.advance(ofSeconds(1));
    stages.succeed(1, "hello");

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aContextThatCannotBeCapturedOrEnteredChangesNothing() {
    CompletableFuture<String> uncaptured =
        retry()
            .context(
                () -> {
                  throw new IllegalStateException("no capture");
                })
            .build()
            .callAsync(stages::next);
    stages.succeed(0, "hello");
    assertThat(uncaptured).isCompletedWithValue("hello");

    CompletableFuture<String> unentered =
        retry()
            .context(
                () ->
                    task -> {
                      throw new IllegalStateException("no entry");
                    })
            .build()
            .callAsync(stages::next);
    stages.fail(1);
    time.advance(ofSeconds(1));
    stages.succeed(2, "hello");
    assertThat(unentered).isCompletedWithValue("hello");
  }

  @Test
  void aStrategyThatThrowsFailsTheFutureAndNotTheCaller() {
    IllegalStateException broken = new IllegalStateException("broken");
    RetryStrategy strategy =
        new Paced() {
          @Override
          public RetryToken acquireInitialToken(Operation operation) {
            throw broken;
          }
        };
    Retry retry = Retry.builder().strategy(strategy).time(time).build();

    assertThat(failure(retry.callAsync(stages::next))).isSameAs(broken);
    assertThat(failure(retry.submit(() -> "never"))).isSameAs(broken);
    assertThat(stages.made).isEmpty();
  }

  @Test
  void aBudgetThatThrowsDoesNotCostTheResult() {
    RetryBudget broken = new BrokenBudget();
    Retry retry =
        Retry.builder()
            .strategy(StandardRetryStrategy.builder().budget(broken).build())
            .time(time)
            .build();

    assertThat(retry.<String, RuntimeException>call(() -> "hello")).isEqualTo("hello");
    assertThat(retry.callAsync(() -> CompletableFuture.completedFuture("hello")))
        .isCompletedWithValue("hello");
    CompletableFuture<String> future = retry.callAsync(stages::next);
    stages.succeed(0, "hello");
    assertThat(future).isCompletedWithValue("hello");
  }
}
