package dev.reprise.lab.contention;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The model against the published program, row by row: the means differ by at most four standard
 * errors of both. Rows with many clients get fewer runs of ours, as they did of the program.
 */
class PublishedContentionTest {
  private static final double STANDARD_ERRORS = 4;
  private static final int FEW_CLIENTS = 30;

  /** What a row may cost: writes, all runs together. */
  private static final double MAX_WRITES = 1e6;

  static Stream<Published> few() {
    return Published.rows().stream().filter(row -> row.clients() <= FEW_CLIENTS);
  }

  static Stream<Published> many() {
    return Published.rows().stream().filter(row -> row.clients() > FEW_CLIENTS);
  }

  @Test
  void allRowsAreRead() {
    assertThat(Published.rows()).hasSize(55);
    assertThat(few().count() + many().count()).isEqualTo(55);
  }

  @ParameterizedTest
  @MethodSource("few")
  void fewClientsMakeThePublishedCallsInThePublishedTime(Published row) {
    assertReproduced(row);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("many")
  void manyClientsMakeThePublishedCallsInThePublishedTime(Published row) {
    assertReproduced(row);
  }

  /** Folklore has it that full jitter always makes the fewest calls. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {200, 500, 1000})
  void manyClientsMakeFewerCallsWithEqualJitterThanWithFull(int clients) {
    assertThat(calls("EqualJitter", clients)).isLessThan(calls("FullJitter", clients));
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {50, 100})
  void someClientsMakeFewerCallsWithFullJitterThanWithEqual(int clients) {
    assertThat(calls("FullJitter", clients)).isLessThan(calls("EqualJitter", clients));
  }

  private static double calls(String policy, int clients) {
    Published row =
        Published.rows().stream()
            .filter(each -> each.policy().equals(policy) && each.clients() == clients)
            .findAny()
            .orElseThrow();
    return Sample.of(row, 100).callsMean();
  }

  private static void assertReproduced(Published row) {
    int runs = (int) Math.max(4, Math.min(400, MAX_WRITES / row.callsMean()));
    Sample ours = Sample.of(row, runs);
    assertThat(Math.abs(ours.callsMean - row.callsMean()))
        .as("calls: %s of ours, %s of the program", ours.callsMean, row.callsMean())
        .isLessThanOrEqualTo(
            STANDARD_ERRORS
                * Math.sqrt(
                    row.callsDeviation() * row.callsDeviation() / row.runs()
                        + ours.callsVariance / runs));
    assertThat(Math.abs(ours.millisMean - row.millisMean()))
        .as("milliseconds: %s of ours, %s of the program", ours.millisMean, row.millisMean())
        .isLessThanOrEqualTo(
            STANDARD_ERRORS
                * Math.sqrt(
                    row.millisDeviation() * row.millisDeviation() / row.runs()
                        + ours.millisVariance / runs));
  }

  /** Means and variances of some runs of ours. */
  private record Sample(
      double callsMean, double callsVariance, double millisMean, double millisVariance) {
    static Sample of(Published row, int runs) {
      List<double[]> measured = new ArrayList<>();
      for (int seed = 1; seed <= runs; seed++) {
        measured.add(row.run(seed));
      }
      return new Sample(
          mean(measured, 0), variance(measured, 0), mean(measured, 1), variance(measured, 1));
    }

    private static double mean(List<double[]> measured, int which) {
      return measured.stream().mapToDouble(run -> run[which]).average().orElseThrow();
    }

    private static double variance(List<double[]> measured, int which) {
      double mean = mean(measured, which);
      double squares =
          measured.stream().mapToDouble(run -> (run[which] - mean) * (run[which] - mean)).sum();
      return squares / (measured.size() - 1);
    }
  }
}
