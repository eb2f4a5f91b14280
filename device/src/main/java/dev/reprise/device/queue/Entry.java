package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;

/**
 * The facts of a message that a queue keeps without the message itself. Ages are nanoseconds since
 * the queue was first told the time: they start at 0 and never wrap.
 */
interface Entry {
  /** The expiry age of a message that never expires. */
  long NEVER = Long.MAX_VALUE;

  long sequence();

  Priority priority();

  int sizeBytes();

  /** The age from which on it is not worth sending any more, or {@link #NEVER}. */
  long expiryAgeNanos();
}
