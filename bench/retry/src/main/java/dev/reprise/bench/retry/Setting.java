package dev.reprise.bench.retry;

/** What the loops are set to; at most three attempts in each case. */
enum Setting {
  /** What a program gets that sets nothing, with a budget if the library has one. */
  DEFAULTS,
  /** No delay between attempts, and a budget if the library has one. */
  NO_DELAY,
  /** No delay and no budget: with one, operations that always fail would soon not be retried. */
  NO_DELAY_NO_BUDGET
}
