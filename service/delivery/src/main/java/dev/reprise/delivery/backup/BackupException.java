package dev.reprise.delivery.backup;

import java.io.IOException;

/** The bytes are no backup, not a whole one, damaged, or of a newer version: the message says. */
public final class BackupException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An error whose message goes on after the name of the backup, such as "is no backup". */
  public BackupException(String message) {
    super(message);
  }
}
