package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.lab.scenario.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Times in which the share of failures at an endpoint is about the same, found by merging
 * neighbours: see {@link AttemptLog#failures()}. Times count in nanoseconds from the start of the
 * log.
 */
final class EndpointHistory {
  /** The log-likelihood that a part must gain, by the log of the number of attempts. */
  private static final double PRICE = 1.5;

  /** A time with one share of failures, and the attempts that were made in it. */
  static final class Part {
    private final long startNanos;
    private final long endNanos;
    private final List<RecordedAttempt> attempts;
    private final int failures;

    private Part(long startNanos, long endNanos, List<RecordedAttempt> attempts) {
      this.startNanos = startNanos;
      this.endNanos = endNanos;
      this.attempts = attempts;
      int failed = 0;
      for (RecordedAttempt attempt : attempts) {
        failed += attempt.outcome() == RecordedOutcome.FAILED ? 1 : 0;
      }
      this.failures = failed;
    }

    /** Returns the share of attempts that failed, 0 to 1. */
    double failureShare() {
      return attempts.isEmpty() ? 0 : (double) failures / attempts.size();
    }

    /** Returns one of the attempts that were made in this time. */
    @Nullable RecordedAttempt drawn(double zeroToOne) {
      return attempts.isEmpty() ? null : attempts.get((int) (zeroToOne * attempts.size()));
    }
  }

  private final List<Part> parts = new ArrayList<>();

  /** Starts, in step with {@link #parts}. */
  private final long[] fromNanos;

  private final long endNanos;

  EndpointHistory(List<RecordedAttempt> attempts, long logStartNanos, long logEndNanos) {
    this.endNanos = logEndNanos;
    List<RecordedAttempt> sorted = new ArrayList<>(attempts);
    sorted.sort(Comparator.comparing(RecordedAttempt::startedAt));
    Merging merging = new Merging(sorted, logStartNanos);
    parts.addAll(merging.parts());
    if (parts.isEmpty()) {
      // All deliveries here failed for themselves: nothing is known against the endpoint.
      parts.add(new Part(0, 0, List.of()));
    }
    fromNanos = new long[parts.size()];
    for (int i = 1; i < fromNanos.length; i++) {
      long gapStart = parts.get(i - 1).endNanos;
      fromNanos[i] = gapStart + (parts.get(i).startNanos - gapStart + 1) / 2;
    }
  }

  /** Returns the part of a moment; before the first and after the last all stays as it was seen. */
  Part at(long nanos) {
    int low = 0;
    int high = fromNanos.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (fromNanos[middle] <= nanos) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return parts.get(low);
  }

  /** Returns whether the endpoint was down when the log ended, as far as anybody knows. */
  boolean endsDown() {
    return parts.get(parts.size() - 1).failureShare() == 1;
  }

  Failure.Trace trace() {
    List<Failure.Interval> intervals = new ArrayList<>();
    for (int i = 0; i < fromNanos.length; i++) {
      long to = i + 1 < fromNanos.length ? fromNanos[i + 1] : Math.max(endNanos, fromNanos[i]);
      double share = parts.get(i).failureShare();
      if (share > 0 && to > fromNanos[i]) {
        intervals.add(
            new Failure.Interval(Duration.ofNanos(fromNanos[i]), Duration.ofNanos(to), share));
      }
    }
    return new Failure.Trace(intervals);
  }

  /** Bottom-up merging of neighbours, the cheapest first, in n log n. */
  private static final class Merging {
    private final List<RecordedAttempt> sorted;
    private final long originNanos;

    /**
     * The place after the last attempt of a run, by the place of its first; beside it its failures
     * and its version.
     */
    private final int[] end;

    private final int[] failures;
    private final int[] version;

    /** The place of the run before; -1 for the first. */
    private final int[] before;

    private record Merge(double cost, int left, int leftVersion, int right, int rightVersion) {}

    Merging(List<RecordedAttempt> sorted, long originNanos) {
      this.sorted = sorted;
      this.originNanos = originNanos;
      int n = sorted.size();
      end = new int[n];
      failures = new int[n];
      version = new int[n];
      before = new int[n];
      if (n > 0) {
        begin();
        merge(PRICE * StrictMath.log(n));
      }
    }

    /** Runs of the same outcome; attempts of the same moment cannot be told apart. */
    private void begin() {
      int run = 0;
      before[0] = -1;
      for (int i = 0; i < sorted.size(); i++) {
        boolean failed = isFailure(i);
        boolean sameMoment =
            i > 0 && sorted.get(i).startedAt().equals(sorted.get(i - 1).startedAt());
        boolean sameOutcome = i > run && failures[run] == (failed ? i - run : 0);
        if (i > 0 && !sameMoment && !(sameOutcome && failed == isFailure(i - 1))) {
          before[i] = run;
          run = i;
        }
        failures[run] += failed ? 1 : 0;
        end[run] = i + 1;
      }
    }

    private boolean isFailure(int place) {
      return sorted.get(place).outcome() == RecordedOutcome.FAILED;
    }

    private void merge(double price) {
      PriorityQueue<Merge> queue =
          new PriorityQueue<>(
              Comparator.comparingDouble(Merge::cost).thenComparingInt(Merge::left));
      for (int right = end[0]; right < sorted.size(); right = end[right]) {
        queue.add(candidate(before[right], right));
      }
      while (!queue.isEmpty() && queue.peek().cost <= price) {
        Merge next = queue.remove();
        if (version[next.left] != next.leftVersion || version[next.right] != next.rightVersion) {
          continue;
        }
        int left = next.left;
        failures[left] += failures[next.right];
        end[left] = end[next.right];
        version[left]++;
        version[next.right] = -1;
        if (before[left] >= 0) {
          queue.add(candidate(before[left], left));
        }
        if (end[left] < sorted.size()) {
          before[end[left]] = left;
          queue.add(candidate(left, end[left]));
        }
      }
    }

    private Merge candidate(int left, int right) {
      int leftCount = end[left] - left;
      int rightCount = end[right] - right;
      double cost =
          likelihood(failures[left], leftCount)
              + likelihood(failures[right], rightCount)
              - likelihood(failures[left] + failures[right], leftCount + rightCount);
      return new Merge(cost, left, version[left], right, version[right]);
    }

    private static double likelihood(int failures, int count) {
      int successes = count - failures;
      return (failures == 0 ? 0 : failures * StrictMath.log((double) failures / count))
          + (successes == 0 ? 0 : successes * StrictMath.log((double) successes / count));
    }

    List<Part> parts() {
      List<Part> parts = new ArrayList<>();
      for (int run = 0; run < sorted.size(); run = end[run]) {
        parts.add(
            new Part(
                Timestamp.nanos(sorted.get(run).startedAt()) - originNanos,
                Timestamp.nanos(sorted.get(end[run] - 1).startedAt()) - originNanos,
                List.copyOf(sorted.subList(run, end[run]))));
      }
      return parts;
    }
  }
}
