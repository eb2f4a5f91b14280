package dev.reprise.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@org.junit.jupiter.api.Timeout(300)
class CallbackDispatcherTest {
  @Test
  void whatDependsOnOneStageMayWaitForAnotherOfTheSameTurn() throws Exception {
    CallbackDispatcher callbacks =
        new CallbackDispatcher(DeviceThreads.forBlocking(), TimeSource.system(), null, null);
    CompletableFuture<MessageOutcome> first = new CompletableFuture<>();
    CompletableFuture<MessageOutcome> second = new CompletableFuture<>();
    CompletableFuture<Void> dependent = first.thenAccept(outcome -> second.join());

    callbacks.outcome(first, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
    callbacks.outcome(second, new MessageOutcome("b", Kind.ACKNOWLEDGED, 1, null));
    callbacks.endTurn();

    dependent.get(300, TimeUnit.SECONDS);
    assertThat(second).isCompleted();
  }

  /** A timer that only the test lets fire. */
  private static final class TimerByHand implements TimeSource {
    private final Queue<Runnable> set = new ArrayDeque<>();

    /** Lets the timer fire that was set first. */
    void fire() {
      set.remove().run();
    }

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public void sleep(long nanos) {
      throw new UnsupportedOperationException("nobody sleeps");
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      set.add(task);
      return () -> set.remove(task);
    }
  }

  /** What waits, with something that happens directly after the next look that finds nothing. */
  @SuppressWarnings("serial")
  private static final class WatchedQueue extends ConcurrentLinkedQueue<Runnable> {
    @Nullable Runnable afterTheNextLookInVain;

    @Override
    public boolean isEmpty() {
      boolean empty = super.isEmpty();
      Runnable event = afterTheNextLookInVain;
      if (empty && event != null) {
        afterTheNextLookInVain = null;
        event.run();
      }
      return empty;
    }
  }

  /**
   * The thread that completes is held up by a stage. The timer gives it up: it looks whether more
   * stages wait, and directly after that another one comes. Whatever the callbacks submits runs at
   * once; so when the timer has fired, there is nobody left who would complete that stage.
   */
  @Test
  void aStageThatComesAsTheThreadIsGivenUpIsCompletedToo() throws Exception {
    TimerByHand timer = new TimerByHand();
    WatchedQueue waiting = new WatchedQueue();
    CallbackDispatcher callbacks =
        new CallbackDispatcher(Runnable::run, timer, null, null, waiting);
    CompletableFuture<MessageOutcome> first = new CompletableFuture<>();
    CompletableFuture<MessageOutcome> second = new CompletableFuture<>();
    CompletableFuture<Boolean> completedMeanwhile =
        first.thenApply(
            outcome -> {
              waiting.afterTheNextLookInVain =
                  () -> {
                    callbacks.outcome(second, new MessageOutcome("b", Kind.ACKNOWLEDGED, 1, null));
                    callbacks.endTurn();
                  };
              timer.fire();
              assertThat(waiting.afterTheNextLookInVain).as("the timer looked in vain").isNull();
              return second.isDone();
            });
    callbacks.outcome(first, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
    callbacks.endTurn();

    assertThat(completedMeanwhile.get(300, TimeUnit.SECONDS)).isTrue();
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
    CallbackDispatcher callbacks =
        new CallbackDispatcher(DeviceThreads.forBlocking(), withoutTimer, null, null);
    for (int turn = 0; turn < 2; turn++) {
      CompletableFuture<MessageOutcome> stage = new CompletableFuture<>();
      callbacks.outcome(stage, new MessageOutcome("a", Kind.ACKNOWLEDGED, 1, null));
      callbacks.endTurn();

      assertThat(stage.get(300, TimeUnit.SECONDS).isAcknowledged()).isTrue();
    }
  }
}
