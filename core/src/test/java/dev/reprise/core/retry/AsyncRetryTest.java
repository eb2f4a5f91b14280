package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.RetryEvent.Kind;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class AsyncRetryTest extends AsyncFixture {
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

  // What is kept.

  @Test
  void aFutureThatIsKeptKeepsNothingOfItsOperation() {
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
  void threeAsynchronousLayersOfThreeAttemptsMakeThreeCalls() {
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
  void aBlockingLayerKnowsThatAnAsynchronousOneGaveUp() {
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
}
