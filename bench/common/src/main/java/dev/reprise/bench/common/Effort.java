package dev.reprise.bench.common;

/** The time that measuring may take. */
public enum Effort {
  /** Shows that everything runs; the figures mean little. */
  QUICK,
  /** The length that the figures need. */
  FULL;

  /** Returns one of two numbers, such as those of the rounds. */
  public int choose(int quick, int full) {
    return this == QUICK ? quick : full;
  }
}
