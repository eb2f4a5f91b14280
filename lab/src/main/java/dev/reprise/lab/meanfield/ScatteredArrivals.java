package dev.reprise.lab.meanfield;

/**
 * Computes how many arrivals a small bucket accepts if they come by chance. A fluid comes evenly,
 * and finds a token as soon as there is one; devices come in clusters and gaps (a Poisson process),
 * and in the gaps a full bucket loses the tokens that it cannot save. The fewer tokens it holds,
 * the more: one that holds a single token accepts half of a load that is as high as the capacity.
 *
 * <p>What is missing from a full bucket is the work in an M/D/1 queue whose customers turn away
 * above {@code b = tokens - 1}. With load r, in terms of the capacity, the work has up to b the
 * distribution of the queue without a bound, {@code F(0) = 1} and {@code F'(v) = r (F(v) - F(v -
 * 1))}, but for a factor, which follows from the balance of work (Cohen, The Single Server Queue,
 * 1982, III.5): {@code a = r F(b) / (1 + r F(b))} are accepted. When each refusal takes k of the
 * work of an acceptance, the same balance gives {@code a (1 - k r) / (1 - k a)}.
 */
final class ScatteredArrivals {
  private static final int STEPS_PER_TOKEN = 32;
  private static final double STEP = 1.0 / STEPS_PER_TOKEN;
  private static final int LOADS_PER_CAPACITY = 100;

  /**
   * Above so much of the capacity F(b) is taken to stay the same; the bucket is hardly ever full.
   */
  private static final int MAX_LOAD = 8;

  /** Beyond this the bucket is never full. */
  private static final double NEVER_FULL = 1e12;

  /** Fewer are an error of the integration. */
  private static final double NONE_LOST = 1e-7;

  private final double rejectionCost;

  /** The refused share by load, when refusals cost nothing. */
  private final double[] refusedShares = new double[MAX_LOAD * LOADS_PER_CAPACITY + 1];

  private final double weightOfMostLoad;

  /**
   * Tabulates the loads.
   *
   * @param mostTokens how many acceptances the bucket holds, at least 1
   * @param rejectionCost 0 to 1
   */
  ScatteredArrivals(double mostTokens, double rejectionCost) {
    this.rejectionCost = rejectionCost;
    this.weightOfMostLoad = weight(MAX_LOAD, mostTokens - 1);
    for (int i = 0; i < refusedShares.length; i++) {
      double load = (double) i / LOADS_PER_CAPACITY;
      double weight = weight(load, mostTokens - 1);
      double refused = (1 - weight * (1 - load)) / (1 + load * weight);
      refusedShares[i] = refused < NONE_LOST ? 0 : refused;
    }
  }

  /** Returns F(b). */
  private static double weight(double load, double bound) {
    int steps = (int) Math.ceil(bound * STEPS_PER_TOKEN);
    double[] weights = new double[Math.max(steps, STEPS_PER_TOKEN) + 1];
    for (int i = 0; i <= STEPS_PER_TOKEN; i++) {
      weights[i] = StrictMath.exp(load * i * STEP);
    }
    for (int i = STEPS_PER_TOKEN; i < steps; i++) {
      weights[i + 1] = next(weights, i, load);
      if (weights[i + 1] > NEVER_FULL) {
        return NEVER_FULL;
      }
    }
    if (steps == 0) {
      return 1;
    }
    double beyond = steps - bound * STEPS_PER_TOKEN;
    return weights[steps] - beyond * (weights[steps] - weights[steps - 1]);
  }

  /** Takes a step of Runge and Kutta's. */
  private static double next(double[] weights, int index, double load) {
    int then = index - STEPS_PER_TOKEN;
    double first = weights[then];
    double last = weights[then + 1];
    double slopes = slope(weights, then, load) - slopeBefore(weights, then + 1, load);
    double middle = (first + last) / 2 + STEP / 8 * slopes;
    double weight = weights[index];
    double one = load * (weight - first);
    double two = load * (weight + STEP / 2 * one - middle);
    double three = load * (weight + STEP / 2 * two - middle);
    double four = load * (weight + STEP * three - last);
    return weight + STEP / 6 * (one + 2 * two + 2 * three + four);
  }

  private static double slope(double[] weights, int index, double load) {
    return load * (weights[index] - at(weights, index - STEPS_PER_TOKEN));
  }

  /** F jumps from nothing to 1 at 0, and so its slope has a jump at 1. */
  private static double slopeBefore(double[] weights, int index, double load) {
    return index == STEPS_PER_TOKEN ? load * weights[index] : slope(weights, index, load);
  }

  private static double at(double[] weights, int index) {
    return index < 0 ? 0 : weights[index];
  }

  /**
   * Returns how many are accepted for each that the capacity pays for.
   *
   * @param load arrivals for each that the capacity pays for, at least 0
   */
  double accepted(double load) {
    double paidFor = 1 - rejectionCost * load;
    if (paidFor <= 0) {
      return 0;
    }
    double free = load * (1 - refusedShare(load));
    return free * paidFor / (1 - rejectionCost * free);
  }

  private double refusedShare(double load) {
    int last = refusedShares.length - 1;
    double place = load * LOADS_PER_CAPACITY;
    if (place >= last) {
      return 1 - weightOfMostLoad / (1 + load * weightOfMostLoad);
    }
    int index = (int) place;
    return refusedShares[index]
        + (place - index) * (refusedShares[index + 1] - refusedShares[index]);
  }
}
