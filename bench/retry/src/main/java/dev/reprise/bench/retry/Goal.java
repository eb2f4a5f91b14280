package dev.reprise.bench.retry;

import java.util.Locale;

/**
 * What ours must reach.
 *
 * @param kind what is bounded
 * @param most its bound: a factor, or nanoseconds
 * @param mostBytes the bound of the memory that one operation allocates
 */
record Goal(Kind kind, double most, double mostBytes) {
  /** Half a byte per operation is what others in the process allocate meanwhile. */
  private static final double NOISE_BYTES = 0.5;

  enum Kind {
    /** Ours, divided by the floor. */
    RATIO,
    /** Ours without the floor, in nanoseconds. */
    DIFFERENCE,
    /** Ours, in nanoseconds. */
    NANOS
  }

  static Goal ratio(double most) {
    return new Goal(Kind.RATIO, most, Double.POSITIVE_INFINITY);
  }

  static Goal difference(double mostNanos) {
    return new Goal(Kind.DIFFERENCE, mostNanos, Double.POSITIVE_INFINITY);
  }

  static Goal nanos(double most) {
    return new Goal(Kind.NANOS, most, Double.POSITIVE_INFINITY);
  }

  Goal andBytes(double most) {
    return new Goal(kind, this.most, most);
  }

  boolean isMet(Figure floor, Figure ours) {
    double bounded =
        switch (kind) {
          case RATIO -> ours.nanos() / floor.nanos();
          case DIFFERENCE -> ours.nanos() - floor.nanos();
          case NANOS -> ours.nanos();
        };
    return bounded <= most && ours.bytes() <= mostBytes + NOISE_BYTES;
  }

  /** Returns the result for the last line of a table. */
  String result(Figure floor, Figure ours) {
    return String.format(
        Locale.ROOT,
        "ratio=%.2f difference=%.1fns ours=%.1fns B/op=%.0f goal=%s %s",
        ours.nanos() / floor.nanos(),
        ours.nanos() - floor.nanos(),
        ours.nanos(),
        ours.bytes(),
        this,
        isMet(floor, ours) ? "met" : "MISSED");
  }

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
