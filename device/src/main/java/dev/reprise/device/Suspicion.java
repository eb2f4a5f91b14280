package dev.reprise.device;

import java.util.concurrent.TimeUnit;

/**
 * Finds the message that costs the connection. Some hubs answer a message that they do not like by
 * hanging up, so that it would block all others for ever. The oldest message under way is blamed
 * for a loss. After several losses it is suspect: it steps aside, and is sent alone. Only when
 * other messages pass meanwhile, and it still takes every connection with it, is it given up; when
 * nothing passes, the fault lies elsewhere.
 */
final class Suspicion {
  /** Fewer would accuse messages for what a bad link does. */
  private static final int LOSSES_OF_A_SUSPECT = 10;

  private static final int CONVICTIONS = 3;

  private static final long FIRST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 5;

  private Suspicion() {}

  /** Notes that the connection was lost with this message as the oldest under way. */
  static void blame(Sending message, long acknowledged) {
    boolean wasSuspect = isSuspect(message);
    message.losses++;
    if (wasSuspect && acknowledged > message.acknowledgedAtLoss) {
      message.convictions++;
    }
    message.acknowledgedAtLoss = acknowledged;
  }

  /** Returns whether the message must be sent with no other beside it. */
  static boolean isSuspect(Sending message) {
    return message.losses >= LOSSES_OF_A_SUSPECT;
  }

  static boolean isConvicted(Sending message) {
    return message.convictions >= CONVICTIONS;
  }

  /** Returns how long a suspect steps aside: 1 second, then twice as long each time, up to 32. */
  static long restNanos(Sending message) {
    int doublings = Math.min(MOST_DOUBLINGS, message.losses - LOSSES_OF_A_SUSPECT);
    return FIRST_REST_NANOS << Math.max(0, doublings);
  }
}
