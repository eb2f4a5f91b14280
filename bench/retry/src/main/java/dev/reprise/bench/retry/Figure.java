package dev.reprise.bench.retry;

import dev.reprise.bench.common.Figures;
import java.util.List;

/**
 * The time and the memory that one operation takes.
 *
 * @param nanos time of one thread
 * @param bytes allocated memory
 */
record Figure(double nanos, double bytes) {
  static Figure median(List<Figure> figures) {
    return new Figure(
        Figures.median(figures.stream().mapToDouble(Figure::nanos)),
        Figures.median(figures.stream().mapToDouble(Figure::bytes)));
  }

  static Figure worst(Figure one, Figure other) {
    return new Figure(Math.max(one.nanos, other.nanos), Math.max(one.bytes, other.bytes));
  }
}
