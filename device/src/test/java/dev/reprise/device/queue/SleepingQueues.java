package dev.reprise.device.queue;

import java.io.IOException;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** Opens queues on a machine that sleeps when a test wants it. */
public final class SleepingQueues {
  private SleepingQueues() {}

  /** Opens a queue; the time since the machine's start is below 0 where it is not known. */
  public static MessageQueue open(
      QueueSettings settings,
      LongSupplier nanoTime,
      InstantSource wallClock,
      LongSupplier uptimeNanos)
      throws IOException {
    return MessageQueues.open(
        settings, wallClock, new SleepClock(nanoTime, wallClock, uptimeNanos));
  }
}
