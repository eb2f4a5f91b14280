package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DefaultExecutorsTest {
  @Test
  void theCommonPoolIsUsedWhereFuturesUseIt() {
    assertThat(DefaultExecutors.async(ForkJoinPool.commonPool()))
        .isSameAs(ForkJoinPool.commonPool());
  }

  @Test
  void insteadOfAThreadForEachTaskThereAreTwoDaemonThreads() {
    Executor few = DefaultExecutors.async(task -> new Thread(task).start());
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    // Until all are submitted none ends: a thread that came to be idle might be replaced.
    CountDownLatch allSubmitted = new CountDownLatch(1);
    Runnable task =
        () -> {
          threads.add(Thread.currentThread());
          await(allSubmitted);
        };
    List<CompletableFuture<Void>> tasks =
        IntStream.range(0, 1_000).mapToObj(i -> CompletableFuture.runAsync(task, few)).toList();
    allSubmitted.countDown();
    tasks.forEach(CompletableFuture::join);

    assertThat(threads).hasSizeBetween(1, 2).allMatch(Thread::isDaemon);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void aThreadForAttemptsTakesNothingOverFromWhoNeedsItFirst() {
    InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
    inherited.set("of the caller");
    Thread caller = Thread.currentThread();
    ClassLoader before = caller.getContextClassLoader();
    caller.setContextClassLoader(new ClassLoader(before) {});
    try {
      // More at once than there can be idle ones from other tests: some thread is new.
      Set<String> seen = ConcurrentHashMap.newKeySet();
      CompletableFuture<Void> all = new CompletableFuture<>();
      List<CompletableFuture<Thread>> running =
          IntStream.range(0, 50)
              .mapToObj(
                  i -> {
                    CompletableFuture<Thread> started = new CompletableFuture<>();
                    DefaultExecutors.blocking()
                        .execute(
                            () -> {
                              seen.add(String.valueOf(inherited.get()));
                              started.complete(Thread.currentThread());
                              all.join();
                            });
                    return started;
                  })
              .toList();
      for (CompletableFuture<Thread> started : running) {
        Thread thread = started.join();
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).startsWith("reprise-attempt-");
        assertThat(thread.getContextClassLoader()).isSameAs(ClassLoader.getSystemClassLoader());
      }
      all.complete(null);
      assertThat(seen).containsExactly("null");
    } finally {
      inherited.remove();
      caller.setContextClassLoader(before);
    }
  }
}
