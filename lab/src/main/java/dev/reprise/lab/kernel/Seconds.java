package dev.reprise.lab.kernel;

import java.time.Duration;

/** Durations as the numbers that simulations and solutions calculate with. */
public final class Seconds {
  private Seconds() {}

  /** Returns the duration in seconds. */
  public static double of(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
