package dev.reprise.device.queue;

import dev.reprise.device.message.Priority;

/**
 * A message in a file.
 *
 * @param frameBytes its size there
 */
record Stored(long sequence, Priority priority, int sizeBytes, int frameBytes, long expiryAgeNanos)
    implements Entry {}
