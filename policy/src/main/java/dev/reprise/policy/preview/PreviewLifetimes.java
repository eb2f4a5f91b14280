package dev.reprise.policy.preview;

import dev.reprise.policy.Policy;
import dev.reprise.policy.preview.SchedulePreview.Row;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Counts the retries of a schedule that fit into a span of time. */
final class PreviewLifetimes {
  private PreviewLifetimes() {}

  /**
   * Returns the last retry that can start in time: {@link Policy#UNLIMITED} when all can, and 0
   * when none can.
   *
   * @param end which end of each delay counts
   */
  static int retriesWithin(List<Row> rows, Duration lifetime, Function<DelaySpan, Duration> end) {
    Duration before = Duration.ZERO;
    for (Row row : rows) {
      Duration delay = end.apply(row.delay());
      if (row.isEndless() ? !delay.isZero() : isLonger(end.apply(row.cumulative()), lifetime)) {
        // A row that ends too late, or never, has a delay that is not zero.
        long further = lifetime.minus(before).dividedBy(delay);
        return (int) Math.min(row.firstRetry() - 1L + further, Policy.UNLIMITED);
      }
      before = end.apply(row.cumulative());
    }
    return Policy.UNLIMITED;
  }

  private static boolean isLonger(Duration time, Duration lifetime) {
    return time.compareTo(lifetime) > 0;
  }
}
