package dev.reprise.device.message;

/** How much a message matters when not all can be kept. It does not change the order of sending. */
public enum Priority {
  /** The first to be dropped. */
  LOW,

  /** What a message has when nothing is said. */
  NORMAL,

  /** The last to be dropped. */
  HIGH
}
