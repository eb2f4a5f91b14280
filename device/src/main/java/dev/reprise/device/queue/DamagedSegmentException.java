package dev.reprise.device.queue;

import java.io.IOException;

/** Thrown when a segment does not hold what was written to it; reading again does not help. */
final class DamagedSegmentException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedSegmentException(String message) {
    super(message);
  }
}
