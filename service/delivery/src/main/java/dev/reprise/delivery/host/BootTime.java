package dev.reprise.delivery.host;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The time since the machine was started, the time in which it was suspended included: on Linux,
 * {@code /proc/uptime} counts it and {@link System#nanoTime} does not. Where there is no such file,
 * or it cannot be read, the time stands still, which says that no suspension is known.
 */
final class BootTime implements LongSupplier {
  private final Path file;

  BootTime() {
    this(Path.of("/proc/uptime"));
  }

  BootTime(Path file) {
    this.file = file;
  }

  /** Milliseconds, to a hundredth of a second; 0 if it is not known. */
  @Override
  public long getAsLong() {
    try {
      String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
      int end = text.indexOf(' ');
      // Its point is a point in every locale.
      return new BigDecimal(end < 0 ? text : text.substring(0, end)).movePointRight(3).longValue();
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }
}
