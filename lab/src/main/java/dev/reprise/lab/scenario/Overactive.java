package dev.reprise.lab.scenario;

import java.time.Duration;

/**
 * Devices that ask no policy: each makes an attempt every {@code interval}, connected or not, until
 * the run ends. They are beside the fleet's figures and take from its quota.
 *
 * @param share of the devices, 0 to 1
 * @param interval more than 0
 */
public record Overactive(double share, Duration interval) {
  /** There are none. */
  public static final Overactive NONE = new Overactive(0, Duration.ofSeconds(1));

  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public Overactive {
    Require.between("share", share, 0.0, 1.0);
    Require.positiveSpan("interval", interval);
  }

  /** Returns how many of the devices that is, to the nearest. */
  public int of(int devices) {
    return (int) Math.round(share * devices);
  }
}
