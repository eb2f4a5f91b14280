package dev.reprise.device.queue;

import java.util.List;

/** The answer of a queue to a message that is offered. */
public sealed interface Admission {
  /**
   * It is in the queue.
   *
   * @param sequence its place
   * @param dropped what had to give way, oldest first
   */
  record Accepted(long sequence, List<QueuedMessage> dropped) implements Admission {}

  /**
   * It is not in the queue, and nothing has changed.
   *
   * @param reason names the bound and its value
   */
  record Refused(String reason) implements Admission {}
}
