package dev.reprise.lab.figure;

/**
 * Student's t distribution with a whole number of degrees of freedom, for which it is a finite sum
 * (Abramowitz and Stegun, 26.7.3 and 26.7.4). The same bits on every platform.
 */
final class StudentT {
  private StudentT() {}

  /**
   * Returns the value that |t| does not exceed with the given probability.
   *
   * @param probability more than 0 and less than 1, such as 0.95
   * @param degrees of freedom, at least 1
   */
  static double twoSided(double probability, int degrees) {
    double low = 0;
    double high = 1;
    while (within(high, degrees) < probability) {
      high *= 2;
    }
    while (true) {
      double middle = low + (high - low) / 2;
      if (middle == low || middle == high) {
        return high;
      }
      if (within(middle, degrees) < probability) {
        low = middle;
      } else {
        high = middle;
      }
    }
  }

  /** The probability that |t| is at most {@code t}. */
  private static double within(double t, int degrees) {
    double sine = t / Math.sqrt(degrees + t * t);
    double cosineSquared = degrees / (degrees + t * t);
    boolean odd = degrees % 2 == 1;
    double term = odd ? Math.sqrt(cosineSquared) : 1;
    double sum = degrees == 1 ? 0 : term;
    for (int i = odd ? 3 : 2; i <= degrees - 2; i += 2) {
      term *= cosineSquared * (i - 1) / i;
      sum += term;
    }
    return odd ? 2 / Math.PI * (StrictMath.atan(t / Math.sqrt(degrees)) + sine * sum) : sine * sum;
  }
}
