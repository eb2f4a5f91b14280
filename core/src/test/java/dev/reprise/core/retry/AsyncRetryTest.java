package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.Operation;
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
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Asynchronous operations: cancelled at every point, and with user code that misbehaves. */
class AsyncRetryTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();
  private final RetryBudget budget =
      RetryBudget.tokenBucket(10, new TokenPrices(1_000, 1_000, 1_000, 0, false));
  private final Stages stages = new Stages();

  // Cancellation.

  @Test
  void cancelledInTheWaitForAFirstAttemptThatIsPaced() {
    Paced strategy = new Paced();
    Retry retry = Retry.builder().strategy(strategy).time(time).listener(listener).build();

    CompletableFuture<String> future = retry.callAsync(stages::next);
    assertThat(future.cancel(true)).isTrue();

    assertNothingIsLeft();
    assertThat(stages.made).isEmpty();
    assertThat(strategy.abandoned).isEqualTo(1);
    assertEvents(Kind.NOT_MADE);
  }

  @Test
  void cancelledInTheFirstAttempt() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);

    assertThat(future.cancel(true)).isTrue();

    assertThat(stages.made.get(0)).isCancelled();
    assertThat(future).isCancelled();
    assertNothingIsLeft();
    assertEvents(Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(StopReason.CANCELLED);
  }

  @Test
  void cancelledByTheOperationItselfWhileItStarts() {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    CompletableFuture<String> second = new CompletableFuture<>();
    CompletableFuture<String> future =
        retry()
            .build()
            .callAsync(
                () -> {
                  if (stages.made.isEmpty()) {
                    return stages.next();
                  }
                  futures.get(0).cancel(true);
                  return second;
                });
    futures.add(future);
    stages.fail(0);
    time.advance(ofSeconds(1));

    assertThat(future).isCancelled();
    assertThat(second).isCancelled();
    assertNothingIsLeft();
    assertEvents(Kind.RETRY, Kind.STOP);
  }

  @Test
  void cancelledInTheWaitGetsTheMoneyBack() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.fail(0);
    assertThat(time.pending()).isEqualTo(1);
    assertThat(balance()).isEqualTo(9_000);

    assertThat(future.cancel(true)).isTrue();

    assertNothingIsLeft();
    assertThat(balance()).isEqualTo(10_000);
    assertThat(stages.made).hasSize(1);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void cancelledWhileTheExecutorHasNotBegun() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    CompletableFuture<String> future = retry().executor(tasks::add).build().callAsync(stages::next);
    stages.fail(0);
    time.advance(ofSeconds(1));
    assertThat(tasks).hasSize(1);

    assertThat(future.cancel(true)).isTrue();
    tasks.remove().run();

    assertNothingIsLeft();
    assertThat(balance()).isEqualTo(10_000);
    assertThat(stages.made).hasSize(1);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void cancelledJustBeforeTheNextAttemptStarts() {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    int[] entered = new int[1];
    CompletableFuture<String> future =
        retry()
            .context(
                () ->
                    task -> {
                      // The first time is the decision, the second one the attempt.
                      if (++entered[0] == 2) {
                        futures.get(0).cancel(true);
                      }
                      task.run();
                    })
            .build()
            .callAsync(stages::next);
    futures.add(future);
    stages.fail(0);
    time.advance(ofSeconds(1));

    assertThat(future).isCancelled();
    assertNothingIsLeft();
    assertThat(balance()).isEqualTo(10_000);
    assertThat(stages.made).hasSize(1);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void cancelledByTheListenerThatIsToldOfTheRetry() {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    CompletableFuture<String> future =
        retry()
            .listener(
                event -> {
                  if (event.kind() == Kind.RETRY) {
                    futures.get(0).cancel(true);
                  }
                })
            .build()
            .callAsync(stages::next);
    futures.add(future);
    stages.fail(0);

    assertNothingIsLeft();
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void cancelledAfterCompletionChangesNothing() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.succeed(0, "hello");

    assertThat(future.cancel(true)).isFalse();

    assertThat(future).isCompletedWithValue("hello");
    assertNothingIsLeft();
    assertEvents(Kind.SUCCESS);
  }

  @Test
  void whatTheTimerWasToldIsCancelledEvenWhenItFiredBeforeItWasKnown() throws Exception {
    HastyTime hasty = new HastyTime();
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.fixed(ofSeconds(1)), 9))
            .time(hasty)
            .executor(Runnable::run)
            .build();

    CompletableFuture<String> future =
        retry.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
    hasty.secondMayReturn.complete(null);
    hasty.firing.get().join();
    future.cancel(true);

    assertThat(hasty.secondCancelled).isTrue();
  }

  // The caller completes the future himself.

  @Test
  void completedByTheCallerInTheWait() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.fail(0);

    assertThat(future.complete("enough")).isTrue();

    assertNothingIsLeft();
    assertThat(future).isCompletedWithValue("enough");
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void completedByTheCallerInAnAttempt() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);

    assertThat(future.completeExceptionally(new TimeoutException("of the caller"))).isTrue();

    assertThat(stages.made.get(0)).isCancelled();
    assertNothingIsLeft();
    assertEvents(Kind.STOP);
  }

  @Test
  void completedByTheCallersTimeoutTheAttemptIsCancelled() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);

    Throwable thrown = catchThrowable(future.orTimeout(1, TimeUnit.NANOSECONDS)::get);

    assertThat(thrown).hasCauseInstanceOf(TimeoutException.class);
    // The attempt is cancelled by the thread that completed the future, just after it did.
    assertThat(catchThrowable(() -> stages.made.get(0).get(1, TimeUnit.MINUTES)))
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void completedByTheCallerInAWayThatCannotBeSeenNoFurtherAttemptIsMade() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.fail(0);
    assertThat(future.completeAsync(() -> "enough", Runnable::run)).isSameAs(future);
    time.advance(ofSeconds(1));

    assertNothingIsLeft();
    assertThat(stages.made).hasSize(1);
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  // Stages.

  @Test
  void aStageThatIsNullIsAFailure() {
    CompletableFuture<String> future = retry().build().callAsync(() -> null);

    assertThat(failure(future))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("stage");
    assertEvents(Kind.STOP);
  }

  @Test
  void anOperationThatThrowsOnALaterCallIsRetriedLikeAnyFailure() {
    CompletableFuture<String> future =
        retry()
            .build()
            .callAsync(
                () -> {
                  if (stages.made.size() == 1) {
                    stages.made.add(new CompletableFuture<>());
                    throw new ConnectException("thrown");
                  }
                  return stages.next();
                });
    stages.fail(0);
    time.advance(ofSeconds(2));
    stages.succeed(2, "hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void aStageThatIsNoFutureIsEnough() {
    CompletableFuture<String> source = new CompletableFuture<>();
    CompletableFuture<String> future = retry().build().callAsync(() -> bareStage(source));
    source.complete("hello");
    assertThat(future).isCompletedWithValue("hello");

    CompletableFuture<String> cancelled =
        retry().build().callAsync(() -> bareStage(new CompletableFuture<String>()));
    assertThat(cancelled.cancel(true)).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void aStageThatCannotBeListenedToIsAFailure() {
    @SuppressWarnings("unchecked")
    CompletionStage<String> broken =
        (CompletionStage<String>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("broken");
                });
    CompletableFuture<String> future =
        retry().attemptTimeout(ofSeconds(1)).build().callAsync(() -> broken);

    assertThat(failure(future)).isInstanceOf(IllegalStateException.class).hasMessage("broken");
    assertNothingIsLeft();
  }

  @Test
  void aStageThatNeverCompletesIsCutOffAndTriedAgain() {
    CompletableFuture<String> future =
        retry().idempotent(true).attemptTimeout(ofSeconds(3)).build().callAsync(stages::next);
    time.advance(ofSeconds(3));
    assertThat(stages.made.get(0)).isCancelled();
    time.advance(ofSeconds(1));
    stages.succeed(1, "hello");

    assertThat(future).isCompletedWithValue("hello");
    assertNothingIsLeft();
    assertEvents(Kind.RETRY, Kind.SUCCESS);
    assertThat(listener.events().get(0).attemptTime()).isEqualTo(ofSeconds(3));
  }

  @Test
  void anAttemptIsCutOffByTheDeadline() {
    CompletableFuture<String> future =
        retry()
            .idempotent(true)
            .attemptTimeout(ofSeconds(3))
            .deadline(ofSeconds(5))
            .build()
            .callAsync(stages::next);
    time.advance(ofSeconds(5));

    Throwable failure = failure(future);
    assertThat(failure).isInstanceOf(AttemptTimeoutException.class);
    assertStopped(failure, StopReason.DEADLINE, 2);
    assertThat(((AttemptTimeoutException) failure).limit()).isEqualTo(ofSeconds(1));
    assertNothingIsLeft();
    assertEvents(Kind.RETRY, Kind.STOP);
  }

  @Test
  void aTimerThatWakesAfterTheDeadlineMakesNoAttempt() {
    CompletableFuture<String> future =
        retry().deadline(ofSeconds(5)).build().callAsync(stages::next);
    stages.fail(0);
    // The machine was asleep.
    time.clock().advance(ofSeconds(9));
    time.runUntilIdle(10);

    Throwable failure = failure(future);
    assertStopped(failure, StopReason.DEADLINE, 1);
    assertThat(RetryStoppedException.of(failure)).hasMessageContaining("it has passed");
    assertThat(stages.made).hasSize(1);
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void aResultThatComesTooLateIsDiscardedOnce() {
    List<Object> discarded = new ArrayList<>();
    CompletableFuture<String> late = new CompletableFuture<>();
    Retry retry =
        retry().idempotent(true).attemptTimeout(ofSeconds(3)).onDiscard(discarded::add).build();
    // What cannot be cancelled completes later all the same.
    CompletableFuture<String> future =
        retry.callAsync(() -> stages.made.isEmpty() ? first(bareStage(late)) : stages.next());
    time.advance(ofSeconds(4));
    late.complete("late");
    stages.succeed(1, "hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(discarded).containsExactly("late");
    assertEvents(Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void aResultThatComesAfterACancellationIsDiscardedOnce() {
    List<Object> discarded = new ArrayList<>();
    CompletableFuture<String> late = new CompletableFuture<>();
    CompletableFuture<String> future =
        retry().onDiscard(discarded::add).build().callAsync(() -> bareStage(late));
    future.cancel(true);
    late.complete("late");

    assertThat(discarded).containsExactly("late");
    assertEvents(Kind.STOP);
  }

  @Test
  void theWrappingOfStagesIsTakenOff() {
    ConnectException inner = new ConnectException("refused");
    CompletableFuture<String> future =
        retry()
            .build()
            .callAsync(
                () ->
                    CompletableFuture.<String>failedFuture(
                        new CompletionException(new CompletionException(inner))));
    time.runUntilIdle(100);

    assertThat(failure(future)).isSameAs(inner);
    assertThat(listener.events().get(0).failure()).isSameAs(inner);
  }

  @Test
  void aStageThatWasCancelledIsNotRetried() {
    CompletableFuture<String> future = retry().idempotent(true).build().callAsync(stages::next);
    stages.made.get(0).cancel(true);

    assertThat(future).isCancelled();
    assertEvents(Kind.STOP);
    assertThat(stages.made).hasSize(1);
  }

  @Test
  void aFutureThatIsCompleteAlreadyIsHandedOnAsItIs() {
    CompletableFuture<String> done = CompletableFuture.completedFuture("hello");
    CompletableFuture<String> future = Retry.ofDefaults().callAsync(() -> done);

    assertThat(future).isSameAs(done);
    assertThat(future.cancel(true)).isFalse();
    assertThat(future.complete("other")).isFalse();
    assertThat(done).isCompletedWithValue("hello");
  }

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
  void aResultRuleWhoseAnswerThrowsEndsTheOperationAndReleasesTheResult() {
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
    failure.addSuppressed(new RetryStoppedException(StopReason.ATTEMPTS, 1, null));
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
  void aStrategyThatThrowsFailsTheFutureAndNothingIsThrownAtTheCaller() {
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

  // What is kept.

  @Test
  void aFutureThatIsKeptKeepsNeitherTheOperationNorItsContextNorItsFailures() {
    List<WeakReference<Object>> gone = new ArrayList<>();
    List<CompletableFuture<String>> kept = new ArrayList<>();
    kept.add(succeedsAtTheSecondAttempt(gone));
    kept.add(cancelledInTheWait(gone));
    kept.add(cancelledInAnAttempt(gone));

    assertThat(gone).hasSize(7).allMatch(AsyncRetryTest::isCollected);
    assertThat(kept).allMatch(CompletableFuture::isDone);
  }

  private CompletableFuture<String> succeedsAtTheSecondAttempt(List<WeakReference<Object>> gone) {
    Stages own = new Stages();
    CompletableFuture<String> future = unheard(own, gone).callAsync(own::next);
    own.fail(0);
    time.advance(ofSeconds(1));
    own.succeed(1, "hello");
    gone.add(new WeakReference<>(own.made.get(0)));
    return future;
  }

  private CompletableFuture<String> cancelledInTheWait(List<WeakReference<Object>> gone) {
    Stages own = new Stages();
    CompletableFuture<String> future = unheard(own, gone).callAsync(own::next);
    own.fail(0);
    assertThat(future.cancel(true)).isTrue();
    return future;
  }

  private CompletableFuture<String> cancelledInAnAttempt(List<WeakReference<Object>> gone) {
    Stages own = new Stages();
    CompletableFuture<String> future = unheard(own, gone).callAsync(own::next);
    assertThat(future.cancel(true)).isTrue();
    return future;
  }

  /** Neither the stages of the operation nor its context may be kept. */
  private Retry unheard(Stages own, List<WeakReference<Object>> gone) {
    gone.add(new WeakReference<>(own));
    Queue<Object> attached = new ArrayDeque<>(List.of(new Object()));
    gone.add(new WeakReference<>(attached.peek()));
    return Retry.builder()
        .strategy(strategy(Backoff.fixed(ofSeconds(1)), 3))
        .time(time)
        .executor(time.executor())
        .context(
            () -> {
              Object snapshot = attached.remove();
              return task -> {
                assertThat(snapshot).isNotNull();
                task.run();
              };
            })
        .build();
  }

  private static boolean isCollected(WeakReference<Object> reference) {
    for (int i = 0; i < 50 && reference.get() != null; i++) {
      System.gc();
    }
    return reference.get() == null;
  }

  @Test
  void anAttemptThatHangsForEverKeepsNothingOfACallThatHasEnded() {
    CompletableFuture<String> hanging = new CompletableFuture<>();
    WeakReference<Object> call = new WeakReference<>(cutOff(hanging));

    assertThat(isCollected(call)).isTrue();
    assertThat(hanging).isNotDone();
  }

  private CompletableFuture<String> cutOff(CompletableFuture<String> hanging) {
    CompletableFuture<String> future =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 1))
            .time(time)
            .executor(time.executor())
            .attemptTimeout(ofSeconds(1))
            .build()
            .callAsync(() -> bareStage(hanging));
    time.advance(ofSeconds(1));
    assertThat(future).isCompletedExceptionally();
    return future;
  }

  // Layers.

  @Test
  void threeAsynchronousLayersOfThreeAttemptsMakeThreeCallsAndNotTwentySeven() {
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 3))
            .time(time)
            .executor(time.executor())
            .build();
    int[] calls = new int[1];

    CompletableFuture<String> future =
        retry.callAsync(
            () ->
                retry
                    .callAsync(
                        () ->
                            retry
                                .callAsync(
                                    () -> {
                                      calls[0]++;
                                      CompletableFuture<String> stage = new CompletableFuture<>();
                                      time.executor()
                                          .execute(
                                              () -> stage.completeExceptionally(new Refused()));
                                      return stage;
                                    })
                                .thenApply(String::strip))
                    .thenApply(String::strip));
    time.runUntilIdle(1_000);

    assertThat(calls[0]).isEqualTo(3);
    assertThat(failure(future)).isInstanceOf(ConnectException.class);
  }

  @Test
  void anOuterLayerOnTheExecutorKnowsThatTheInnerOneGaveUp() {
    Retry retry = retry().build();
    int[] calls = new int[1];

    CompletableFuture<String> future =
        retry.submit(
            () ->
                retry.<String, Exception>call(
                    () -> {
                      calls[0]++;
                      throw new ConnectException("refused");
                    }));
    time.runUntilIdle(1_000);

    assertStopped(failure(future), StopReason.ATTEMPTS, 3);
    assertThat(calls[0]).isEqualTo(3);
  }

  @Test
  void aBlockingLayerThatWaitsForAnAsynchronousOneKnowsThatItGaveUp() {
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 3))
            .time(time)
            .executor(Runnable::run)
            .build();
    int[] calls = new int[1];

    Throwable thrown =
        catchThrowable(
            () ->
                retry.call(
                    () ->
                        retry
                            .callAsync(
                                () -> {
                                  calls[0]++;
                                  return CompletableFuture.failedFuture(new Refused());
                                })
                            .join()));

    assertThat(thrown).hasRootCauseInstanceOf(Refused.class);
    assertThat(calls[0]).isEqualTo(3);
  }

  // Helpers.

  private RetryBuilder retry() {
    return Retry.builder()
        .strategy(strategy(Backoff.fixed(ofSeconds(1)), 3))
        .time(time)
        .executor(time.executor())
        .listener(listener);
  }

  private RetryStrategy strategy(Backoff backoff, int maxAttempts) {
    return StandardRetryStrategy.builder()
        .backoff(backoff)
        .throttleBackoff(backoff)
        .maxAttempts(maxAttempts)
        .budget(maxAttempts > 10 ? RetryBudget.unlimited() : budget)
        .build();
  }

  private long balance() {
    return budget.balanceMilliTokens(time.nanoTime());
  }

  private void assertNothingIsLeft() {
    assertThat(time.pending()).isZero();
  }

  private void assertEvents(Kind... kinds) {
    assertThat(listener.kinds()).containsExactly(kinds);
    assertThat(listener.events()).filteredOn(RetryEvent::isLast).hasSize(1);
    assertThat(listener.events()).extracting(RetryEvent::attempt).doesNotHaveDuplicates();
  }

  private CompletionStage<String> first(CompletionStage<String> stage) {
    stages.made.add(new CompletableFuture<>());
    return stage;
  }

  private static Throwable failure(CompletableFuture<?> future) {
    // Some complete on the common pool; a minute is for a future that nobody ever completes.
    Throwable thrown = catchThrowable(() -> future.get(1, TimeUnit.MINUTES));
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    return thrown.getCause();
  }

  private static void assertStopped(Throwable thrown, StopReason reason, int attempts) {
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(reason);
    assertThat(stopped.attempts()).isEqualTo(attempts);
  }

  /** A stage that can be listened to and nothing else, as the contract of stages allows. */
  @SuppressWarnings("unchecked")
  private static CompletionStage<String> bareStage(CompletableFuture<String> source) {
    return (CompletionStage<String>)
        Proxy.newProxyInstance(
            AsyncRetryTest.class.getClassLoader(),
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
  private static final class Stages {
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
  private static final class Refused extends ConnectException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /** Lets even first attempts wait for a second. */
  private static class Paced implements RetryStrategy {
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
