package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class InterruptibleAttemptTest {
  /** Virtual threads where there are any. */
  private static ThreadFactory threads() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      return (ThreadFactory)
          Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException platformOnly) {
      return Executors.defaultThreadFactory();
    }
  }

  @Test
  void anInterruptNeverReachesTheNextTaskOfTheThread() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor(threads());
    try {
      Retry retry = Retry.builder().executor(one).build();
      CyclicBarrier start = new CyclicBarrier(2);
      for (int i = 0; i < 5_000; i++) {
        CompletableFuture<String> attempt =
            retry.submit(
                () -> {
                  start.await();
                  return "done";
                });
        Future<Boolean> nextTask = one.submit(() -> Thread.currentThread().isInterrupted());
        start.await();
        attempt.cancel(true);
        assertThat(nextTask.get()).as("round %s", i).isFalse();
      }
    } finally {
      one.shutdownNow();
    }
  }

  @Test
  void anInterruptThatSomebodyElseSendsIsKeptForThem() {
    List<Boolean> flags = new ArrayList<>();
    Retry retry =
        Retry.builder()
            .executor(
                task -> {
                  task.run();
                  flags.add(Thread.interrupted());
                })
            .build();
    List<CompletableFuture<String>> futures = new ArrayList<>();
    CompletableFuture<String> future =
        retry.submit(
            () -> {
              Thread.currentThread().interrupt();
              return "hello";
            });
    futures.add(future);

    assertThat(futures).allMatch(done -> done.join().equals("hello"));
    assertThat(flags).containsExactly(true);
  }

  @Test
  void anAttemptThatWasCancelledBeforeItBeganIsNeverMade() {
    List<Runnable> tasks = new ArrayList<>();
    int[] calls = new int[1];
    CompletableFuture<Integer> future =
        Retry.builder().executor(tasks::add).build().submit(() -> ++calls[0]);
    assertThat(future.cancel(true)).isTrue();
    tasks.forEach(Runnable::run);

    assertThat(calls[0]).isZero();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aResultThatComesAfterTheCancellationIsDiscardedOnce() {
    List<Object> discarded = new ArrayList<>();
    List<Runnable> tasks = new ArrayList<>();
    List<CompletableFuture<String>> futures = new ArrayList<>();
    futures.add(
        Retry.builder()
            .executor(tasks::add)
            .onDiscard(discarded::add)
            .build()
            .submit(
                () -> {
                  assertThat(futures.get(0).cancel(true)).isTrue();
                  return "late";
                }));
    tasks.forEach(Runnable::run);

    assertThat(futures.get(0)).isCancelled();
    assertThat(discarded).containsExactly("late");
    // The interrupt was for the attempt, and the attempt is over.
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
