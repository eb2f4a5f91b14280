package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.queue.QueuedMessage;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The state of a message that was sent at least once and has not ended. Used in the loop only. */
final class Sending {
  /** Times wrap around, so only their difference counts. */
  static final Comparator<Sending> BY_DUE_TIME =
      (a, b) -> {
        long apart = a.dueNanos - b.dueNanos;
        return apart != 0 ? Long.signum(apart) : Long.compare(a.sequence(), b.sequence());
      };

  final QueuedMessage queued;

  /** The reading of the clock of active time at the first attempt. */
  final long firstActiveNanos;

  /** The active time that its bytes have spent in the buffers of connections. */
  long bufferedActiveNanos;

  int attempts;

  /**
   * The retries after refusals. Losses of the connection do not count, as they tell nothing about
   * the message.
   */
  int retries;

  @Nullable TransportException lastFailure;

  /** The time before which it is not sent again, because it was refused or is suspect. */
  long dueNanos;

  /** The number of connections that were lost while this was the oldest message under way on it. */
  int losses;

  /** The number of messages that had been acknowledged when it was last suspected. */
  long acknowledgedAtLoss;

  /** The number of connections that it took with it although others had passed meanwhile. */
  int lossesAlone;

  Sending(QueuedMessage queued, long firstActiveNanos, long nowNanos) {
    this.queued = queued;
    this.dueNanos = nowNanos;
    this.firstActiveNanos = firstActiveNanos;
  }

  long sequence() {
    return queued.sequence();
  }
}
