package dev.reprise.device.queue;

/** The choice of a full queue when one more message is offered. */
public enum DropPolicy {
  /** Refuses it: {@code send} fails, and the waiting messages stay. */
  REJECT_NEW,

  /** Drops the oldest waiting messages. */
  DROP_OLDEST,

  /**
   * Lets the oldest of the least priority give way, if it is not above that of the new one; else
   * refuses the new one.
   */
  DROP_LOWEST_PRIORITY
}
