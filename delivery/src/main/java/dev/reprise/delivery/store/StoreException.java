package dev.reprise.delivery.store;

import org.jspecify.annotations.Nullable;

/** The store could not be opened, read or written. What was written before is unharmed. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean full;
  private final boolean lasting;

  /** An error; {@code full} tells that the disk had no space left. */
  public StoreException(String message, boolean full, @Nullable Throwable cause) {
    this(message, full, false, cause);
  }

  private StoreException(String message, boolean full, boolean lasting, @Nullable Throwable cause) {
    super(message, cause);
    this.full = full;
    this.lasting = lasting;
  }

  /** An error that does not pass by itself. */
  static StoreException lasting(String message, @Nullable Throwable cause) {
    return new StoreException(message, false, true, cause);
  }

  /** Whether the cause is a full disk: writing again may succeed once space returns. */
  public boolean full() {
    return full;
  }

  /**
   * Whether no repetition helps: the store is damaged, closed, or could not be reopened. Any other
   * error may be gone at the next try.
   */
  public boolean lasting() {
    return lasting;
  }
}
