package dev.reprise.device;

import java.util.concurrent.TimeUnit;

/**
 * Detects a poison message: one that makes the hub hang up, and so would block all others
 * permanently. A lost connection is blamed on the oldest message under way. After several losses
 * that message is a suspect: it steps aside, and is sent alone. If other messages pass meanwhile
 * and it still loses every connection, it is poison and is given up. If nothing passes, the fault
 * lies elsewhere.
 */
final class PoisonDetector {
  /**
   * The losses that make a message a suspect. With fewer, a bad link would make suspects of good
   * messages.
   */
  private static final int LOSSES_OF_A_SUSPECT = 10;

  private static final int MIN_LOSSES_ALONE = 3;

  private static final long FIRST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_DOUBLINGS = 5;

  private PoisonDetector() {}

  /** Notes that the connection was lost with this message as the oldest under way. */
  static void blame(Sending message, long acknowledged) {
    boolean wasSuspect = isSuspect(message);
    message.losses++;
    if (wasSuspect && acknowledged > message.acknowledgedAtLoss) {
      message.lossesAlone++;
    }
    message.acknowledgedAtLoss = acknowledged;
  }

  /** Returns whether the message must be sent with no other beside it. */
  static boolean isSuspect(Sending message) {
    return message.losses >= LOSSES_OF_A_SUSPECT;
  }

  /** Returns true if the message is to be given up. */
  static boolean isPoison(Sending message) {
    return message.lossesAlone >= MIN_LOSSES_ALONE;
  }

  /** Returns how long a suspect steps aside: 1 second, then twice as long each time, up to 32. */
  static long restNanos(Sending message) {
    int doublings = Math.min(MAX_DOUBLINGS, message.losses - LOSSES_OF_A_SUSPECT);
    return FIRST_REST_NANOS << Math.max(0, doublings);
  }
}
