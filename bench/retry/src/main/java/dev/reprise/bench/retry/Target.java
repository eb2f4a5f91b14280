package dev.reprise.bench.retry;

import java.util.Locale;

/**
 * The goal of the rows of ours.
 *
 * @param kind what is bounded
 * @param most its bound: a factor, or nanoseconds
 * @param mostBytes the bound of the memory that one operation allocates
 */
record Target(Kind kind, double most, double mostBytes) {
  enum Kind {
    /** Ours, divided by the floor. */
    RATIO,
    /** Ours without the floor, in nanoseconds. */
    DIFFERENCE,
    /** Ours, in nanoseconds. */
    NANOS
  }

  static Target ratio(double most) {
    return new Target(Kind.RATIO, most, Double.POSITIVE_INFINITY);
  }

  static Target difference(double mostNanos) {
    return new Target(Kind.DIFFERENCE, mostNanos, Double.POSITIVE_INFINITY);
  }

  static Target nanos(double most) {
    return new Target(Kind.NANOS, most, Double.POSITIVE_INFINITY);
  }

  Target andBytes(double most) {
    return new Target(kind, this.most, most);
  }

  /** Returns the figures that a goal of any kind is about. */
  static String figures(RetryFigure floor, RetryFigure ours) {
    return String.format(
        Locale.ROOT,
        "ratio=%.2f difference=%.1fns ours=%.1fns B/op=%.0f",
        ours.nanos() / floor.nanos(),
        ours.nanos() - floor.nanos(),
        ours.nanos(),
        ours.bytes());
  }

  /** Returns the goal in the notation of {@link dev.reprise.bench.common.Goal}. */
  @Override
  public String toString() {
    String time =
        switch (kind) {
          case RATIO -> String.format(Locale.ROOT, "ratio<=%.1f", most);
          case DIFFERENCE -> String.format(Locale.ROOT, "difference<=%.0fns", most);
          case NANOS -> String.format(Locale.ROOT, "ours<=%.0fns", most);
        };
    return Double.isInfinite(mostBytes)
        ? time
        : time + String.format(Locale.ROOT, ",B/op<=%.0f", mostBytes);
  }
}
