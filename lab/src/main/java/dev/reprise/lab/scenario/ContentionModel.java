package dev.reprise.lab.scenario;

import java.time.Duration;

/**
 * Clients that change one row under optimistic locking: read the version, write, start over when
 * somebody else was faster. Every way between client and server takes the absolute value of a
 * normally distributed time. All start at once and stop at their first success.
 *
 * @param clients 1 to 1,000,000
 * @param hopMean more than 0
 * @param hopDeviation standard deviation, at least 0
 */
public record ContentionModel(int clients, Duration hopMean, Duration hopDeviation)
    implements Model {
  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public ContentionModel {
    Require.between("clients", clients, 1, 1_000_000);
    Require.positiveSpan("hopMean", hopMean);
    Require.span("hopDeviation", hopDeviation);
  }
}
