package dev.reprise.bench.lab;

/** How long to measure. */
enum Effort {
  /** Everything runs, and no figure means much. */
  QUICK,
  FULL
}
