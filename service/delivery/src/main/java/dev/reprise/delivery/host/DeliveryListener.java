package dev.reprise.delivery.host;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.SuspensionChange;

/**
 * Is notified of what becomes of deliveries: for figures, logs and events. Methods are called on
 * the threads of shards and senders, so they must not block. One that throws is logged; nothing
 * else changes.
 */
public interface DeliveryListener {
  /** A listener that does nothing. */
  DeliveryListener NONE = new DeliveryListener() {};

  /**
   * An attempt has ended. Its outcome is not durable yet: after a crash the attempt may be
   * repeated.
   *
   * @param begunAtMillis when it was given to the sender, wall time
   */
  default void attemptEnded(Attempt attempt, long begunAtMillis, AttemptOutcome outcome) {}

  /**
   * A delivery was given up, and that is durable. Of one that was given up while the process ended,
   * the listener may never be notified.
   */
  default void gaveUp(GivenUp delivery) {}

  /**
   * A subscription was suspended or released, and that is durable. If the process ends meanwhile,
   * the listener may never be notified.
   */
  default void suspensionChanged(SuspensionChange change) {}

  /** A subscription was deleted. */
  default void unsubscribed(long subscription) {}
}
