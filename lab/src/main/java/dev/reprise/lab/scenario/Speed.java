package dev.reprise.lab.scenario;

import java.util.List;
import java.util.TreeSet;

/**
 * The speed of a service over time, as a share of its full speed: brown-outs slow it down. Of
 * several at a time each leaves its share of what the others leave. Immutable and thread-safe.
 */
public final class Speed {
  /** The times at which the speed changes, rising; the first is 0. */
  private final long[] fromNanos;

  private final double[] shares;

  private Speed(long[] fromNanos, double[] shares) {
    this.fromNanos = fromNanos;
    this.shares = shares;
  }

  /** Returns the speed that the failures leave. */
  public static Speed of(List<Failure> failures) {
    TreeSet<Long> changes = new TreeSet<>(List.of(0L));
    for (Failure failure : failures) {
      if (failure instanceof Failure.BrownOut brownOut) {
        changes.add(brownOut.from().toNanos());
        changes.add(brownOut.to().toNanos());
      }
    }
    long[] fromNanos = changes.stream().mapToLong(Long::longValue).toArray();
    double[] shares = new double[fromNanos.length];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = leftAt(fromNanos[i], failures);
    }
    return new Speed(fromNanos, shares);
  }

  private static double leftAt(long atNanos, List<Failure> failures) {
    double left = 1;
    for (Failure failure : failures) {
      if (failure instanceof Failure.BrownOut brownOut
          && atNanos >= brownOut.from().toNanos()
          && atNanos < brownOut.to().toNanos()) {
        left *= brownOut.capacity();
      }
    }
    return left;
  }

  /** Returns how many spans of constant speed there are, at least 1. */
  int spans() {
    return shares.length;
  }

  long fromNanos(int span) {
    return fromNanos[span];
  }

  double share(int span) {
    return shares[span];
  }

  /** Returns how long work takes that is begun at a moment and takes so long at full speed. */
  public long durationNanos(long atNanos, long workNanos) {
    int span = spanOf(atNanos);
    double left = workNanos;
    long at = atNanos;
    while (span + 1 < shares.length) {
      double done = (fromNanos[span + 1] - at) * shares[span];
      if (done >= left) {
        break;
      }
      left -= done;
      at = fromNanos[++span];
    }
    return at - atNanos + Math.round(left / shares[span]);
  }

  /** Returns how much is done from one moment to another, in nanoseconds at full speed. */
  public double workNanos(long startNanos, long endNanos) {
    double work = 0;
    for (int span = spanOf(startNanos); span < shares.length; span++) {
      long next = span + 1 < shares.length ? fromNanos[span + 1] : Long.MAX_VALUE;
      long from = Math.max(startNanos, fromNanos[span]);
      if (from >= endNanos) {
        break;
      }
      work += (Math.min(next, endNanos) - from) * shares[span];
    }
    return work;
  }

  /** Tells of each span of constant speed from 0 to the end. */
  public void forEachSpan(long endNanos, SpanTold told) {
    for (int span = 0; span < shares.length && fromNanos[span] < endNanos; span++) {
      long next = span + 1 < shares.length ? fromNanos[span + 1] : endNanos;
      told.span(fromNanos[span], Math.min(next, endNanos), shares[span]);
    }
  }

  /** Takes a span of constant speed. */
  @FunctionalInterface
  public interface SpanTold {
    /** Takes one, from a moment to another, and the share of the full speed in it. */
    void span(long fromNanos, long toNanos, double share);
  }

  private int spanOf(long atNanos) {
    int span = shares.length - 1;
    while (fromNanos[span] > atNanos) {
      span--;
    }
    return span;
  }
}
