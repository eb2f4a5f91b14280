package dev.reprise.bench.retry;

/** How long to measure. */
enum Effort {
  /** Every row runs, and no figure means anything. */
  QUICK,
  FULL
}
