package dev.reprise.policy;

/**
 * The highest rate of delivery attempts to one subscription.
 *
 * @param maxReceivesPerSecond the highest average rate, at least 1
 */
public record ThrottlePolicy(int maxReceivesPerSecond) {
  /** Checks the rate; throws {@link PolicyException} when it is less than 1. */
  public ThrottlePolicy {
    if (maxReceivesPerSecond < 1) {
      throw new PolicyException(
          "throttlePolicy.maxReceivesPerSecond",
          String.valueOf(maxReceivesPerSecond),
          "must be at least 1");
    }
  }
}
