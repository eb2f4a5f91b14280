package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.policy.Policy;
import dev.reprise.policy.Presets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyResultTest {
  private static final Policy POLICY = Presets.policy("reprise-default");
  private static final double NEVER = Double.POSITIVE_INFINITY;

  @Test
  void eachFigureIsEstimatedOverTheRunsThatHaveIt() {
    PolicyResult result =
        result(
            run(1, Map.of(Figure.DRAIN_P50, 1.0, Figure.HYSTERESIS, 5.0)),
            run(2, Map.of(Figure.DRAIN_P50, 3.0, Figure.HYSTERESIS, Double.NaN)),
            run(3, Map.of(Figure.DRAIN_P50, 5.0)));

    assertThat(result.estimates().keySet()).containsExactly(Figure.DRAIN_P50, Figure.HYSTERESIS);
    assertThat(result.estimates().get(Figure.DRAIN_P50).mean()).isEqualTo(3);
    assertThat(result.estimates().get(Figure.HYSTERESIS)).isEqualTo(new Estimate(5, 5, 5, 1));
  }

  @Test
  void differencesArePairedBySeedAndSoSharperThanTheFigures() {
    PolicyResult one = drains(100, 200, 300);
    PolicyResult other = drains(90.5, 189.5, 290);

    Estimate difference = one.differencesTo(other).get(Figure.DRAIN_LAST);

    assertThat(difference.mean()).isCloseTo(10, within(1e-9));
    assertThat(difference.isBeyondChance()).isTrue();
    assertThat(difference.highest() - difference.lowest()).isLessThan(3);
    assertThat(other.differencesTo(one).get(Figure.DRAIN_LAST).mean()).isCloseTo(-10, within(1e-9));
  }

  @Test
  void runsArePairedByTheirSeedNotByTheirPlace() {
    PolicyResult one = result(run(1, drain(10)), run(2, drain(20)));
    PolicyResult other = result(run(2, drain(19)), run(1, drain(9)), run(3, drain(1000)));

    assertThat(one.differencesTo(other).get(Figure.DRAIN_LAST)).isEqualTo(new Estimate(1, 1, 1, 2));
  }

  @Test
  void aDifferenceToNeverIsInfiniteAndOfTwoNeversNone() {
    PolicyResult reaches = drains(1, 2);
    PolicyResult never = drains(1, NEVER);
    PolicyResult neverEither = drains(NEVER, 2);

    assertThat(never.differencesTo(reaches).get(Figure.DRAIN_LAST).mean()).isEqualTo(NEVER);
    assertThat(reaches.differencesTo(never).get(Figure.DRAIN_LAST).mean()).isEqualTo(-NEVER);
    assertThat(never.differencesTo(neverEither)).isEmpty();
  }

  @Test
  void resultsOfDifferentSeedsHaveNoDifference() {
    PolicyResult one = result(run(1, drain(1)));
    PolicyResult other = result(run(2, drain(1)));

    assertThat(one.differencesTo(other)).isEmpty();
  }

  @Test
  void afterARunRatesAreNothingAndLevelsStay() {
    PolicyResult result =
        result(
            series(
                new Series(Series.ARRIVALS, "/s", 1, new double[] {4, 2}),
                new Series(Series.CAPACITY, "/s", 1, new double[] {5, 5}),
                new Series(Series.CONNECTED, "", 1, new double[] {4, 6})),
            series(
                new Series(Series.ARRIVALS, "/s", 1, new double[] {2, 2, 2}),
                new Series(Series.CAPACITY, "/s", 1, new double[] {5, 5, 5}),
                new Series(Series.CONNECTED, "", 1, new double[] {2, 4, 6})));

    List<Series> means = result.meanSeries();

    assertThat(means)
        .extracting(Series::name)
        .containsExactly(Series.ARRIVALS, Series.CAPACITY, Series.CONNECTED);
    assertThat(means.get(0).values()).containsExactly(3, 2, 1);
    assertThat(means.get(1).values()).containsExactly(5, 5, 5);
    assertThat(means.get(2).values()).containsExactly(3, 5, 6);
  }

  @Test
  void seriesOfDifferentBinsMeetInTheWiderOnes() {
    PolicyResult result =
        result(
            series(new Series(Series.ARRIVALS, "/s", 0.5, new double[] {0, 4, 6, 8, 3})),
            series(new Series(Series.ARRIVALS, "/s", 1, new double[] {4, 5})));

    Series mean = result.meanSeries().get(0);

    assertThat(mean.binSeconds()).isEqualTo(1);
    assertThat(mean.values()).containsExactly(3, 6, 1.5);
  }

  @Test
  void widerBinsKeepTheTotal() {
    Series series = new Series("x", "/s", 1, new double[] {1, 2, 3, 4, 5, 6, 7});

    assertThat(series.inBinsOf(2.5).values())
        .containsExactly((1 + 2 + 1.5) / 2.5, (1.5 + 4 + 5) / 2.5, (6 + 7) / 2.0);
    assertThatThrownBy(() -> series.inBinsOf(0.5))
        .hasMessage("widerSeconds is 0.5: must be >= binSeconds, which is 1.0");
  }

  @Test
  void distributionsAreSummedRangeByRange() {
    PolicyResult result =
        result(
            distribution(new double[] {1, 2, 3}, new long[] {5, 3, 1}),
            distribution(new double[] {1, 2, 4}, new long[] {4, 4, 1}));

    Distribution sum = result.summedDistributions().get(0);

    assertThat(sum.upperBounds()).containsExactly(1, 2, 3, 4);
    assertThat(sum.counts()).containsExactly(9, 7, 1, 1);
    assertThat(sum.total()).isEqualTo(18);
  }

  private static PolicyResult drains(double... lasts) {
    RunRecord[] runs = new RunRecord[lasts.length];
    for (int i = 0; i < lasts.length; i++) {
      runs[i] = run(i, drain(lasts[i]));
    }
    return result(runs);
  }

  private static Map<Figure, Double> drain(double last) {
    return Map.of(Figure.DRAIN_LAST, last);
  }

  private static RunRecord run(long seed, Map<Figure, Double> figures) {
    return new RunRecord(seed, figures, List.of(), List.of(), 0);
  }

  private static RunRecord series(Series... series) {
    return new RunRecord(1, Map.of(), List.of(series), List.of(), 0);
  }

  private static RunRecord distribution(double[] bounds, long[] counts) {
    return new RunRecord(
        1,
        Map.of(),
        List.of(),
        List.of(new Distribution(Distribution.ATTEMPTS, "", bounds, counts)),
        0);
  }

  private static PolicyResult result(RunRecord... runs) {
    return new PolicyResult("p", POLICY, List.of(runs));
  }
}
