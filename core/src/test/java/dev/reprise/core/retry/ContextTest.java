package dev.reprise.core.retry;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What hangs on the caller's thread is there in every attempt and for every listener. */
class ContextTest {
  /** Stands for the MDC of a logger, or the current span. */
  private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "none");

  private final VirtualTime time = new VirtualTime();
  private final List<String> seen = new ArrayList<>();
  private int captured;

  @AfterEach
  void whatTheThreadHadIsRestored() {
    assertThat(CURRENT.get()).isEqualTo("none");
  }

  @Test
  void attemptsAndListenersOfAnAsynchronousOperation() {
    CompletableFuture<String> future =
        in(
            "request 1",
            () ->
                retry()
                    .callAsync(
                        () -> {
                          see("attempt");
                          return CompletableFuture.failedFuture(new ConnectException("refused"));
                        }));
    time.runUntilIdle(100);

    assertThat(future).isCompletedExceptionally();
    assertThat(captured).isEqualTo(1);
    assertThat(seen)
        .containsExactly(
            "attempt: request 1",
            "RETRY: request 1",
            "attempt: request 1",
            "RETRY: request 1",
            "attempt: request 1",
            "STOP: request 1");
  }

  @Test
  void attemptsOnTheExecutorTheFirstOneIncluded() {
    CompletableFuture<String> future =
        in(
            "request 2",
            () ->
                retry()
                    .<String>submit(
                        () -> {
                          see("attempt");
                          throw new ConnectException("refused");
                        }));
    time.runUntilIdle(100);

    assertThat(future).isCompletedExceptionally();
    assertThat(captured).isEqualTo(1);
    assertThat(seen).hasSize(6).allMatch(line -> line.endsWith("request 2"));
  }

  @Test
  void listenersThatAreToldOfACancellationByAnotherThread() {
    CompletableFuture<String> inTheWait =
        in(
            "request 3",
            () ->
                retry()
                    .callAsync(() -> CompletableFuture.failedFuture(new ConnectException("no"))));
    assertThat(inTheWait.cancel(true)).isTrue();
    CompletableFuture<String> inAnAttempt =
        in("request 3", () -> retry().callAsync(CompletableFuture::new));
    assertThat(inAnAttempt.cancel(true)).isTrue();

    assertThat(seen).containsExactly("RETRY: request 3", "NOT_MADE: request 3", "STOP: request 3");
  }

  @Test
  void hedgesAndListenersThatAreToldOfThem() {
    List<CompletableFuture<String>> stages = new ArrayList<>();
    Retry hedged =
        retry().toBuilder().idempotent(true).hedging(new Hedging(ofSeconds(1), 2)).build();
    CompletableFuture<String> future =
        in(
            "request 4",
            () ->
                hedged.callAsync(
                    () -> {
                      see("attempt");
                      stages.add(new CompletableFuture<>());
                      return stages.get(stages.size() - 1);
                    }));
    time.advance(ofSeconds(2));
    stages.get(0).completeExceptionally(new ConnectException("refused"));
    stages.get(2).complete("hello");

    assertThat(future).isCompletedWithValue("hello");
    assertThat(seen)
        .containsExactly(
            "attempt: request 4",
            "attempt: request 4",
            "attempt: request 4",
            "SUPERSEDED: request 4",
            "SUPERSEDED: request 4",
            "SUCCESS: request 4");
  }

  @Test
  void anAttemptThatIsCutOff() {
    Retry cutOff = retry().toBuilder().attemptTimeout(ofSeconds(1)).build();
    CompletableFuture<String> future =
        in("request 5", () -> cutOff.callAsync(CompletableFuture::new));
    time.advance(ofSeconds(1));

    assertThat(future).isCompletedExceptionally();
    assertThat(seen).containsExactly("STOP: request 5");
  }

  @Test
  void theContextIsThatOfTheStartAlsoWhenTheFirstAttemptChangesIt() {
    Retry quiet = retry(Retry.builder());
    CompletableFuture<String> future =
        in(
            "request 6",
            () ->
                quiet.callAsync(
                    () -> {
                      see("attempt");
                      CURRENT.set("changed by the attempt");
                      return CompletableFuture.failedFuture(new ConnectException("refused"));
                    }));
    time.runUntilIdle(100);

    assertThat(future).isCompletedExceptionally();
    assertThat(seen).hasSize(3).containsOnly("attempt: request 6");
  }

  private void see(String what) {
    seen.add(what + ": " + CURRENT.get());
  }

  private Retry retry() {
    return retry(Retry.builder().listener(event -> see(event.kind().toString())));
  }

  private Retry retry(RetryBuilder builder) {
    Backoff second = Backoff.fixed(ofSeconds(1));
    return builder
        .strategy(
            StandardRetryStrategy.builder()
                .backoff(second)
                .throttleBackoff(second)
                .maxAttempts(3)
                .budget(RetryBudget.unlimited())
                .build())
        .time(time)
        .executor(time.executor())
        .context(this::capture)
        .build();
  }

  private ContextCapture.Snapshot capture() {
    captured++;
    String snapshot = CURRENT.get();
    return task -> {
      String before = CURRENT.get();
      CURRENT.set(snapshot);
      try {
        task.run();
      } finally {
        CURRENT.set(before);
      }
    };
  }

  private static <T> T in(String context, java.util.function.Supplier<T> call) {
    CURRENT.set(context);
    try {
      return call.get();
    } finally {
      CURRENT.remove();
    }
  }
}
