package dev.reprise.common.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InOrderTest {
  @Test
  void tasksOfManyThreadsRunOneAtATimeAndThoseOfEachInOrder() throws Exception {
    int producers = 4;
    int each = 5_000;
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      InOrder inOrder = new InOrder(pool, thrown -> {});
      AtomicInteger atOnce = new AtomicInteger();
      AtomicInteger mostAtOnce = new AtomicInteger();
      // Written by one task at a time only: if that is not so, entries are lost.
      List<int[]> ran = new ArrayList<>();
      CountDownLatch done = new CountDownLatch(producers * each);
      for (int p = 0; p < producers; p++) {
        int producer = p;
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    int[] entry = {producer, i};
                    inOrder.execute(
                        () -> {
                          mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                          ran.add(entry);
                          atOnce.decrementAndGet();
                          done.countDown();
                        });
                  }
                });
        thread.setDaemon(true);
        thread.start();
      }

      assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(mostAtOnce).hasValue(1);
      int[] next = new int[producers];
      for (int[] entry : ran) {
        assertThat(entry[1]).isEqualTo(next[entry[0]]++);
      }
      assertThat(ran).hasSize(producers * each);
    } finally {
      pool.shutdownNow();
    }
  }

  static Stream<Runnable> thrown() {
    return Stream.of(
        () -> {
          throw new IllegalStateException("of a task");
        },
        () -> {
          throw new AssertionError("of a task");
        });
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void taskThatThrowsDoesNotHoldUpTheNext(Runnable thrower) throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      List<Throwable> thrown = new ArrayList<>();
      InOrder inOrder = new InOrder(pool, thrown::add);
      CountDownLatch done = new CountDownLatch(1);
      inOrder.execute(thrower);
      inOrder.execute(done::countDown);

      assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(thrown).singleElement().extracting(Throwable::getMessage).isEqualTo("of a task");
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void taskThatAddsTasksGoesOnBeforeThey() {
    List<String> ran = new ArrayList<>();
    InOrder inOrder = new InOrder(Runnable::run, thrown -> {});
    inOrder.execute(
        () -> {
          for (int i = 0; i < 100_000; i++) {
            inOrder.execute(() -> ran.add("added"));
          }
          ran.add("adds");
        });

    assertThat(ran).hasSize(100_001).startsWith("adds", "added").endsWith("added");
  }
}
