package dev.reprise.server.labs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.server.http.ApiException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LabThreadTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final LabThread thread = new LabThread("test-lab");

  /** Runs until it is interrupted, and says so. */
  private static void untilInterrupted(CountDownLatch begun, CompletableFuture<Boolean> ended) {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      ended.complete(true);
    }
  }

  @Test
  void oneRunsOneWaitsAndAThirdIsRefused() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    CompletableFuture<Integer> priority = new CompletableFuture<>();
    LabThread.Job first = thread.take(() -> untilInterrupted(begun, ended), LONG);
    assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    thread.take(() -> priority.complete(Thread.currentThread().getPriority()), LONG);

    assertThatThrownBy(() -> thread.take(() -> {}, LONG))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("another waits");

    first.cancel();
    assertThat(ended.get(1, TimeUnit.MINUTES)).isTrue();
    assertThat(priority.get(1, TimeUnit.MINUTES)).isEqualTo(Thread.MIN_PRIORITY);
    assertThat(first.isLate()).isFalse();
  }

  @Test
  void whatTakesTooLongIsInterrupted() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();

    LabThread.Job job =
        thread.take(() -> untilInterrupted(new CountDownLatch(1), ended), Duration.ofMillis(20));

    assertThat(ended.get(1, TimeUnit.MINUTES)).isTrue();
    assertThat(job.isLate()).isTrue();
  }

  @Test
  void oneThatIsCancelledWhileItWaitsNeverBegins() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    CompletableFuture<Boolean> wrong = new CompletableFuture<>();
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    LabThread.Job first = thread.take(() -> untilInterrupted(begun, ended), LONG);
    assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();

    thread.take(() -> wrong.complete(true), LONG).cancel();
    // Its place in the queue is free again.
    thread.take(() -> next.complete(Thread.currentThread().isInterrupted()), LONG);
    first.cancel();

    assertThat(next.get(1, TimeUnit.MINUTES)).isFalse();
    assertThat(wrong).isNotDone();
  }
}
