package dev.reprise.delivery.figures;

import java.util.Arrays;

/**
 * Counts durations in buckets, four for each doubling, so that quantiles are known to within an
 * eighth. Keeps the buckets between the shortest and the longest duration only. Not safe for use by
 * several threads.
 */
public final class LatencyHistogram {
  /** Behind the last bucket: one that holds about an hour and all that is longer. */
  static final int BUCKETS = 128;

  private static final int BITS = 2;
  private static final int PER_DOUBLING = 1 << BITS;
  private static final int[] NONE = {};

  private int first;
  private int[] counts = NONE;
  private long sumMicros;
  private long maxMicros;

  /** A histogram of nothing. */
  public LatencyHistogram() {}

  /**
   * A histogram with these counts.
   *
   * @param first the bucket of the first count
   */
  public LatencyHistogram(int first, int[] counts, long sumMicros, long maxMicros) {
    if (first < 0 || first + counts.length > BUCKETS) {
      throw new IllegalArgumentException(
          "buckets are " + first + " to " + (first + counts.length) + ": must be below " + BUCKETS);
    }
    this.first = first;
    this.counts = counts.clone();
    this.sumMicros = sumMicros;
    this.maxMicros = maxMicros;
  }

  /** Counts one duration. */
  public void add(long nanos) {
    long micros = Math.max(0, nanos / 1000);
    int bucket = bucket(micros);
    cover(bucket, bucket + 1);
    counts[bucket - first]++;
    sumMicros += micros;
    maxMicros = Math.max(maxMicros, micros);
  }

  /** Counts all that the other has counted. */
  public void add(LatencyHistogram other) {
    if (other.counts.length > 0) {
      cover(other.first, other.first + other.counts.length);
      for (int i = 0; i < other.counts.length; i++) {
        counts[other.first - first + i] += other.counts[i];
      }
      sumMicros += other.sumMicros;
      maxMicros = Math.max(maxMicros, other.maxMicros);
    }
  }

  private void cover(int from, int to) {
    if (counts.length == 0) {
      first = from;
      counts = new int[to - from];
    } else if (from < first || to > first + counts.length) {
      int low = Math.min(from, first);
      int[] wider = new int[Math.max(to, first + counts.length) - low];
      System.arraycopy(counts, 0, wider, first - low, counts.length);
      first = low;
      counts = wider;
    }
  }

  static int bucket(long micros) {
    if (micros < PER_DOUBLING) {
      return (int) micros;
    }
    int doublings = 63 - Long.numberOfLeadingZeros(micros);
    int within = (int) (micros >>> (doublings - BITS)) & (PER_DOUBLING - 1);
    return Math.min(BUCKETS - 1, (doublings - BITS + 1) * PER_DOUBLING + within);
  }

  /** The middle of a bucket, in microseconds. */
  static long middleMicros(int bucket) {
    if (bucket < PER_DOUBLING) {
      return bucket;
    }
    int shift = bucket / PER_DOUBLING - 1;
    long low = (long) (PER_DOUBLING + bucket % PER_DOUBLING) << shift;
    return low + (1L << shift) / 2;
  }

  /**
   * Returns the duration that this part of all is not longer than, to within an eighth, in
   * microseconds; 0 if nothing was counted.
   *
   * @param part above 0, at most 1
   */
  public long quantileMicros(double part) {
    long rank = (long) Math.ceil(part * count());
    for (int i = 0; i < counts.length; i++) {
      rank -= counts[i];
      if (rank <= 0) {
        return Math.min(maxMicros, middleMicros(first + i));
      }
    }
    return maxMicros;
  }

  /** Returns how many durations were counted. */
  public long count() {
    long count = 0;
    for (int each : counts) {
      count += each;
    }
    return count;
  }

  /** Returns the sum of all durations. */
  public long sumMicros() {
    return sumMicros;
  }

  /** Returns the longest duration. */
  public long maxMicros() {
    return maxMicros;
  }

  /** Returns the bucket of the first of {@link #counts}. */
  public int first() {
    return first;
  }

  /** Returns the counts of the buckets from {@link #first} on. */
  public int[] counts() {
    return counts.clone();
  }

  @Override
  public String toString() {
    return count() + " durations from bucket " + first + ": " + Arrays.toString(counts);
  }
}
