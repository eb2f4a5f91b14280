package dev.reprise.bench.retry.peer;

/** The settings of the loops; at most three attempts unless they say otherwise. */
public enum PeerSetting {
  /** The defaults of the library, with a budget if the library has one. */
  DEFAULTS(3),
  /** The defaults with a deadline for each call; loops that know none have the defaults. */
  DEADLINE(3),
  /** No delay between attempts, and a budget if the library has one. */
  NO_DELAY(3),
  /** No delay and no budget: with one, operations that always fail would soon not be retried. */
  NO_DELAY_NO_BUDGET(3),
  /** The same with a fourth attempt. */
  FOUR_ATTEMPTS(4);

  final int maxAttempts;

  PeerSetting(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  boolean hasBudget() {
    return this != NO_DELAY_NO_BUDGET && this != FOUR_ATTEMPTS;
  }
}
