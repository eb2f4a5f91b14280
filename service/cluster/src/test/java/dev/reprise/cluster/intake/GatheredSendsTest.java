package dev.reprise.cluster.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatheredSendsTest {
  private double busy;
  private long looks;
  private final NodeLoad load = new NodeLoad(() -> busy, System.nanoTime());
  private final Deque<Runnable> timed = new ArrayDeque<>();
  private final GatheredSends gathered = new GatheredSends(load, new Timer());
  private final List<Integer> sent = new ArrayList<>();

  /** Its time is up when the test says so. */
  private final class Timer extends ScheduledThreadPoolExecutor {
    Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      if (isShutdown()) {
        throw new RejectedExecutionException("closed");
      }
      assertThat(unit.toNanos(delay)).isBetween(1L, GatheredSends.MAX_WAIT_NANOS);
      timed.add(task);
      return super.schedule(() -> {}, 0, unit);
    }
  }

  @AfterEach
  void close() {
    gathered.close();
  }

  private void use(double part) {
    busy = part;
    long now = System.nanoTime();
    for (int look = 0; look < 100; look++) {
      looks++;
      load.pressure(now + looks * NodeLoad.LOOK_NANOS);
    }
  }

  private void send(int number) {
    gathered.send(() -> sent.add(number));
  }

  private void timeIsUp() {
    timed.remove().run();
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void nothingWaitsWhileThereIsProcessorTime() {
    send(0);

    assertThat(sent).containsExactly(0);
    assertThat(timed).isEmpty();
  }

  @Test
  void whereProcessorTimeIsShortSendsGoOnTogether() {
    use(1);
    numbers(3).forEach(this::send);
    assertThat(sent).isEmpty();
    assertThat(timed).hasSize(1);

    timeIsUp();

    assertThat(sent).containsExactly(0, 1, 2);
    send(3);
    assertThat(sent).hasSize(3);
    timeIsUp();
    assertThat(sent).containsExactly(0, 1, 2, 3);
  }

  @Test
  void onceEnoughHasGatheredNothingWaits() {
    use(1);
    numbers(GatheredSends.ENOUGH - 1).forEach(this::send);
    assertThat(sent).isEmpty();

    send(GatheredSends.ENOUGH - 1);

    assertThat(sent).isEqualTo(numbers(GatheredSends.ENOUGH));
    // The time of those is up when there are others: they are sent a little early.
    send(GatheredSends.ENOUGH);
    timeIsUp();
    assertThat(sent).hasSize(GatheredSends.ENOUGH + 1);
    assertThat(timed).isEmpty();
  }

  @Test
  void whatComesWhileSomethingIsSentGoesOnBehindIt() {
    use(1);
    gathered.send(
        () -> {
          // Even if there is processor time again.
          use(0);
          send(1);
          sent.add(0);
        });

    timeIsUp();

    assertThat(sent).containsExactly(0, 1);
    send(2);
    assertThat(sent).containsExactly(0, 1, 2);
  }

  @Test
  void whatComesWhileOthersWaitWaitsBehindThem() {
    use(1);
    send(0);
    use(0);
    send(1);
    assertThat(sent).isEmpty();

    timeIsUp();

    assertThat(sent).containsExactly(0, 1);
  }

  @Test
  void oneThatFailsLosesNoOther() {
    use(1);
    gathered.send(
        () -> {
          throw new IllegalStateException("as the test wants");
        });
    send(1);

    timeIsUp();

    assertThat(sent).containsExactly(1);
    send(2);
    timeIsUp();
    assertThat(sent).containsExactly(1, 2);
  }

  @Test
  void theEndSendsWhatWaitsAndWhatComesAfterIt() {
    use(1);
    numbers(3).forEach(this::send);

    gathered.close();

    assertThat(sent).isEqualTo(numbers(3));
    send(3);
    assertThat(sent).isEqualTo(numbers(4));
    timeIsUp();
    assertThat(sent).isEqualTo(numbers(4));
  }

  @Test
  void theTimeOfARealTimerIsUpByItself() throws InterruptedException {
    use(1);
    BlockingQueue<Thread> by = new LinkedBlockingQueue<>();
    try (GatheredSends real = new GatheredSends(load)) {
      real.send(() -> by.add(Thread.currentThread()));

      assertThat(by.poll(5, TimeUnit.MINUTES)).isNotNull().isNotSameAs(Thread.currentThread());
    }
  }
}
