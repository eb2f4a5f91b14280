package dev.reprise.core.retry;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.ScriptedOperation;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WhatARetryRestsOnTest {
  @ParameterizedTest
  @ValueSource(ints = {-1, 1})
  void aWallClockThatJumpsChangesNothing(int hours) {
    VirtualTime time = new VirtualTime();
    Retry retry = everySecond(time).deadline(ofSeconds(4)).build();
    ScriptedOperation<String> operation =
        new ScriptedOperation<String>()
            .failsAlways(
                () -> {
                  time.clock().shiftWall(ofHours(hours));
                  return new ConnectException("refused");
                });

    Throwable thrown = catchThrowable(() -> retry.call(operation::call));

    RetryStoppedException stopped = RetryStoppedException.of(thrown);
    assertThat(stopped).isNotNull();
    assertThat(stopped.reason()).isEqualTo(StopReason.DEADLINE);
    assertThat(operation.calls()).isEqualTo(5);
    assertThat(time.elapsed()).isEqualTo(ofSeconds(4));
  }

  /** Another thread cancels the very call that the listener is told of, while it is told. */
  @Test
  void aListenerThatWaitsForAnotherThreadHoldsNoLockThatItNeeds() throws Exception {
    VirtualTime time = new VirtualTime();
    AtomicReference<CompletableFuture<String>> call = new AtomicReference<>();
    CompletableFuture<String> attempt = new CompletableFuture<>();
    AtomicReference<Throwable> broken = new AtomicReference<>();
    Retry retry =
        everySecond(time)
            .listener(
                event -> {
                  Thread canceller = new Thread(() -> call.get().cancel(true));
                  canceller.start();
                  try {
                    // For ever if the canceller waits for a lock that is held here.
                    canceller.join(Duration.ofMinutes(1).toMillis());
                  } catch (InterruptedException e) {
                    broken.set(e);
                  }
                  if (canceller.isAlive()) {
                    broken.set(new AssertionError("the listener is told under a lock"));
                  }
                })
            .build();
    call.set(retry.callAsync(() -> attempt));

    attempt.completeExceptionally(new ConnectException("refused"));

    assertThat(broken.get()).isNull();
    assertThat(call.get()).isCancelled();
    assertThat(time.pending()).isZero();
  }

  private static RetryBuilder everySecond(VirtualTime time) {
    return Retry.builder()
        .strategy(
            StandardRetryStrategy.builder()
                .backoff(Backoff.fixed(ofSeconds(1)))
                .maxAttempts(100)
                .budget(RetryBudget.unlimited())
                .build())
        .time(time)
        .executor(time.executor());
  }
}
