package dev.reprise.core;

/** Whether it is safe to repeat an operation after a failure (seed 003). */
public enum RetrySafety {
  /**
   * A retry is allowed. It does not follow that one is made: attempts, deadline or budget may
   * forbid it.
   */
  YES,

  /** A retry is never made. Nothing overrides this. */
  NO,

  /** Not known. A retry is made only when the operation is declared idempotent. */
  MAYBE
}
