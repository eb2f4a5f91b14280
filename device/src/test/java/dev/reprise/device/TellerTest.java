package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TellerTest {
  @Test
  void whatDependsOnOneStageMayWaitForAnotherOfTheSameTurn() throws Exception {
    Teller teller = new Teller(DeviceThreads.forBlocking(), TimeSource.system(), null, null);
    CompletableFuture<MessageOutcome> first = new CompletableFuture<>();
    CompletableFuture<MessageOutcome> second = new CompletableFuture<>();
    CompletableFuture<Void> dependent = first.thenAccept(outcome -> second.join());

    teller.outcome(first, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
    teller.outcome(second, new MessageOutcome("b", Kind.ACKNOWLEDGED, 1, null));
    teller.endTurn();

    dependent.get(30, TimeUnit.SECONDS);
    assertThat(second).isCompleted();
  }

  @Test
  void stagesAreCompletedWithoutATimerToo() throws Exception {
    TimeSource system = TimeSource.system();
    TimeSource withoutTimer =
        new TimeSource() {
          @Override
          public long nanoTime() {
            return system.nanoTime();
          }

          @Override
          public void sleep(long nanos) throws InterruptedException {
            system.sleep(nanos);
          }

          @Override
          public Timeout schedule(long delayNanos, Runnable task) {
            throw new OutOfMemoryError("no thread for the timer");
          }
        };
    Teller teller = new Teller(DeviceThreads.forBlocking(), withoutTimer, null, null);
    for (int turn = 0; turn < 2; turn++) {
      CompletableFuture<MessageOutcome> stage = new CompletableFuture<>();
      teller.outcome(stage, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
      teller.endTurn();

      assertThat(stage.get(30, TimeUnit.SECONDS).isAcknowledged()).isTrue();
    }
  }
}
