package dev.reprise.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.RetryStrategies;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {
  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();

  /** What the README of this module shows. */
  @Test
  void threeFailuresThenSuccessTakeZeroOneAndTwoSeconds() throws Exception {
    var backoff = Backoff.linear(ofSeconds(1), ofSeconds(1), ofMinutes(1)).withFirstFast();
    var strategy = RetryStrategies.of(backoff, Classifier.defaults(), 4);
    var retry = Retry.builder().strategy(strategy).time(time).listener(listener).build();
    var operation =
        new ScriptedOperation<String>().fails(3, ConnectException::new).succeeds("hello");

    assertThat(retry.call(operation::call)).isEqualTo("hello");

    assertThat(time.elapsed()).isEqualTo(ofSeconds(3));
    assertThat(time.waits()).containsExactly(ofSeconds(1), ofSeconds(2));
    assertThat(listener.delays()).containsExactly(ZERO, ofSeconds(1), ofSeconds(2));
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
    assertThat(listener.stopReason()).isNull();
  }

  @Test
  void anAsynchronousRetryWaitsUntilTimeIsMoved() {
    var strategy = RetryStrategies.of(Backoff.fixed(ofHours(1)), Classifier.defaults(), 2);
    var retry = Retry.builder().strategy(strategy).time(time).executor(time.executor()).build();
    var attempts = new ScriptedOutcomes<CompletableFuture<String>>();
    attempts.then(CompletableFuture.failedFuture(new ConnectException()));
    attempts.then(CompletableFuture.completedFuture("hello"));

    var future = retry.callAsync(attempts::next);

    time.advance(ofMinutes(59));
    assertThat(future).isNotDone();
    time.advance(ofMinutes(1));
    assertThat(future).isCompletedWithValue("hello");
    assertThat(time.pending()).isZero();
  }

  @Test
  void anInterruptedThreadDoesNotSleepAndNoTimePasses() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> time.sleep(1)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(time.elapsed()).isZero();
    assertThat(time.waits()).isEmpty();
  }
}
