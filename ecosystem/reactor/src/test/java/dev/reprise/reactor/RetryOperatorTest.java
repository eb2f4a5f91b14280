package dev.reprise.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryStoppedException;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class RetryOperatorTest {
  private static final StandardRetryStrategy HOURLY =
      RetryStrategies.of(Backoff.fixed(Duration.ofHours(1)), Classifier.defaults(), 3);

  private final AtomicInteger attempts = new AtomicInteger();

  /** Fails the given number of times, then emits the number of the attempt. */
  private Mono<Integer> failing(int times) {
    return Mono.defer(
        () -> {
          int attempt = attempts.incrementAndGet();
          return attempt <= times ? Mono.error(new ConnectException()) : Mono.just(attempt);
        });
  }

  @Test
  void aFailureIsTriedAgainAfterItsDelay() {
    StepVerifier.withVirtualTime(() -> failing(2).transform(RetryOperator.mono(Retry.of(HOURLY))))
        .expectSubscription()
        .expectNoEvent(Duration.ofHours(2).minusNanos(1))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(3)
        .verifyComplete();
  }

  @Test
  void theLastFailureReachesTheSubscriberAsItIs() {
    StepVerifier.withVirtualTime(() -> failing(99).transform(RetryOperator.mono(Retry.of(HOURLY))))
        .thenAwait(Duration.ofHours(2))
        .verifyErrorSatisfies(
            failure -> {
              assertThat(failure).isExactlyInstanceOf(ConnectException.class);
              assertThat(RetryStoppedException.of(failure).reason()).isEqualTo(StopReason.ATTEMPTS);
            });
    assertThat(attempts).hasValue(3);
  }

  @Test
  void aFailureThatNobodyClassifiedIsNotTriedAgain() {
    Mono<Object> source =
        Mono.error(
            () -> {
              attempts.incrementAndGet();
              return new IllegalStateException("bug");
            });
    StepVerifier.withVirtualTime(() -> source.transform(RetryOperator.mono(Retry.of(HOURLY))))
        .verifyError(IllegalStateException.class);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void anEmptyMonoIsASuccess() {
    StepVerifier.create(Mono.empty().transform(RetryOperator.mono(Retry.of(HOURLY))))
        .verifyComplete();
  }

  @Test
  void aHintOfTheOtherSideIsKept() {
    Retry retry =
        Retry.builder()
            .strategy(
                RetryStrategies.of(Backoff.fixed(Duration.ofSeconds(1)), Classifier.defaults(), 3)
                    .toBuilder()
                    .hintCeiling(Duration.ofHours(1))
                    .build())
            .classifyResult(
                Integer.class,
                status -> status == 200 ? null : HttpFailure.status(status, Duration.ofMinutes(30)))
            .build();
    Mono<Integer> source = Mono.fromSupplier(() -> attempts.incrementAndGet() == 1 ? 503 : 200);
    StepVerifier.withVirtualTime(() -> source.transform(RetryOperator.mono(retry)))
        .expectSubscription()
        .expectNoEvent(Duration.ofMinutes(30).minusNanos(1))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(200)
        .verifyComplete();
  }

  @Test
  void allSubscribersShareTheBudget() {
    RetryBudget oneRetry = RetryBudget.tokenBucket(5, TokenPrices.SMITHY_GUIDE);
    RecordingListener listener = new RecordingListener();
    Retry retry =
        Retry.builder()
            .strategy(HOURLY.toBuilder().budget(oneRetry).build())
            .listener(listener)
            .build();
    UnaryOperator<Mono<Integer>> operator = RetryOperator.mono(retry);
    StepVerifier.withVirtualTime(
            () ->
                failing(99)
                    .transform(operator)
                    .onErrorComplete()
                    .then(failing(99))
                    .transform(operator))
        .thenAwait(Duration.ofDays(1))
        .verifyError(ConnectException.class);
    assertThat(listener.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(attempts).hasValue(3);
  }

  @Test
  void cancellingDuringTheWaitGivesBackTheCost() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    Retry retry = Retry.of(HOURLY.toBuilder().budget(budget).build());
    StepVerifier.withVirtualTime(() -> failing(99).transform(RetryOperator.mono(retry)))
        .expectSubscription()
        .expectNoEvent(Duration.ofMinutes(1))
        .thenCancel()
        .verify();
    assertThat(attempts).hasValue(1);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(budget.capacityMilliTokens());
  }

  @Test
  void cancellingCancelsTheAttemptUnderWay() {
    AtomicBoolean cancelled = new AtomicBoolean();
    Mono<Object> source = Mono.never().doOnCancel(() -> cancelled.set(true));
    StepVerifier.create(source.transform(RetryOperator.mono(Retry.of(HOURLY))))
        .expectSubscription()
        .thenCancel()
        .verify();
    assertThat(cancelled).isTrue();
  }

  @Test
  void anAttemptThatTakesTooLongIsCutOff() {
    Retry retry =
        Retry.builder()
            .strategy(HOURLY)
            .idempotent(true)
            .attemptTimeout(Duration.ofSeconds(10))
            .build();
    Mono<Integer> source =
        Mono.defer(
            () -> attempts.incrementAndGet() == 1 ? Mono.never() : Mono.just(attempts.get()));
    StepVerifier.withVirtualTime(() -> source.transform(RetryOperator.mono(retry)))
        .expectSubscription()
        .expectNoEvent(Duration.ofHours(1).plusSeconds(10).minusNanos(1))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(2)
        .verifyComplete();
  }

  @Test
  void theContextOfTheSubscriberReachesEveryAttempt() {
    Mono<String> source =
        Mono.deferContextual(
            context ->
                attempts.incrementAndGet() < 3
                    ? Mono.error(new ConnectException())
                    : Mono.just(context.get("user")));
    StepVerifier.withVirtualTime(
            () ->
                source
                    .transform(RetryOperator.mono(Retry.of(HOURLY)))
                    .contextWrite(context -> context.put("user", "ada")))
        .thenAwait(Duration.ofHours(2))
        .expectNext("ada")
        .verifyComplete();
  }
}
