package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FleetFiguresTest {
  private static final int CAPACITY = 100;
  private static final int OUTAGE_SECONDS = 60;

  @Test
  void aFleetThatComesBackAtCapacityIsAtTheFloor() {
    double[] returns = new double[16_000];
    Arrays.fill(returns, 6_000, 16_000, 1); // 100 a second for 100 s
    Map<Figure, Double> figures =
        FleetFigures.of(model(), tally(10_000, arrivals(returns), returns));
    assertThat(figures.get(Figure.DRAIN_P50)).isCloseTo(50, within(0.001));
    assertThat(figures.get(Figure.DRAIN_P90)).isCloseTo(90, within(0.001));
    assertThat(figures.get(Figure.DRAIN_P99)).isCloseTo(99, within(0.001));
    assertThat(figures.get(Figure.DRAIN_P999)).isCloseTo(99.9, within(0.001));
    assertThat(figures.get(Figure.DRAIN_LAST)).isCloseTo(100, within(0.001));
    assertThat(figures.get(Figure.DRAIN_RATIO)).isCloseTo(1, within(1e-5));
    assertThat(figures.get(Figure.GOODPUT)).isCloseTo(1, within(1e-5));
    assertThat(figures.get(Figure.PEAK_AFTER_RECOVERY)).isCloseTo(100, within(1e-9));
    assertThat(figures.get(Figure.PEAK_TO_MEAN)).isCloseTo(1, within(1e-5));
    assertThat(figures.get(Figure.SUCCESS)).isEqualTo(1);
    // Even waits from 0 to T: (T/2)² by T²/3.
    assertThat(figures.get(Figure.JAIN_INDEX)).isCloseTo(0.75, within(1e-4));
    assertThat(figures.get(Figure.WAIT_P99_TO_P50)).isCloseTo(1.98, within(1e-4));
    assertThat(figures.get(Figure.LAST_PERCENT_SHARE)).isCloseTo(0.01, within(1e-4));
    // Away from 60 to 160 s, evenly: (160³ - 60³) / 3 / 100, by twice 110.
    assertThat(figures.get(Figure.FELT_OUTAGE))
        .isCloseTo((4_096_000 - 216_000) / 300.0 / 220, within(1e-3));
    assertThat(figures.get(Figure.DISPERSION)).isCloseTo(0, within(1e-9));
    assertThat(figures.get(Figure.STRONGEST_LINE)).isEqualTo(0);
  }

  @Test
  void workAndPeaksAreThoseOfTheAttempts() {
    double[] arrivals = new double[1_600];
    arrivals[5] = 900; // in the first second
    arrivals[595] = 300; // in the last second of the outage
    arrivals[600] = 400;
    arrivals[609] = 200;
    arrivals[610] = 500;
    double[] returns = new double[16_000];
    returns[6_000] = 80;
    returns[6_100] = 20;
    FleetTally tally =
        new FleetTally(
            100,
            bins(0.1, arrivals),
            bins(0.01, returns),
            900,
            600,
            1_100,
            100,
            1_000,
            0,
            160,
            false);
    FleetModel model = model(new Costs(250, Duration.ofMillis(2), 3), 0.25);
    Map<Figure, Double> figures = FleetFigures.of(model, tally);
    assertThat(figures.get(Figure.PEAK_DURING_OUTAGE)).isEqualTo(900);
    assertThat(figures.get(Figure.PEAK_AFTER_RECOVERY)).isEqualTo(600);
    assertThat(figures.get(Figure.PEAK_RATIO)).isEqualTo(6);
    assertThat(figures.get(Figure.ATTEMPTS)).isEqualTo(23);
    assertThat(figures.get(Figure.ATTEMPTS_AFTER_RECOVERY)).isEqualTo(11);
    assertThat(figures.get(Figure.WASTED_WORK)).isCloseTo(250 / 350.0, within(1e-12));
    assertThat(figures.get(Figure.BYTES_PER_DEVICE)).isEqualTo(23 * 250);
    assertThat(figures.get(Figure.SERVER_CPU)).isCloseTo(0.7, within(1e-12));
    assertThat(figures.get(Figure.COST)).isCloseTo(2_300 * 3e-6, within(1e-12));
  }

  @Test
  void aFleetThatIsNeverBackHasInfiniteFiguresAndStillAGoodput() {
    double[] returns = new double[16_000];
    Arrays.fill(returns, 6_000, 16_000, 0.6);
    Map<Figure, Double> figures =
        FleetFigures.of(model(), tally(10_000, arrivals(returns), returns));
    assertThat(figures.get(Figure.DRAIN_P50)).isCloseTo(50 / 0.6, within(0.001));
    assertThat(figures.get(Figure.DRAIN_P90)).isInfinite();
    assertThat(figures.get(Figure.DRAIN_RATIO)).isInfinite();
    assertThat(figures.get(Figure.WAIT_P99_TO_P50)).isInfinite();
    assertThat(figures.get(Figure.LAST_PERCENT_SHARE)).isInfinite();
    assertThat(figures.get(Figure.FELT_OUTAGE)).isInfinite();
    assertThat(figures.get(Figure.GOODPUT)).isCloseTo(0.6, within(1e-9));
    assertThat(figures.get(Figure.SUCCESS)).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void devicesThatGaveUpAreServiceThatWasNotUsed() {
    // What was saved in the outage takes 20 within 10 ms, and the rest gives up.
    double[] returns = new double[6_010];
    returns[6_000] = 20;
    assertThat(goodput(returns, 980)).isCloseTo(0.02, within(1e-9));
    // A service that is at its capacity until the end could have gone on for those that gave up.
    double[] steady = new double[16_000];
    Arrays.fill(steady, 6_000, 16_000, 1);
    assertThat(goodput(steady, 30_000)).isCloseTo(0.25, within(1e-9));
    // One that is idle meanwhile has lost more than those.
    double[] slow = new double[16_000];
    slow[15_999] = 10;
    assertThat(goodput(slow, 90)).isCloseTo(0.001, within(1e-9));
  }

  @Test
  void noMoreThanAllIsServedWhateverWasSaved() {
    double[] returns = new double[6_110];
    returns[6_000] = 50;
    returns[6_100] = 100;
    assertThat(goodput(returns, 0)).isEqualTo(1);
  }

  private static double goodput(double[] returns, double stranded) {
    double devices = Arrays.stream(returns).sum() + stranded;
    FleetTally tally =
        new FleetTally(
            devices,
            arrivals(returns),
            bins(0.01, returns),
            0,
            0,
            0,
            devices,
            0,
            stranded,
            160,
            false);
    return FleetFigures.of(model(), tally).get(Figure.GOODPUT);
  }

  @Test
  void workForFailuresHelpsNobodyEither() {
    double[] returns = new double[16_000];
    returns[6_000] = 75;
    FleetTally tally =
        new FleetTally(
            75, arrivals(returns), bins(0.01, returns), 0, 0, 300, 100, 200, 0, 160, false);
    assertThat(FleetFigures.of(model(Costs.NONE, 0.25), tally).get(Figure.WASTED_WORK))
        .isCloseTo((0.25 * 200 + 25) / (0.25 * 200 + 100), within(1e-12));
  }

  @Test
  void costsThatNobodyAskedForAndWaitsThatNobodyHadAreAbsent() {
    double[] returns = new double[100];
    returns[10] = 5;
    FleetTally tally = tally(5, arrivals(returns), returns);
    assertThat(FleetFigures.of(model(), tally))
        .doesNotContainKeys(
            Figure.BYTES_PER_DEVICE,
            Figure.SERVER_CPU,
            Figure.COST,
            Figure.JAIN_INDEX,
            Figure.WAIT_P99_TO_P50,
            Figure.LAST_PERCENT_SHARE);
  }

  @Test
  void dispersionTellsChanceFromAHerd() {
    SplittableRandom random = new SplittableRandom(7);
    double[] chance = new double[1_600];
    double[] fading = new double[1_600];
    double[] herd = new double[1_600];
    for (int device = 0; device < 200_000; device++) {
      chance[600 + random.nextInt(1_000)]++;
      fading[600 + (int) (1_000 * (1 - Math.sqrt(random.nextDouble())))]++;
    }
    herd[900] = 50_000;
    double[] returns = new double[16_000];
    returns[15_999] = 1;
    assertThat(dispersion(chance, returns)).isBetween(0.85, 1.15);
    assertThat(dispersion(fading, returns)).isBetween(0.85, 1.6);
    assertThat(dispersion(herd, returns)).isCloseTo(50_000, within(1e-6));
    // Its own variance is 0: what is left is the scatter that a fluid has not.
    double[] even = new double[1_600];
    Arrays.fill(even, 600, 1_600, 33);
    FleetTally fluid =
        new FleetTally(1, bins(0.1, even), bins(0.01, returns), 0, 0, 0, 0, 0, 0, 160, true);
    assertThat(FleetFigures.of(model(), fluid).get(Figure.DISPERSION)).isCloseTo(1, within(1e-9));
  }

  @Test
  void theStrongestLineIsThePeriodOfABeatAndNoneInChance() {
    SplittableRandom random = new SplittableRandom(8);
    double[] chance = new double[8_600];
    double[] beat = new double[8_600];
    for (int i = 0; i < 100_000; i++) {
      int at = random.nextInt(8_000);
      chance[600 + at]++;
      beat[600 + at]++;
      if (i % 10 == 0) {
        // Every 12.8 s, a second wide.
        int pulse = 128 * random.nextInt(62) + random.nextInt(10);
        beat[600 + pulse]++;
      }
    }
    double[] returns = new double[86_000];
    returns[85_999] = 1;
    assertThat(line(chance, returns)).isEqualTo(0);
    assertThat(line(beat, returns)).isCloseTo(12.8, within(0.1));
  }

  private static double dispersion(double[] arrivals, double[] returns) {
    return FleetFigures.of(model(), tally(1, bins(0.1, arrivals), returns)).get(Figure.DISPERSION);
  }

  private static double line(double[] arrivals, double[] returns) {
    return FleetFigures.of(model(), tally(1, bins(0.1, arrivals), returns))
        .get(Figure.STRONGEST_LINE);
  }

  private static TimeBins arrivals(double[] returns) {
    double[] arrivals = new double[returns.length / 10];
    for (int i = 0; i < returns.length; i++) {
      arrivals[i / 10] += returns[i];
    }
    return bins(0.1, arrivals);
  }

  private static FleetTally tally(double devices, TimeBins arrivals, double[] returns) {
    double after = 0;
    for (int i = 600; i < arrivals.counts().length; i++) {
      after += arrivals.counts()[i];
    }
    return new FleetTally(
        devices,
        arrivals,
        bins(0.01, returns),
        0,
        CAPACITY,
        after,
        devices,
        0,
        0,
        returns.length / 100.0,
        false);
  }

  private static TimeBins bins(double seconds, double[] counts) {
    return new TimeBins(seconds, counts);
  }

  private static FleetModel model() {
    return model(Costs.NONE, 0);
  }

  private static FleetModel model(Costs costs, double rejectionCost) {
    return new FleetModel(
        100,
        Duration.ZERO,
        new Quota(CAPACITY, Duration.ZERO, rejectionCost),
        Duration.ZERO,
        List.of(
            new Failure.Outage(
                Duration.ZERO, Duration.ofSeconds(OUTAGE_SECONDS), Failure.Zone.ALL)),
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        costs,
        Duration.ofHours(1));
  }
}
