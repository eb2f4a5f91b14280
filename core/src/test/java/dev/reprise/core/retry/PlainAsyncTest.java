package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Asynchronous operations of a retry that sets nothing beside its strategy: attempts whose stages
 * have ended already need no object. With a listener, as in the other tests, they do.
 */
class PlainAsyncTest extends AsyncFixture {
  private final ConnectException refused = new ConnectException("refused");

  private RetryBuilder plain() {
    return Retry.builder()
        .strategy(strategy(Backoff.fixed(ofSeconds(1)), 3))
        .time(time)
        .executor(time.executor());
  }

  /** An operation that fails so many times, with stages that are done, and then returns this. */
  private CheckedSupplier<CompletionStage<String>, RuntimeException> failing(
      int failures, CompletionStage<String> last) {
    return () -> {
      stages.made.add(new CompletableFuture<>());
      return stages.made.size() <= failures ? CompletableFuture.failedFuture(refused) : last;
    };
  }

  // Before, the question whether such a stage is done was the failure of the call.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aStageThatAnswersNoQuestionsIsEnough(int failures) {
    CompletableFuture<String> future =
        plain().build().callAsync(failing(failures, CompletableFuture.completedStage("hello")));
    time.advance(ofSeconds(failures));

    assertThat(future).isCompletedWithValue("hello");
    assertNothingIsLeft();
  }

  @Test
  void aFailedStageThatAnswersNoQuestionsIsRetried() {
    CompletableFuture<String> future =
        plain()
            .build()
            .callAsync(
                () -> {
                  stages.made.add(new CompletableFuture<>());
                  return stages.made.size() == 1
                      ? CompletableFuture.<String>failedStage(refused)
                      : CompletableFuture.completedFuture("hello");
                });
    time.advance(ofSeconds(1));

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aFutureOfAnotherClassIsNotAskedWhetherItIsDone() {
    CompletableFuture<String> hostile =
        new CompletableFuture<>() {
          @Override
          public boolean isDone() {
            throw new IllegalStateException("asked");
          }
        };
    hostile.complete("hello");

    assertThat(plain().build().callAsync(() -> hostile)).isCompletedWithValue("hello");
  }

  @Test
  void failuresThatAreThereAtOnceAreRetriedAndAttached() {
    List<ConnectException> failures = new ArrayList<>();
    CompletableFuture<String> future =
        plain()
            .build()
            .callAsync(
                () -> {
                  failures.add(new ConnectException("refused " + failures.size()));
                  return CompletableFuture.failedFuture(
                      new CompletionException(failures.get(failures.size() - 1)));
                });
    time.advance(ofSeconds(2));

    Throwable last = failure(future);
    assertThat(last).isSameAs(failures.get(2)).hasSuppressedException(failures.get(0));
    assertThat(last).hasSuppressedException(failures.get(1));
    assertStopped(last, StopReason.ATTEMPTS, 3);
    assertThat(balance()).isEqualTo(8_000);
    assertNothingIsLeft();
  }

  @Test
  void anOperationThatThrowsIsRetriedWithoutItsWrapping() {
    CompletableFuture<String> future =
        plain()
            .build()
            .callAsync(
                () -> {
                  stages.made.add(new CompletableFuture<>());
                  throw new CompletionException(refused);
                });
    time.advance(ofSeconds(2));

    assertThat(failure(future)).isSameAs(refused);
    assertThat(stages.made).hasSize(3);
  }

  @Test
  void aMillionFailuresAtOnceNeedNoDeepStack() {
    int most = 1_000_000;
    int[] attempts = new int[1];
    CompletableFuture<String> future =
        plain()
            .strategy(strategy(Backoff.none(), most + 1))
            .build()
            .callAsync(
                () ->
                    attempts[0]++ < most
                        ? CompletableFuture.failedFuture(refused)
                        : CompletableFuture.completedFuture("hello"));

    assertThat(future).isCompletedWithValue("hello");
  }

  @Test
  void aStageThatEndsLaterIsFollowedByAWait() {
    CompletableFuture<String> future = plain().build().callAsync(stages::next);
    stages.fail(0);
    time.advance(ofSeconds(1));
    stages.fail(1);
    time.advance(ofSeconds(1));
    stages.succeed(2, "hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(balance()).isEqualTo(8_000);
  }

  @Test
  void cancelledInTheWaitNoAttemptFollowsAndTheCostIsGivenBack() {
    CompletableFuture<String> future =
        plain().build().callAsync(failing(9, CompletableFuture.completedFuture("hello")));

    assertThat(future.cancel(true)).isTrue();

    assertNothingIsLeft();
    time.advance(ofSeconds(9));
    assertThat(stages.made).hasSize(1);
    assertThat(balance()).isEqualTo(10_000);
  }

  @Test
  void cancelledWhileALaterAttemptIsStartedItIsCancelledToo() {
    AtomicReference<CompletableFuture<String>> call = new AtomicReference<>();
    CompletableFuture<String> attempt = new CompletableFuture<>();
    call.set(
        plain()
            .build()
            .callAsync(
                () -> {
                  stages.made.add(new CompletableFuture<>());
                  if (stages.made.size() == 1) {
                    return CompletableFuture.failedFuture(refused);
                  }
                  call.get().cancel(true);
                  return attempt;
                }));
    time.advance(ofSeconds(1));

    assertThat(attempt).isCancelled();
    assertThatThrownBy(call.get()::join).isInstanceOf(CancellationException.class);
    assertThat(balance()).isEqualTo(9_000);
    assertNothingIsLeft();
  }

  @Test
  void cancelledWhileAnAttemptSucceedsAtOnceTheResultIsDiscarded() {
    List<Object> discarded = new ArrayList<>();
    AtomicReference<CompletableFuture<String>> call = new AtomicReference<>();
    call.set(
        plain()
            .onDiscard(discarded::add)
            .build()
            .callAsync(
                () -> {
                  stages.made.add(new CompletableFuture<>());
                  if (stages.made.size() == 1) {
                    return CompletableFuture.failedFuture(refused);
                  }
                  call.get().cancel(true);
                  return CompletableFuture.completedFuture("too late");
                }));
    time.advance(ofSeconds(1));

    assertThat(call.get()).isCancelled();
    assertThat(discarded).containsExactly("too late");
  }

  @Test
  void cancelledWhileAnAttemptFailsAtOnceNoneFollows() {
    AtomicReference<CompletableFuture<String>> call = new AtomicReference<>();
    call.set(
        plain()
            .build()
            .callAsync(
                () -> {
                  stages.made.add(new CompletableFuture<>());
                  if (stages.made.size() == 2) {
                    call.get().cancel(true);
                  }
                  return CompletableFuture.failedFuture(refused);
                }));
    time.advance(ofSeconds(9));

    assertThat(call.get()).isCancelled();
    assertThat(stages.made).hasSize(2);
    assertThat(balance()).isEqualTo(9_000);
    assertNothingIsLeft();
  }

  @Test
  void aFailureThatIsNotRetriedLooksAsWithoutARetry() {
    IOException own = new IOException("disk");
    IllegalArgumentException wrong = new IllegalArgumentException("wrong", own);

    CompletableFuture<String> future =
        plain().build().callAsync(() -> CompletableFuture.failedFuture(wrong));

    assertThat(failure(future)).isSameAs(wrong).hasNoSuppressedExceptions();
  }
}
