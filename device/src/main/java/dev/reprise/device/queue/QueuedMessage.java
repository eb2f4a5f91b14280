package dev.reprise.device.queue;

import dev.reprise.device.message.Message;

/**
 * A message with its place in the queue.
 *
 * @param sequence its place: later ones are larger; never used twice, not even after a restart
 * @param message the message
 */
public record QueuedMessage(long sequence, Message message) {}
