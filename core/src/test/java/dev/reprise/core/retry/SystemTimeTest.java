package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class SystemTimeTest {
  private final TimeSource time = TimeSource.system();

  @ParameterizedTest
  @ValueSource(longs = {1, 999, 50_000, 500_000, 1_000_001, 2_500_000})
  void aSleepIsNeverCutShort(long nanos) throws Exception {
    for (int i = 0; i < 20; i++) {
      long start = System.nanoTime();
      // A permit that is left over from somewhere ends the first park at once.
      LockSupport.unpark(Thread.currentThread());
      time.sleep(nanos);
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(nanos);
    }
  }

  @Test
  void anInterruptEndsASleepThatWouldTakeYears() throws Exception {
    CompletableFuture<Thread> sleeping = new CompletableFuture<>();
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread sleeper =
        new Thread(
            () -> {
              sleeping.complete(Thread.currentThread());
              try {
                time.sleep(Long.MAX_VALUE);
                ended.complete("woke up");
              } catch (InterruptedException e) {
                ended.complete("interrupted, flag " + Thread.currentThread().isInterrupted());
              }
            });
    sleeper.setDaemon(true);
    sleeper.start();

    sleeping.get().interrupt();

    assertThat(ended.get()).isEqualTo("interrupted, flag false");
  }

  @Test
  void anInterruptBeforeTheSleepIsSeen() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> time.sleep(Long.MAX_VALUE)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void schedulesOnTheSharedTimer() {
    CompletableFuture<String> thread = new CompletableFuture<>();

    time.schedule(1, () -> thread.complete(Thread.currentThread().getName()));

    assertThat(thread.join()).isEqualTo("reprise-timer");
  }

  @Test
  void theClockMovesOn() {
    long before = System.nanoTime();
    long between = time.nanoTime();

    assertThat(between - before).isNotNegative();
    assertThat(System.nanoTime() - between).isNotNegative();
  }
}
