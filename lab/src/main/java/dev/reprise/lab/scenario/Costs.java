package dev.reprise.lab.scenario;

import java.time.Duration;

/**
 * The cost of attempts, for the figures of bytes, work and price.
 *
 * @param bytesPerAttempt what a device sends for one attempt, at least 0
 * @param workPerSuccess what an accepted attempt takes of the service's processors, at least 0; a
 *     refusal takes the quota's rejection cost of it
 * @param pricePerMillion of a million attempts, at least 0
 */
public record Costs(int bytesPerAttempt, Duration workPerSuccess, double pricePerMillion) {
  /** Nobody asked. */
  public static final Costs NONE = new Costs(0, Duration.ZERO, 0);

  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public Costs {
    Require.between("bytesPerAttempt", bytesPerAttempt, 0, 1_000_000_000);
    Require.span("workPerSuccess", workPerSuccess);
    Require.between("pricePerMillion", pricePerMillion, 0.0, 1e9);
  }
}
