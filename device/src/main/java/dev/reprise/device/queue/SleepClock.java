package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells for how long the machine has slept, which {@link System#nanoTime()} leaves out on Linux and
 * macOS, and users of a time to live do not.
 *
 * <p>A wall clock that is ahead of monotonic time means that the machine slept, or that the clock
 * was set. The time since the machine's start tells the two apart: Linux counts sleep in it and no
 * setting of the clock. Only where there is none the wall clock is believed, unless it had not been
 * set before. On Windows monotonic time goes on meanwhile.
 */
final class SleepClock {
  /** Less than that is the uncertainty of the clocks. */
  private static final long MIN_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A clock that does not tell. */
  static final long UNKNOWN = -1;

  private static final Path UPTIME = Path.of("/proc/uptime");

  private final LongSupplier nanoTime;
  private final InstantSource wallClock;
  private final LongSupplier uptimeNanos;
  private final long startNanos;
  private final long startUptimeNanos;

  private long seenNanos;
  private long seenMillis;
  private long sleptNanos;

  /**
   * Creates a clock that counts from now on.
   *
   * @param uptimeNanos the time since the machine's start with its sleep, or {@link #UNKNOWN}
   */
  SleepClock(LongSupplier nanoTime, InstantSource wallClock, LongSupplier uptimeNanos) {
    this.nanoTime = nanoTime;
    this.wallClock = wallClock;
    this.uptimeNanos = uptimeNanos;
    startNanos = nanoTime.getAsLong();
    startUptimeNanos = uptimeNanos.getAsLong();
    seenNanos = startNanos;
    seenMillis = wallClock.millis();
  }

  /** Returns the clock of this machine. */
  static SleepClock system() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    InstantSource wallClock =
        system.startsWith("windows")
            ? InstantSource.fixed(InstantSource.system().instant())
            : InstantSource.system();
    return new SleepClock(System::nanoTime, wallClock, SleepClock::uptimeNanos);
  }

  private static long uptimeNanos() {
    try {
      String seconds = Files.readString(UPTIME).split(" ", 2)[0];
      return (long) (Double.parseDouble(seconds) * TimeUnit.SECONDS.toNanos(1));
    } catch (IOException | RuntimeException e) {
      // Not Linux, or a process that may not see it.
      return UNKNOWN;
    }
  }

  /** Returns for how long the machine has slept since this was created. */
  long sleptNanos() {
    long nanos = nanoTime.getAsLong();
    long millis = wallClock.millis();
    long aheadNanos = TimeUnit.MILLISECONDS.toNanos(millis - seenMillis) - (nanos - seenNanos);
    if (Math.abs(aheadNanos) < MIN_SLEEP_NANOS) {
      return sleptNanos;
    }
    if (aheadNanos > 0) {
      long uptime = uptimeNanos.getAsLong();
      if (uptime != UNKNOWN && startUptimeNanos != UNKNOWN) {
        long slept = uptime - startUptimeNanos - (nanos - startNanos);
        sleptNanos = slept < MIN_SLEEP_NANOS ? sleptNanos : Math.max(sleptNanos, slept);
      } else if (ExpiryClock.isSet(seenMillis)) {
        sleptNanos += aheadNanos;
      }
    }
    seenNanos = nanos;
    seenMillis = millis;
    return sleptNanos;
  }
}
