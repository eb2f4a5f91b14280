package dev.reprise.core;

/**
 * Tells whether it is safe to repeat an operation after a failure (Smithy guide "Retrying
 * Requests").
 */
public enum RetrySafety {
  /**
   * A retry is allowed. It does not follow that one is made: attempts, deadline or budget may
   * forbid it.
   */
  YES,

  /** A retry is never made. Nothing overrides this. */
  NO,

  /** It is unknown. A retry is made only if the operation is declared idempotent. */
  MAYBE;

  /**
   * Returns whether a retry is allowed.
   *
   * @param idempotent whether the operation may be repeated although it may have taken effect
   */
  public boolean allowsRetry(boolean idempotent) {
    return this == YES || (this == MAYBE && idempotent);
  }
}
