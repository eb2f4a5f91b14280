package dev.reprise.core.retry;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.Failure;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class HedgingTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();
  private final List<Object> discarded = new ArrayList<>();
  private final List<CompletableFuture<String>> attempts = new ArrayList<>();
  private RetryBudget budget =
      RetryBudget.tokenBucket(10, new TokenPrices(1_000, 1_000, 1_000, 0, false));

  @Test
  void aHedgeStartsAfterTheDelayAndTheFirstSuccessWins() {
    CompletableFuture<String> future = retry(1, 5).build().callAsync(this::attempt);
    time.advance(ofMillis(99));
    assertThat(attempts).hasSize(1);
    time.advance(ofMillis(1));
    assertThat(attempts).hasSize(2);

    attempts.get(1).complete("of the hedge");

    assertThat(future).isCompletedWithValue("of the hedge");
    assertThat(attempts.get(0)).isCancelled();
    assertThat(balance()).isEqualTo(9_000);
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.SUCCESS));
  }

  @Test
  void aHedgeThatLosesWhileItStartsIsCancelledOnceItHasAStage() throws Exception {
    Queue<Runnable> hedges = new ArrayDeque<>();
    CountDownLatch starting = new CountDownLatch(1);
    CountDownLatch decided = new CountDownLatch(1);
    CompletableFuture<String> slow = new CompletableFuture<>();
    Thread[] starter = new Thread[1];
    CompletableFuture<String> future =
        retry(2, 9)
            .executor(hedges::add)
            .listener(
                event -> {
                  // The loser before this one was to be cancelled already.
                  if (event.attempt() == 3 && event.kind() == Kind.SUPERSEDED) {
                    decided.countDown();
                    assertThat(catchThrowable(() -> starter[0].join())).isNull();
                  }
                })
            .build()
            .callAsync(
                () -> {
                  if (Thread.currentThread() != starter[0]) {
                    return attempt();
                  }
                  starting.countDown();
                  decided.await();
                  return slow;
                });
    time.advance(ofMillis(100));
    starter[0] = new Thread(hedges.remove());
    starter[0].start();
    starting.await();
    time.advance(ofMillis(100));
    hedges.remove().run();

    attempts.get(0).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(slow).isCancelled();
    assertThat(attempts.get(1)).isCancelled();
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(3, Kind.SUPERSEDED), tuple(1, Kind.SUCCESS));
  }

  @Test
  void anAttemptThatIsFastEnoughHasNoHedge() {
    CompletableFuture<String> future = retry(1, 5).build().callAsync(this::attempt);
    attempts.get(0).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(balance()).isEqualTo(10_000);
    assertEvents(tuple(1, Kind.SUCCESS));
  }

  @Test
  void whatALoserBringsNeverthelessIsDiscardedOnce() {
    List<CompletableFuture<String>> sources = new ArrayList<>();
    CompletableFuture<String> future =
        retry(2, 5)
            .build()
            .callAsync(
                () -> {
                  CompletableFuture<String> source = new CompletableFuture<>();
                  sources.add(source);
                  // Cancelling the copy does not reach the source, nor the stage that is listened
                  // to.
                  return source.minimalCompletionStage();
                });
    time.advance(ofMillis(200));
    assertThat(sources).hasSize(3);
    sources.get(2).complete("winner");
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.SUPERSEDED), tuple(3, Kind.SUCCESS));

    sources.get(0).complete("loser");
    sources.get(1).completeExceptionally(new ConnectException("refused"));

    assertThat(future).isCompletedWithValue("winner");
    assertThat(discarded).containsExactly("loser");
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.SUPERSEDED), tuple(3, Kind.SUCCESS));
  }

  @Test
  void whenAllHaveFailedTheLastFailureDecidesAndARetryFollows() {
    ConnectException last = new ConnectException("last");
    CompletableFuture<String> future = retry(1, 5).build().callAsync(this::attempt);
    time.advance(ofMillis(100));
    attempts.get(1).completeExceptionally(new ConnectException("first"));
    assertThat(future).isNotDone();
    attempts.get(0).completeExceptionally(last);
    time.advance(ofSeconds(1));
    assertThat(attempts).hasSize(3);
    attempts.get(2).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    // The hedge and the retry were paid for; the success brought nothing back for the hedge.
    assertThat(balance()).isBetween(8_000L, 9_000L);
    assertThat(listener.events().get(1).failure()).isSameAs(last);
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(1, Kind.RETRY), tuple(3, Kind.SUCCESS));
  }

  @Test
  void anAttemptThatFailsBeforeTheHedgeStartsIsRetriedAsUsual() {
    CompletableFuture<String> future = retry(1, 2).build().callAsync(this::attempt);
    attempts.get(0).completeExceptionally(new ConnectException("refused"));
    time.advance(ofMillis(999));
    assertThat(attempts).hasSize(1);
    time.advance(ofMillis(1));
    attempts.get(1).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(tuple(1, Kind.RETRY), tuple(2, Kind.SUCCESS));
  }

  @Test
  void anExhaustedBudgetStartsNoHedgeAndKillsNone() {
    budget = RetryBudget.tokenBucket(1, new TokenPrices(1_000, 1_000, 1_000, 0, false));
    CompletableFuture<String> future = retry(3, 9).build().callAsync(this::attempt);
    time.advance(ofSeconds(10));
    assertThat(attempts).hasSize(2).noneMatch(CompletableFuture::isDone);
    assertThat(balance()).isZero();

    attempts.get(0).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(1, Kind.SUCCESS));
  }

  @Test
  void hedgesCountAgainstTheAttemptsThatTheStrategyAllows() {
    CompletableFuture<String> future = retry(9, 3).build().callAsync(this::attempt);
    time.advance(ofSeconds(10));
    assertThat(attempts).hasSize(3);
    attempts.forEach(stage -> stage.completeExceptionally(new ConnectException("refused")));

    Throwable thrown = catchThrowable(future::get).getCause();
    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(StopReason.ATTEMPTS);
    assertThat(stopped.attempts()).isEqualTo(3);
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.SUPERSEDED), tuple(3, Kind.STOP));
  }

  @Test
  void aThrottleStopsFurtherHedges() {
    CompletableFuture<String> future = retry(3, 9).build().callAsync(this::attempt);
    time.advance(ofMillis(100));
    attempts.get(0).completeExceptionally(Failure.throttle());
    time.advance(ofSeconds(10));
    assertThat(attempts).hasSize(2);
    attempts.get(1).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.SUCCESS));
  }

  @Test
  void aThrottleThatOnlyARuleKnowsStopsFurtherHedgesToo() {
    Classifier classifier =
        Classifier.defaults()
            .with(
                (failure, verdict) ->
                    failure instanceof IllegalStateException ? verdict.withThrottle() : verdict);
    CompletableFuture<String> future = retry(3, 9, classifier).build().callAsync(this::attempt);
    time.advance(ofMillis(100));
    attempts.get(0).completeExceptionally(new IllegalStateException("too much"));
    time.advance(ofSeconds(10));

    assertThat(attempts).hasSize(2);
    future.cancel(true);
  }

  @Test
  void aCancellationCancelsAllAndEachHasOneEvent() {
    CompletableFuture<String> future = retry(2, 9).build().callAsync(this::attempt);
    time.advance(ofMillis(200));

    assertThat(future.cancel(true)).isTrue();

    assertThat(attempts).hasSize(3).allMatch(CompletableFuture::isCancelled);
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(3, Kind.SUPERSEDED), tuple(1, Kind.STOP));
  }

  @Test
  void anAttemptStillUnderWayStandsForARoundThatIsCancelled() {
    CompletableFuture<String> future = retry(2, 9).build().callAsync(this::attempt);
    time.advance(ofMillis(200));
    attempts.get(0).completeExceptionally(new ConnectException("refused"));

    assertThat(future.cancel(true)).isTrue();

    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(3, Kind.SUPERSEDED), tuple(2, Kind.STOP));
  }

  @Test
  void theTimeoutCutsOffAllOfARoundAndEachHasOneEvent() {
    CompletableFuture<String> future =
        retry(1, 9).attemptTimeout(ofMillis(500)).build().callAsync(this::attempt);
    time.advance(ofMillis(500));
    assertThat(attempts).hasSize(2).allMatch(CompletableFuture::isCancelled);
    time.advance(ofSeconds(1));
    attempts.get(2).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(1, Kind.RETRY), tuple(3, Kind.SUCCESS));
  }

  @Test
  void aResultThatIsNotAcceptedIsJudgedOnceAndDiscardedOnce() {
    List<String> judged = new ArrayList<>();
    CompletableFuture<String> future =
        retry(1, 9)
            .retryOnResult(
                String.class,
                result -> {
                  judged.add(result);
                  return result.startsWith("not");
                })
            .build()
            .callAsync(this::attempt);
    time.advance(ofMillis(100));
    attempts.get(0).complete("not this");
    attempts.get(1).complete("not that");
    time.advance(ofSeconds(1));
    attempts.get(2).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(judged).containsExactly("not this", "not that", "hello");
    assertThat(discarded).containsExactly("not this", "not that");
    assertEvents(tuple(1, Kind.SUPERSEDED), tuple(2, Kind.RETRY), tuple(3, Kind.SUCCESS));
  }

  @Test
  void anOperationThatThrowsOrReturnsNoStageIsAFailedHedge() {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<String> future =
        retry(2, 9)
            .build()
            .callAsync(
                () ->
                    switch (calls.incrementAndGet()) {
                      case 1 -> attempt();
                      case 2 -> null;
                      default -> throw new ConnectException("thrown");
                    });
    time.advance(ofMillis(200));
    attempts.get(0).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertEvents(tuple(2, Kind.SUPERSEDED), tuple(3, Kind.SUPERSEDED), tuple(1, Kind.SUCCESS));
  }

  @Test
  void aBlockingOperationIsHedgedAndTheLoserInterrupted() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    Retry retry =
        Retry.builder()
            .strategy(strategy(5, Classifier.defaults()))
            .idempotent(true)
            .hedging(Hedging.after(ofMillis(1)))
            .build();

    String result =
        retry.call(
            () -> {
              if (calls.incrementAndGet() > 1) {
                return "of the hedge";
              }
              try {
                never.await();
                return "never";
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });

    assertThat(result).isEqualTo("of the hedge");
    interrupted.await();
  }

  @Test
  void aBudgetThatThrowsAtAHedgeEndsACallWithAContextToo() {
    budget =
        (RetryBudget)
            java.lang.reflect.Proxy.newProxyInstance(
                HedgingTest.class.getClassLoader(),
                new Class<?>[] {RetryBudget.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("a broken budget");
                });
    CompletableFuture<String> future =
        retry(1, 3).context(() -> Runnable::run).build().callAsync(this::attempt);
    time.advance(ofSeconds(1));

    assertThat(future).isCompletedExceptionally();
  }

  @Test
  void aDelayThatNanosecondsCannotHoldIsRefused() {
    assertThat(catchThrowable(() -> Hedging.after(java.time.Duration.ofDays(365L * 300))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("delay is");
  }

  @Test
  void aReplaceableStrategyThatCannotPayIsRefused() {
    assertThat(
            catchThrowable(
                () ->
                    retry(1, 3)
                        .strategy(RetryStrategies.replaceable(new TokenOnlyStrategy(3)))
                        .build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("strategy");
  }

  private CompletableFuture<String> attempt() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    attempts.add(stage);
    return stage;
  }

  private RetryBuilder retry(int maxHedges, int maxAttempts) {
    return retry(maxHedges, maxAttempts, Classifier.defaults());
  }

  private RetryBuilder retry(int maxHedges, int maxAttempts, Classifier classifier) {
    return Retry.builder()
        .strategy(strategy(maxAttempts, classifier))
        .idempotent(true)
        .hedging(new Hedging(ofMillis(100), maxHedges))
        .time(time)
        .executor(time.executor())
        .listener(listener)
        .onDiscard(discarded::add);
  }

  private StandardRetryStrategy strategy(int maxAttempts, Classifier classifier) {
    Backoff second = Backoff.fixed(ofSeconds(1));
    return StandardRetryStrategy.builder()
        .backoff(second)
        .throttleBackoff(second)
        .maxAttempts(maxAttempts)
        .classifier(classifier)
        .budget(budget)
        .build();
  }

  private long balance() {
    return budget.balanceMilliTokens(0);
  }

  private void assertEvents(org.assertj.core.groups.Tuple... events) {
    assertThat(listener.events())
        .extracting(RetryEvent::attempt, RetryEvent::kind)
        .containsExactly(events);
    assertThat(listener.events()).filteredOn(RetryEvent::isLast).hasSize(1);
    assertThat(time.pending()).isZero();
  }
}
