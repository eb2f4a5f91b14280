package dev.reprise.bench.retry;

import dev.reprise.bench.common.Figures;
import java.util.List;

/**
 * The time and the memory that one operation takes.
 *
 * @param nanos time of one thread
 * @param bytes allocated memory
 */
record RetryFigure(double nanos, double bytes) {
  static RetryFigure median(List<RetryFigure> figures) {
    return new RetryFigure(
        Figures.median(figures.stream().mapToDouble(RetryFigure::nanos)),
        Figures.median(figures.stream().mapToDouble(RetryFigure::bytes)));
  }

  static RetryFigure worst(RetryFigure one, RetryFigure other) {
    return new RetryFigure(Math.max(one.nanos, other.nanos), Math.max(one.bytes, other.bytes));
  }
}
