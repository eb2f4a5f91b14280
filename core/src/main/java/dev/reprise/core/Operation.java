package dev.reprise.core;

import org.jspecify.annotations.Nullable;

/**
 * The facts of an operation that a strategy must know beyond its failures. Immutable and
 * thread-safe.
 *
 * @param scope the smallest part of the other side that fails together, such as a host; budgets are
 *     kept per scope. Null is the default scope
 * @param idempotent whether the operation may be repeated although it may have taken effect
 * @param longPoll whether the operation waits at the other side for something to happen. Such a
 *     caller comes back at once whatever happens, so profile {@code aws-standard-2.1} gives it a
 *     delay even when a retry is denied
 */
public record Operation(@Nullable String scope, boolean idempotent, boolean longPoll) {
  /** An operation of the default scope that must not be repeated once it may have taken effect. */
  public static final Operation DEFAULT = new Operation(null, false, false);

  /** An operation of the default scope that may be repeated although it may have taken effect. */
  public static final Operation IDEMPOTENT = new Operation(null, true, false);

  /** Returns this operation in another scope. */
  public Operation withScope(@Nullable String newScope) {
    return new Operation(newScope, idempotent, longPoll);
  }

  /** Returns this operation, declared idempotent or not. */
  public Operation withIdempotent(boolean newIdempotent) {
    return new Operation(scope, newIdempotent, longPoll);
  }

  /** Returns this operation, declared a long poll or not. */
  public Operation withLongPoll(boolean newLongPoll) {
    return new Operation(scope, idempotent, newLongPoll);
  }
}
