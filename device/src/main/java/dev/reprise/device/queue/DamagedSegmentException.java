package dev.reprise.device.queue;

import java.io.IOException;

/** What was read of a segment is not what was written: reading again does not help. */
final class DamagedSegmentException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedSegmentException(String message) {
    super(message);
  }
}
