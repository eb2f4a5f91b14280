package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome.Kind;
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

  final String messageId;

  final int sizeBytes;

  private final long sequence;

  /** The message, or null while only the queue has it. */
  private @Nullable Message message;

  /**
   * The reading of the clock of active time at the first attempt, increased by the time that it has
   * waited since then over throttles and quotas.
   */
  private long firstActiveNanos;

  /** That reading when it was last refused over a throttle or a quota, until it is sent again. */
  private long throttledActiveNanos;

  private boolean isThrottled;

  /** The active time that its bytes have spent in the buffers of connections. */
  long bufferedActiveNanos;

  int attempts;

  /**
   * The retries after refusals. Losses of the connection do not count, as they tell nothing about
   * the message.
   */
  int retries;

  /** The refusals for reasons that may pass, other than throttles and quotas. */
  int refusals;

  /** The throttles and quotas that concern this message and not the whole client. */
  int throttles;

  /** The number of the latest attempt among those for all messages, counted from 1. */
  long latestAttempt;

  /** The attempt that was refused last, or 0. */
  long refusedAttempt;

  /**
   * The refusals after which the other side had taken a message from behind it: they are about this
   * message.
   */
  int passes;

  /** It waits to be sent again, and does not count as one of those under way. */
  boolean isAside;

  /** The bytes that count against the bound of those that stand aside. */
  int asideBytes;

  @Nullable TransportException lastFailure;

  /** The way it has ended, or null. */
  private @Nullable Ending ending;

  /** The time before which it is not sent again, because it was refused or is suspect. */
  long dueNanos;

  /** The number of connections that were lost while this was the oldest message under way on it. */
  int losses;

  /** The number of messages that had been acknowledged when it was last suspected. */
  long acknowledgedAtLoss;

  /** The number of connections that it took with it although others had passed meanwhile. */
  int lossesAlone;

  Sending(QueuedMessage queued, long firstActiveNanos, long nowNanos) {
    this.sequence = queued.sequence();
    this.messageId = queued.message().id();
    this.sizeBytes = queued.message().sizeBytes();
    this.message = queued.message();
    this.dueNanos = nowNanos;
    this.firstActiveNanos = firstActiveNanos;
  }

  long sequence() {
    return sequence;
  }

  /** Returns the message, which must be held. */
  Message message() {
    Message held = message;
    if (held == null) {
      throw new IllegalStateException("message " + messageId + " is in the queue only");
    }
    return held;
  }

  boolean isHeld() {
    return message != null;
  }

  /** Holds the message again, as the queue has read it. */
  void hold(Message read) {
    message = read;
  }

  /** Leaves the message to the queue alone, from which it is read when it is sent again. */
  void leaveToQueue() {
    message = null;
  }

  /** The way a message ends, with the cause if there is one. */
  record Ending(Kind kind, @Nullable TransportException cause) {}

  void end(Kind kind, @Nullable TransportException cause) {
    ending = new Ending(kind, cause);
  }

  /** Returns how it has ended, or null when it has not. */
  @Nullable Ending ending() {
    return ending;
  }

  /** Notes that it waits over a throttle or a quota, which does not count against its time. */
  void throttled(long activeNanos) {
    if (!isThrottled) {
      throttledActiveNanos = activeNanos;
    }
    isThrottled = true;
  }

  /** Notes that it is sent. */
  void sent(long activeNanos) {
    firstActiveNanos += activeNanos - countedUntil(activeNanos);
    isThrottled = false;
  }

  /** Returns the active time since the first attempt that counts against it. */
  long usedNanos(long activeNanos) {
    return countedUntil(activeNanos) - firstActiveNanos;
  }

  private long countedUntil(long activeNanos) {
    return isThrottled ? throttledActiveNanos : activeNanos;
  }
}
