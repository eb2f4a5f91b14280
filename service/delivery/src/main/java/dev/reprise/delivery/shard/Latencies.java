package dev.reprise.delivery.shard;

/** Mean and spread of the times that attempts took, by Welford's method. */
final class Latencies {
  /** Differences below this are noise of this machine. */
  static final double NOISE_NANOS = 2_000_000;

  private static final double SLOWER = 1.5;
  private static final double STANDARD_ERRORS = 2.5;

  private int count;
  private double mean;
  private double squares;

  void add(long nanos) {
    count++;
    double distance = nanos - mean;
    mean += distance / count;
    squares += distance * (nanos - mean);
  }

  void addAll(Latencies other) {
    if (other.count > 0) {
      int both = count + other.count;
      double distance = other.mean - mean;
      mean += distance * other.count / both;
      squares += other.squares + distance * distance * count * other.count / both;
      count = both;
    }
  }

  void clear() {
    count = 0;
    mean = 0;
    squares = 0;
  }

  int count() {
    return count;
  }

  double mean() {
    return mean;
  }

  /** Returns the standard deviation over the mean; 0 where nothing is known of it. */
  double variation() {
    return count < 2 || mean <= 0 ? 0 : Math.sqrt(squares / (count - 1)) / mean;
  }

  /** Whether these take clearly more than one and a half times as long, chance excluded. */
  boolean areSlowerThan(Latencies others) {
    return mean > others.mean * SLOWER + NOISE_NANOS
        && mean - others.mean > STANDARD_ERRORS * Math.hypot(error(), others.error());
  }

  private double error() {
    return variation() * mean / Math.sqrt(Math.max(1, count));
  }
}
