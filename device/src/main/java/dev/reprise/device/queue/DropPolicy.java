package dev.reprise.device.queue;

/** What a full queue does with one message more. */
public enum DropPolicy {
  /** Refuses it: {@code send} fails, and what waits stays. */
  REJECT_NEW,

  /** Lets the oldest ones that wait give way. */
  DROP_OLDEST,

  /**
   * Lets the oldest of the least priority give way, if it is not above that of the new one; else
   * refuses the new one.
   */
  DROP_LOWEST_PRIORITY
}
