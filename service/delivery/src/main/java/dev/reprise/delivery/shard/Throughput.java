package dev.reprise.delivery.shard;

/**
 * Successes a second at one number of places, measured only while all of them are in use.
 *
 * <p>With all places in use, throughput is places over mean latency (Little's law), so the spread
 * of the latencies gives the error of the throughput that a number of successes leaves.
 */
final class Throughput {
  /** Answers of an overloaded endpoint vary less than what it serves: a queue evens them out. */
  private static final double MIN_VARIATION = 0.7;

  private final Latencies latencies = new Latencies();
  private long nanos;

  void clear() {
    latencies.clear();
    nanos = 0;
  }

  void passed(long nanos) {
    this.nanos += nanos;
  }

  void succeeded(long durationNanos) {
    latencies.add(durationNanos);
  }

  int count() {
    return latencies.count();
  }

  long nanos() {
    return nanos;
  }

  Latencies latencies() {
    return latencies;
  }

  double perNano() {
    return (double) latencies.count() / Math.max(1, nanos);
  }

  /** Returns the standard error of the throughput as a share of it. */
  double error() {
    return Math.max(MIN_VARIATION, latencies.variation()) / Math.sqrt(Math.max(1, count()));
  }
}
