package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.RetryEvent.Kind;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AsyncCancellationTest extends AsyncFixture {
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
  void aTimeoutThatFiresBeforeItIsKnownIsFollowedByAnAttempt() {
    HastyTime hasty = new HastyTime();
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.fixed(ofSeconds(1)), 9))
            .time(hasty)
            .executor(Runnable::run)
            .build();
    AtomicInteger attempts = new AtomicInteger();

    CompletableFuture<String> future =
        retry.callAsync(
            () -> {
              attempts.incrementAndGet();
              return CompletableFuture.failedFuture(new ConnectException("refused"));
            });

    assertThat(attempts).hasValue(2);
    assertThat(hasty.secondScheduled).isTrue();
    future.cancel(true);
    assertThat(hasty.secondCancelled).isTrue();
  }

  /** The machine stands still between the start of the attempt and the look at how it went. */
  @Test
  void anAttemptThatTimesOutWhileItStartsIsCutOff() {
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.fixed(ofSeconds(1)), 1))
            .attemptTimeout(ofSeconds(3))
            .time(new HastyTime())
            .build();

    CompletableFuture<String> future = retry.callAsync(stages::next);

    assertThat(failure(future)).isInstanceOf(AttemptTimeoutException.class);
    assertThat(stages.made.get(0)).isCancelled();
  }

  @Test
  void hedgesThatTimeOutWhileTheyStartAreCutOff() {
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.fixed(ofSeconds(1)), 1))
            .idempotent(true)
            .hedging(new Hedging(ofSeconds(1), 2))
            .attemptTimeout(ofSeconds(3))
            .time(new HastyTime())
            .build();

    CompletableFuture<String> future = retry.callAsync(stages::next);

    assertThat(failure(future)).isInstanceOf(AttemptTimeoutException.class);
    assertThat(stages.made).allMatch(CompletableFuture::isCancelled);
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
  void completedByTheCallerUnseenNoFurtherAttemptIsMade() {
    CompletableFuture<String> future = retry().build().callAsync(stages::next);
    stages.fail(0);
    assertThat(future.completeAsync(() -> "enough", Runnable::run)).isSameAs(future);
    time.advance(ofSeconds(1));

    assertNothingIsLeft();
    assertThat(stages.made).hasSize(1);
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(Kind.RETRY, Kind.NOT_MADE);
  }
}
