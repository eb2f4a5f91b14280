package dev.reprise.delivery.carrier;

/** The ways to go on after an answer of a carrier. */
public enum Consequence {
  /** The delivery is given up: every further attempt would be answered in the same way. */
  GIVE_UP,
  /** The delivery is tried again, as its policy says; nothing else waits. */
  RETRY,
  /** The same, as a throttle. */
  RETRY_THROTTLED,
  /**
   * The delivery is tried again. If {@value CarrierFault#MIN_ALIKE} different recipients in a row
   * are answered in this way and nothing is taken meanwhile, the carrier is paused instead, as with
   * {@link #PAUSE}.
   */
  RETRY_THEN_PAUSE,
  /** The same, but the carrier makes a pause from the first such answer on. */
  RETRY_AND_PAUSE,
  /** The carrier is paused and shown to be at fault; the claim is given back, and costs nothing. */
  PAUSE
}
