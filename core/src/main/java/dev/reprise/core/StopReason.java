package dev.reprise.core;

/** Why an operation is not tried again. */
public enum StopReason {
  /** The failure forbids a retry, or does not say that one is safe. */
  NOT_RETRYABLE,

  /** All attempts that the policy allows have been made. */
  ATTEMPTS,

  /** The retry budget has nothing left to pay for this retry. */
  BUDGET,

  /** The next attempt could not start before the deadline. */
  DEADLINE,

  /** The other side asked for a longer wait than the policy's ceiling. */
  HINT_TOO_LONG,

  /** The waiting thread was interrupted. */
  INTERRUPTED,

  /** The caller cancelled the operation. */
  CANCELLED,

  /** The component that makes the attempts was closed. */
  CLOSED,

  /** A component that stores its operations could not read this one back. */
  UNREADABLE,

  /** A component that holds operations for a target that takes none could hold this no longer. */
  SUSPENDED
}
