package dev.reprise.lab.calls;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import dev.reprise.lab.kernel.EventHeap;
import org.jspecify.annotations.Nullable;

/** Lets every {@code Retry} of a run wait in the run's own time. */
final class EventTime implements TimeSource {
  private final EventHeap heap;

  EventTime(EventHeap heap) {
    this.heap = heap;
  }

  @Override
  public long nanoTime() {
    return heap.nowNanos();
  }

  /** All calls are asynchronous: none blocks the only thread. */
  @Override
  public void sleep(long nanos) {
    throw new UnsupportedOperationException("a simulated call must not block");
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    Timer timer = new Timer(task);
    heap.schedule(delayNanos, timer);
    return timer;
  }

  /** A task in the heap. One that is cancelled stays there, but keeps nothing alive. */
  private static final class Timer implements EventHeap.Event, Timeout {
    private @Nullable Runnable task;

    Timer(Runnable task) {
      this.task = task;
    }

    @Override
    public void occur() {
      Runnable due = task;
      if (due != null) {
        task = null;
        due.run();
      }
    }

    @Override
    public boolean cancel() {
      boolean waited = task != null;
      task = null;
      return waited;
    }
  }
}
