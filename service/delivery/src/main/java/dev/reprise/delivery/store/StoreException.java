package dev.reprise.delivery.store;

import org.jspecify.annotations.Nullable;

/** The store could not be opened, read or written. What was written before is unharmed. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int MAX_DEPTH = 20;

  private final boolean full;
  private final boolean lasting;
  private final boolean lost;

  /** An error; {@code full} tells that the disk had no space left. */
  public StoreException(String message, boolean full, @Nullable Throwable cause) {
    this(message, full, false, false, cause);
  }

  private StoreException(
      String message, boolean full, boolean lasting, boolean lost, @Nullable Throwable cause) {
    super(message, cause);
    this.full = full;
    this.lasting = lasting;
    this.lost = lost;
  }

  /** An error that does not pass by itself. */
  static StoreException lasting(String message, @Nullable Throwable cause) {
    return new StoreException(message, false, true, false, cause);
  }

  /**
   * An error of a store that has another owner now: nothing that was not written before can be
   * written by this one any more, and nothing is wrong.
   */
  public static StoreException lost(String message, @Nullable Throwable cause) {
    return new StoreException(message, false, true, true, cause);
  }

  /** Whether the cause is a full disk: writing again may succeed once space returns. */
  public boolean full() {
    return full;
  }

  /** An error that files of the store are damaged, or missing. */
  static StoreException damaged(String message, @Nullable Throwable cause) {
    return new DamagedException(message, cause);
  }

  /**
   * Whether an error is that files of the store are damaged, or comes of one that is: then a new
   * process meets the same.
   */
  public static boolean isDamage(@Nullable Throwable error) {
    Throwable cause = error;
    // A chain may go round.
    for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
      if (cause instanceof DamagedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static final class DamagedException extends StoreException {
    private static final long serialVersionUID = 1L;

    DamagedException(String message, @Nullable Throwable cause) {
      super(message, /* full= */ false, /* lasting= */ true, /* lost= */ false, cause);
    }
  }

  /**
   * Whether no repetition helps: the store is damaged, closed, or could not be reopened. Any other
   * error may be gone at the next try.
   */
  public boolean lasting() {
    return lasting;
  }

  /** Whether the store has another owner now; it is {@link #lasting} then. */
  public boolean lost() {
    return lost;
  }
}
