package dev.reprise.common.file;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown when a folder is locked by another user or process. */
public final class FolderInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String holder;

  FolderInUseException(Path folder, String holder) {
    super("folder " + folder + " is in use by " + holder);
    this.holder = holder;
  }

  /** Returns the holder of the lock, such as {@code another process (pid 17)}. */
  public String holder() {
    return holder;
  }
}
