package dev.reprise.core.retry;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockingRetryTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();

  @AfterEach
  void noTestLeavesTheThreadInterrupted() {
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void theCompilerKnowsWhatAnOperationThrows() {
    Retry retry = retry(Backoff.none(), 3).build();
    String unchecked = retry.call(() -> "no throws clause, nothing to catch");
    assertThat(unchecked).isNotEmpty();
    try {
      retry.run(
          () -> {
            throw new ConnectException("refused");
          });
    } catch (IOException e) {
      assertThat(e).hasMessage("refused");
    }
  }

  @Test
  void anInterruptInTheWaitEndsItAndKeepsTheFailureAndTheFlag() {
    RetryBudget budget = tenRetries();
    Retry retry = retry(Backoff.fixed(ofSeconds(1)), 5, budget).build();
    ConnectException failure = new ConnectException("refused");
    int[] calls = new int[1];

    Throwable thrown =
        catchThrowable(
            () ->
                retry.run(
                    () -> {
                      calls[0]++;
                      Thread.currentThread().interrupt();
                      throw failure;
                    }));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).isSameAs(failure);
    assertThat(calls[0]).isEqualTo(1);
    assertStopped(thrown, StopReason.INTERRUPTED, 1);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.NOT_MADE);
    // What the retry cost that was not made is given back.
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(10_000);
  }

  @Test
  void anInterruptIsSeenBeforeARetryWithoutDelayToo() {
    Retry retry = retry(Backoff.none(), 5).build();

    Throwable thrown =
        catchThrowable(
            () ->
                retry.run(
                    () -> {
                      Thread.currentThread().interrupt();
                      throw new ConnectException("refused");
                    }));

    assertThat(Thread.interrupted()).isTrue();
    assertStopped(thrown, StopReason.INTERRUPTED, 1);
  }

  @Test
  void aThreadThatIsInterruptedOnEntryStillMakesItsFirstAttempt() {
    Retry retry = retry(Backoff.none(), 5).build();
    Thread.currentThread().interrupt();
    try {
      assertThat(retry.<String, RuntimeException>call(() -> "hello")).isEqualTo("hello");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void anOperationThatWasInterruptedIsNotRepeated() {
    for (Exception interruption :
        new Exception[] {new InterruptedException(), new InterruptedIOException()}) {
      Retry retry = retry(Backoff.none(), 5).idempotent(true).build();
      int[] calls = new int[1];

      Throwable thrown =
          catchThrowable(
              () ->
                  retry.run(
                      () -> {
                        calls[0]++;
                        throw interruption;
                      }));

      assertThat(Thread.interrupted()).isTrue();
      assertThat(thrown).isSameAs(interruption);
      assertThat(calls[0]).isEqualTo(1);
    }
  }

  @Test
  void aChannelThatWasClosedByAnInterruptIsNotRetried() {
    Retry retry = retry(Backoff.none(), 5).idempotent(true).build();
    int[] calls = new int[1];
    Throwable thrown =
        catchThrowable(
            () ->
                retry.run(
                    () -> {
                      calls[0]++;
                      throw new ClosedByInterruptException();
                    }));
    assertThat(thrown).isInstanceOf(ClosedByInterruptException.class);
    assertThat(calls[0]).isEqualTo(1);
  }

  @Test
  void aSocketThatTimesOutWasNotInterrupted() {
    Retry retry = retry(Backoff.none(), 2).idempotent(true).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(SocketTimeoutException::new);
    assertThat(catchThrowable(() -> retry.call(operation::call)))
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(operation.calls()).isEqualTo(2);
  }

  @Test
  void aTimeoutDerivedFromAnInterruptLeavesTheThreadAlone() {
    class ConnectTimeout extends InterruptedIOException {
      private static final long serialVersionUID = 1;
    }

    Retry retry = retry(Backoff.none(), 2).idempotent(true).build();
    assertThat(
            catchThrowable(
                () ->
                    retry.run(
                        () -> {
                          throw new ConnectTimeout();
                        })))
        .isInstanceOf(ConnectTimeout.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void ofNestedOperationsTheOutermostSaysWhyItEnded() {
    Retry outer = retry(Backoff.none(), 3).build();
    Retry inner = retry(Backoff.none(), 3).build();
    ConnectException first = new ConnectException("before the inner operation");
    int[] calls = new int[1];

    Throwable thrown =
        catchThrowable(
            () ->
                outer.run(
                    () -> {
                      if (++calls[0] == 1) {
                        throw first;
                      }
                      inner.run(
                          () -> {
                            throw new ConnectException("refused");
                          });
                    }));

    assertStopped(thrown, StopReason.NOT_RETRYABLE, 2);
    assertThat(thrown).hasSuppressedException(first);
  }

  @Test
  void threeLayersOfThreeAttemptsMakeThreeCalls() {
    Retry outer = retry(Backoff.none(), 3).name("outer").build();
    Retry middle = retry(Backoff.none(), 3).name("middle").build();
    Retry inner = retry(Backoff.none(), 3).name("inner").build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown =
        catchThrowable(() -> outer.call(() -> middle.call(() -> inner.call(operation::call))));

    assertThat(operation.calls()).isEqualTo(3);
    assertStopped(thrown, StopReason.ATTEMPTS, 3);
  }

  @Test
  void aFailureThatAnotherOperationThrewBeforeIsRetriedAllTheSame() {
    Retry retry = retry(Backoff.none(), 3).build();
    ConnectException constant = new ConnectException("one object for all");
    for (int i = 0; i < 2; i++) {
      ScriptedOperation<String> operation =
          new ScriptedOperation<String>().failsAlways(() -> constant);
      assertThat(catchThrowable(() -> retry.call(operation::call))).isSameAs(constant);
      assertThat(operation.calls()).isEqualTo(3);
    }
  }

  @Test
  void layersThatShareABudgetCannotMultiplyWhatItAllows() {
    RetryBudget shared = tenRetries();
    // Attached to nothing: an inner failure that is wrapped looks new to the outer layer.
    Retry outer = retry(Backoff.none(), 100, shared).build();
    Retry inner = retry(Backoff.none(), 100, shared).build();
    AtomicInteger calls = new AtomicInteger();

    Throwable thrown =
        catchThrowable(
            () ->
                outer.call(
                    () -> {
                      try {
                        return inner.call(
                            () -> {
                              calls.incrementAndGet();
                              throw new ConnectException("refused");
                            });
                      } catch (ConnectException e) {
                        throw new ConnectException("wrapped: " + e.getMessage());
                      }
                    }));

    assertThat(calls.get()).isEqualTo(11);
    assertThat(thrown).isInstanceOf(ConnectException.class);
  }

  @Test
  void anAttemptThatTakesTooLongIsInterruptedAndAnotherOneIsMade() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicReference<Throwable> first = new AtomicReference<>();
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch interrupted = new CountDownLatch(1);
    // Not even the second attempt is sure to end within so short a time.
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 1_000, RetryBudget.unlimited()))
            .idempotent(true)
            .attemptTimeout(ofMillis(50))
            .listener(listener)
            .build();

    String result =
        retry.call(
            () -> {
              if (calls.incrementAndGet() > 1) {
                return "hello";
              }
              try {
                never.await();
              } catch (InterruptedException e) {
                first.set(e);
                interrupted.countDown();
              }
              return "too late";
            });

    assertThat(result).isEqualTo("hello");
    assertThat(catchThrowable(interrupted::await)).isNull();
    assertThat(first.get()).isInstanceOf(InterruptedException.class);
    assertThat(listener.events().get(0).failure()).isInstanceOf(AttemptTimeoutException.class);
  }

  @Test
  void anInterruptOfTheWaitingThreadStopsTheAttempt() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Retry retry =
        Retry.builder()
            .strategy(strategy(Backoff.none(), 3, RetryBudget.unlimited()))
            .attemptTimeout(ofHours(1))
            .build();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> flag = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              thrown.set(
                  catchThrowable(
                      () ->
                          retry.run(
                              () -> {
                                started.countDown();
                                try {
                                  never.await();
                                } finally {
                                  stopped.countDown();
                                }
                              })));
              flag.set(Thread.currentThread().isInterrupted());
            });
    caller.start();
    started.await();
    caller.interrupt();
    caller.join();
    stopped.await();

    assertThat(thrown.get()).isInstanceOf(java.util.concurrent.CancellationException.class);
    assertThat(flag.get()).isTrue();
  }

  /** The pool's only thread waits for an attempt that needs the pool's only thread. */
  @Test
  void aFullExecutorDoesNotKeepAnAttemptFromBeingCutOff() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      Retry retry =
          Retry.builder()
              .strategy(strategy(Backoff.none(), 3, RetryBudget.unlimited()))
              .idempotent(true)
              .attemptTimeout(ofMillis(20))
              .executor(one)
              .build();
      AtomicInteger calls = new AtomicInteger();

      Future<Throwable> thrown =
          one.submit(() -> catchThrowable(() -> retry.call(calls::incrementAndGet)));

      assertThat(thrown.get(1, TimeUnit.MINUTES)).isInstanceOf(AttemptTimeoutException.class);
      assertStopped(thrown.get(), StopReason.ATTEMPTS, 3);
      assertThat(calls.get()).isZero();
    } finally {
      one.shutdownNow();
    }
  }

  @Test
  void aStrategyOfSomebodyElseIsDrivenThroughItsTokens() throws Exception {
    TokenOnlyStrategy seed = new TokenOnlyStrategy(3);
    Retry retry = Retry.builder().strategy(seed).time(time).listener(listener).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().fails(2, ConnectException::new).succeeds("hello");

    assertThat(retry.call(operation::call)).isEqualTo("hello");

    assertThat(time.waits()).containsExactly(ofSeconds(1), ofSeconds(2));
    assertThat(seed.successes()).isEqualTo(1);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void whenAStrategyGivesNoTokenOneAttemptIsMade() {
    TokenOnlyStrategy seed = new TokenOnlyStrategy(0);
    Retry retry = Retry.builder().strategy(seed).time(time).listener(listener).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>().failsAlways(ConnectException::new);

    Throwable thrown = catchThrowable(() -> retry.call(operation::call));

    assertThat(operation.calls()).isEqualTo(1);
    assertStopped(thrown, StopReason.BUDGET, 1);
    assertThat(seed.successes()).isZero();
  }

  @Test
  void hedgingNeedsAnIdempotentOperationAndAStrategyThatCanPay() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retry.builder().hedging(Hedging.after(ofSeconds(1))).build())
        .withMessageContaining("hedging is")
        .withMessageContaining("idempotent");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Retry.builder()
                    .strategy(new TokenOnlyStrategy(3))
                    .idempotent(true)
                    .hedging(Hedging.after(ofSeconds(1)))
                    .build())
        .withMessageContaining("strategy");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retry.builder().deadline(Duration.ZERO))
        .withMessage("deadline is PT0S: must be between 1 ns and 292 years");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Hedging(ofSeconds(1), 0))
        .withMessage("maxHedges is 0: must be >= 1");
  }

  @Test
  void whatIsBuiltFromACopySharesTheStrategyAndKeepsEverySetting() {
    Retry retry = retry(Backoff.none(), 3).name("one").deadline(ofSeconds(5)).build();
    Retry copy = retry.toBuilder().build();
    assertThat(copy.strategy()).isSameAs(retry.strategy());
    assertThat(copy.name()).isEqualTo("one");
  }

  private RetryBuilder retry(Backoff backoff, int maxAttempts) {
    return retry(backoff, maxAttempts, RetryBudget.unlimited());
  }

  private RetryBuilder retry(Backoff backoff, int maxAttempts, RetryBudget budget) {
    return Retry.builder()
        .strategy(strategy(backoff, maxAttempts, budget))
        .time(time)
        .listener(listener);
  }

  private static RetryStrategy strategy(Backoff backoff, int maxAttempts, RetryBudget budget) {
    return StandardRetryStrategy.builder()
        .backoff(backoff)
        .throttleBackoff(backoff)
        .maxAttempts(maxAttempts)
        .budget(budget)
        .build();
  }

  private static RetryBudget tenRetries() {
    return RetryBudget.tokenBucket(10, new TokenPrices(1_000, 1_000, 1_000, 0, false));
  }

  private static void assertStopped(Throwable thrown, StopReason reason, int attempts) {
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(reason);
    assertThat(stopped.attempts()).isEqualTo(attempts);
  }
}
