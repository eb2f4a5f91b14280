package dev.reprise.delivery;

import java.time.Duration;

/**
 * The bounds of the figures that a shard keeps of each subscription and minute.
 *
 * @param keepMillis how long they are kept, at least {@value #MIN_MILLIS}
 * @param maxBytes how many bytes of them are kept at the most; beyond it they are kept for a
 *     shorter time, but at least {@value #MIN_MILLIS} ms
 */
public record MinuteSettings(long keepMillis, long maxBytes) {
  /** The shortest time for which figures are kept. */
  public static final long MIN_MILLIS = 2 * EndpointFigures.MINUTE_MILLIS;

  /** Seven days, and 256 MiB. */
  public static final MinuteSettings DEFAULT =
      new MinuteSettings(Duration.ofDays(7).toMillis(), 256L << 20);

  /** Checks the time. */
  public MinuteSettings {
    if (keepMillis < MIN_MILLIS) {
      throw new IllegalArgumentException(
          "keepMillis is " + keepMillis + ": must be at least " + MIN_MILLIS);
    }
  }
}
