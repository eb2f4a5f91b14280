package dev.reprise.lab.choose;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.policy.StrategyPolicy;

/** Judges how soon a device tries again whose failure is its own: it shall not wait for long. */
final class FirstRetry {
  /** The bound that {@link Choice#RULE} names. */
  static final double SOON_SECONDS = 10;

  private FirstRetry() {}

  static boolean isSoon(StrategyPolicy policy) {
    return meanSeconds(policy) <= SOON_SECONDS;
  }

  /** Returns the candidate, by a name that says so when its first retry is not soon. */
  static Candidate named(Candidate candidate) {
    return isSoon(candidate.policy())
        ? candidate
        : new Candidate(
            candidate.name()
                + " (first retry after "
                + AmountText.seconds(meanSeconds(candidate.policy()))
                + ")",
            candidate.policy(),
            candidate.figures());
  }

  private static double meanSeconds(StrategyPolicy policy) {
    return DelayLaw.of(policy.backoff(), 1).meanSeconds();
  }
}
