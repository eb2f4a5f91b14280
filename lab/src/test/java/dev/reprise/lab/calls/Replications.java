package dev.reprise.lab.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * Independent runs of a model, with the seeds 1 to 30, and the 99.9 % confidence interval of what
 * they measure: mean ± t s/√n, where t = 3.659 for 29 degrees of freedom (Student). One of a
 * thousand such intervals misses the truth by chance; the seeds are fixed, so none does so later.
 */
final class Replications {
  static final int RUNS = 30;
  private static final double STUDENT = 3.659;

  private final double[][] measured = new double[RUNS][];

  /** Runs with each seed what returns one or more measurements. */
  Replications(LongFunction<double[]> run) {
    for (int i = 0; i < RUNS; i++) {
      measured[i] = run.apply(i + 1);
    }
  }

  /**
   * Asserts that the true value of a measurement may be the expected one, and that the interval is
   * narrow enough to say anything.
   *
   * @param most half the width of the interval at most, as a share of the expected value
   */
  void assertThatMean(String name, int measurement, double expected, double most) {
    double[] values = Arrays.stream(measured).mapToDouble(run -> run[measurement]).toArray();
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
    double half = STUDENT * Math.sqrt(squares / (RUNS - 1) / RUNS);
    assertThat(half).as("half the interval of %s", name).isLessThanOrEqualTo(most * expected);
    assertThat(expected)
        .as("%s: measured %s ± %s", name, mean, half)
        .isBetween(mean - half - 1e-12, mean + half + 1e-12);
  }

  double mean(int measurement) {
    return Arrays.stream(measured).mapToDouble(run -> run[measurement]).average().orElseThrow();
  }
}
