package dev.reprise.bench.device;

/** How long to measure. */
enum Effort {
  /** Everything runs, and no figure means much. */
  QUICK,
  FULL
}
