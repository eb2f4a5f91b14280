package dev.reprise.bench.retry;

/** The settings of the loops; at most three attempts in each case. */
enum Setting {
  /** The defaults of the library, with a budget if the library has one. */
  DEFAULTS,
  /** No delay between attempts, and a budget if the library has one. */
  NO_DELAY,
  /** No delay and no budget: with one, operations that always fail would soon not be retried. */
  NO_DELAY_NO_BUDGET
}
