package dev.reprise.device.message;

/**
 * The importance of a message when not all can be kept. It does not change the order of sending.
 */
public enum Priority {
  /** The first to be dropped. */
  LOW,

  /** The priority of a message for which none is set. */
  NORMAL,

  /** The last to be dropped. */
  HIGH
}
