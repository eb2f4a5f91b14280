package dev.reprise.delivery.store;

import org.jspecify.annotations.Nullable;

/** The store could not be opened, read or written. What was written before is unharmed. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean full;

  /** An error; {@code full} tells that the disk had no space left. */
  public StoreException(String message, boolean full, @Nullable Throwable cause) {
    super(message, cause);
    this.full = full;
  }

  /** Whether the cause is a full disk: writing again may succeed once space returns. */
  public boolean full() {
    return full;
  }
}
