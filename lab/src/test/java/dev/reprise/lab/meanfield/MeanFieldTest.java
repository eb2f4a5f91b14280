package dev.reprise.lab.meanfield;

import static dev.reprise.lab.Fleets.backoff;
import static dev.reprise.lab.Fleets.outage;
import static dev.reprise.lab.Fleets.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.figure.TimeBins;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeanFieldTest {
  private static final List<Figure> DRAINS =
      List.of(Figure.DRAIN_P50, Figure.DRAIN_P90, Figure.DRAIN_P99);

  private static Map<Figure, Double> solve(FleetModel model, Policy policy) {
    return MeanField.solve(model, policy).figures();
  }

  // The rows of fleet-reference.csv with jitter whose devices at the time of recovery all wait by
  // the same law: policy, N, C, k, outage; p50, p90, p99, last, attempts, those after recovery.
  @ParameterizedTest
  @CsvSource({
    "full:1:20, 1000000, 5000, 0, 60, 100.0, 180.0, 199.9, 213.0, 20.451, 10.337",
    "full:1:64, 1000000, 5000, 0, 60, 100.0, 180.0, 213.6, 241.7, 11.032, 3.450",
    "equal:1:64, 1000000, 5000, 0, 60, 110.9, 190.9, 232.5, 256.7, 9.591, 2.592",
    "full:1:128, 1000000, 5000, 0, 60, 100.0, 190.0, 241.6, 281.4, 9.552, 2.045",
    "full:1:64, 1000000, 5000, 0.1, 60, 179.0, 271.5, 305.1, 333.5, 13.158, 5.575",
    "equal:1:64, 1000000, 5000, 0.1, 60, 150.2, 236.6, 273.4, 302.1, 10.281, 3.282",
    "full:1:128, 1000000, 5000, 0.1, 60, 124.5, 213.7, 260.9, 304.1, 9.872, 2.365",
    "equal:1:64, 1000000, 5000, 0.2, 60, 262.6, 360.7, 392.4, 415.0, 12.301, 5.302",
    "full:1:64, 1000000, 500, 0, 60, 1000.0, 1800.0, 1980.0, 2041.8, 39.138, 31.556",
    "full:1:400, 1000000, 500, 0, 60, 1000.0, 1800.0, 2054.9, 2266.2, 14.022, 6.518",
    "full:1:64, 1000000, 5000, 0, 600, 100.0, 180.1, 213.6, 242.1, 27.905, 3.477",
    "full:1:20, 100000, 5000, 0, 60, 10.0, 19.8, 27.6, 33.2, 11.505, 1.390",
    "full:1:64, 100000, 5000, 0, 60, 20.4, 42.9, 56.9, 63.8, 8.584, 1.000",
    "azure, 1000000, 5000, 0, 60, 235.5, 507.4, 615.9, 636.8, 38.984, 25.984",
    "azure, 100000, 5000, 0, 60, 25.7, 55.6, 66.2, 66.9, 16.049, 3.049",
    "google:1:32, 1000000, 5000, 0, 60, 1189.3, 2853.5, 3589.5, 3781.7, 49.269, 43.269"
  })
  void agreesWithTheReference(
      String policy,
      int devices,
      double perSecond,
      double rejectionCost,
      int outage,
      double p50,
      double p90,
      double p99,
      double last,
      double attempts,
      double after) {
    Map<Figure, Double> fluid =
        solve(outage(devices, perSecond, rejectionCost, outage), policy(policy));

    // The reference has one digit after the point, and rounds delays up to milliseconds.
    assertThat(fluid.get(Figure.DRAIN_P50)).isCloseTo(p50, within(0.0101 * p50));
    assertThat(fluid.get(Figure.DRAIN_P90)).isCloseTo(p90, within(0.0101 * p90));
    assertThat(fluid.get(Figure.DRAIN_P99)).isCloseTo(p99, within(0.01 * p99));
    // Without jitter at the cap devices come back in herds; the last may take one more of 10 s.
    assertThat(fluid.get(Figure.DRAIN_LAST))
        .isCloseTo(last, within(policy.equals("azure") ? 10 : 0.01 * last));
    assertThat(fluid.get(Figure.ATTEMPTS)).isCloseTo(attempts, within(0.01 * attempts));
    assertThat(fluid.get(Figure.ATTEMPTS_AFTER_RECOVERY)).isCloseTo(after, within(0.011 * after));
  }

  // C = 5,000/s, N = 1,000,000: k; cap; threshold of the cap 2 k N/C (full) or 4 k N/(3 C) (equal).
  @ParameterizedTest
  @CsvSource({
    "0.05, full:1:16, false", "0.05, full:1:24, true", "0.05, full:1:64, true",
    "0.1, full:1:20, false", "0.1, full:1:36, false", "0.1, full:1:44, true",
    "0.1, full:1:64, true", "0.2, full:1:64, false", "0.2, full:1:76, false",
    "0.2, full:1:84, true", "0.2, full:1:128, true", "0.2, equal:1:50, false",
    "0.2, equal:1:57, true", "0.2, equal:1:64, true", "0.5, full:1:128, false",
    "0.5, full:1:190, false", "0.5, full:1:212, true", "0.5, full:1:256, true",
    "0.5, equal:1:128, false", "0.5, equal:1:142, true", "1, full:1:380, false",
    "1, full:1:440, true", "0, none:1:64, false", "0.1, google:1:64, false"
  })
  void recoversWhereTheClosedFormSaysSo(double rejectionCost, String policy, boolean recovers) {
    Map<Figure, Double> fluid = solve(outage(1_000_000, 5_000, rejectionCost, 900), policy(policy));

    assertThat(fluid.get(Figure.DRAIN_LAST) < Double.POSITIVE_INFINITY).isEqualTo(recovers);
  }

  @Test
  void costsTheSameWhateverTheNumberOfDevices() {
    RunRecord few = MeanField.solve(outage(100_000, 500, 0.1, 60), policy("full:1:64"));
    RunRecord many = MeanField.solve(outage(100_000_000, 500_000, 0.1, 60), policy("full:1:64"));

    assertThat((double) many.events()).isCloseTo((double) few.events(), within(0.1 * few.events()));
    for (Figure figure : DRAINS) {
      assertThat(many.figures().get(figure))
          .isCloseTo(few.figures().get(figure), within(0.002 * few.figures().get(figure)));
    }
  }

  @Test
  void countsWhatNeverEndsUpToTheHorizon() {
    FleetModel model = outage(100_000, 500, 0.2, 60);
    RunRecord record = MeanField.solve(model, policy("full:1:64"));
    double horizon = (double) model.horizon().toSeconds();

    // All of them offer once in 32 s, and none is accepted.
    assertThat(record.figures().get(Figure.DRAIN_LAST)).isInfinite();
    assertThat(record.figures().get(Figure.ATTEMPTS_AFTER_RECOVERY))
        .isCloseTo((horizon - 60) / 32, within(0.01 * horizon / 32));
    Series arrivals = record.series().get(0);
    assertThat(arrivals.name()).isEqualTo(Series.ARRIVALS);
    assertThat(arrivals.values()[(int) (horizon / arrivals.binSeconds()) - 1])
        .isCloseTo(100_000 / 32.0, within(100.0));
  }

  @Test
  void endsNoWorseThanWithTheHorizonWhenDevicesAreInStep() {
    assertThat(solve(outage(1_000_000, 5_000, 0, 60), policy("none:1:64")).get(Figure.SUCCESS))
        .isBetween(0.1, 0.5);
  }

  @Test
  void spreadsAFirstBootOverDaysWithoutKeepingThemInMemory() {
    FleetModel model = outage(1_000_000, 5_000, 0, 1);
    FleetModel slow =
        model
            .withFailures(List.of())
            .withSpread(Duration.ofDays(2))
            .withHorizon(Duration.ofDays(3));

    Map<Figure, Double> fluid = solve(slow, policy("full:1:64"));

    assertThat(fluid.get(Figure.ATTEMPTS)).isCloseTo(1, within(1e-6));
    assertThat(fluid.get(Figure.DRAIN_P50)).isCloseTo(86_400, within(1.0));
  }

  @Test
  void widerStepsCostLittle() {
    FleetModel model = outage(1_000_000, 5_000, 0.1, 60);
    Map<Figure, Double> fine = solve(model, policy("full:1:64"));
    Map<Figure, Double> wide =
        MeanField.solve(model, policy("full:1:64"), Duration.ofMillis(100)).figures();

    for (Figure figure : DRAINS) {
      assertThat(wide.get(figure)).isCloseTo(fine.get(figure), within(0.005 * fine.get(figure)));
    }
  }

  @Test
  void hasTheSeriesOfTheSimulation() {
    FleetModel model = outage(50_000, 500, 0.1, 30);
    List<Series> fluid = MeanField.solve(model, policy("full:1:64")).series();
    List<Series> simulated = FleetSimulation.run(model, policy("full:1:64"), 1).series();

    assertThat(fluid)
        .extracting(Series::name)
        .isEqualTo(simulated.stream().map(Series::name).toList());
    for (int i = 0; i < fluid.size(); i++) {
      double[] expected = simulated.get(i).values();
      double[] values = fluid.get(i).values();
      assertThat(fluid.get(i).binSeconds()).isEqualTo(simulated.get(i).binSeconds());
      for (int second = 0; second < 100; second++) {
        assertThat(values[second])
            .as("%s at %d s", fluid.get(i).name(), second)
            .isCloseTo(
                expected[second],
                within(0.02 * expected[second] + 5 * Math.sqrt(expected[second]) + 5));
      }
    }
  }

  @Test
  void refusesWhatAFluidCannotFollow() {
    FleetModel model = outage(1_000, 10, 0, 60);
    StrategyPolicy policy = policy("full:1:64");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> solve(model.withPerDeviceInterval(Duration.ofSeconds(1)), policy))
        .withMessageStartingWith("perDeviceInterval is PT1S: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> solve(model.withHint(new Hint.Slots()), policy))
        .withMessageStartingWith("hint is slots: ");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                solve(
                    outage(
                        1,
                        1,
                        0,
                        1,
                        new Failure.Bursts(Duration.ofSeconds(1), Duration.ofSeconds(1), 1)),
                    policy))
        .withMessageStartingWith("failures[0] is bursts: ");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                solve(
                    model,
                    policy(
                        backoff("full:1:64"),
                        Policy.UNLIMITED,
                        new BudgetPolicy.TokenBucket(100, TokenPrices.SMITHY_GUIDE, 0, 0),
                        false)))
        .withMessageStartingWith("policy.budget pays for 20 retries: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MeanField.solve(model, policy, Duration.ofSeconds(2)))
        .withMessage("step is PT2S: must be 1 to 100 ms, and a whole part of 100 ms");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> solve(model, policy("full:1:10000000")))
        .withMessageStartingWith("backoff waits up to ");
  }

  @Test
  void allowsWhatDoesNotBind() {
    FleetModel model = outage(1_000, 10, 0, 60).withPerDeviceInterval(Duration.ofMillis(500));
    StrategyPolicy policy =
        policy(
            Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(64)).withEqualJitter(),
            20,
            new BudgetPolicy.TokenBucket(100, TokenPrices.SMITHY_GUIDE, 0, 0),
            false);

    assertThat(solve(model, policy).get(Figure.SUCCESS)).isPositive();
  }

  @Test
  void aLongOutageBlursNothingAfterIt() {
    Policy policy = policy("full:1:64");
    Map<Figure, Double> hour = solve(outage(1_000_000, 5_000, 0, 3_600), policy);
    Map<Figure, Double> month = solve(outage(1_000_000, 5_000, 0, 30 * 86_400), policy);

    for (Figure figure :
        List.of(
            Figure.DRAIN_P99,
            Figure.DRAIN_LAST,
            Figure.GOODPUT,
            Figure.PEAK_DURING_OUTAGE,
            Figure.PEAK_AFTER_RECOVERY)) {
      assertThat(month.get(figure))
          .as(figure.key())
          .isCloseTo(hour.get(figure), within(0.005 * hour.get(figure)));
    }
    // Once in 32 s on average, beside the first few that come faster.
    double more = (30 * 86_400 - 3_600) / 32.0;
    assertThat(month.get(Figure.ATTEMPTS) - hour.get(Figure.ATTEMPTS))
        .isCloseTo(more, within(0.001 * more));
  }

  @Test
  void skipsTheTimeInWhichNothingChanges() {
    Policy policy = policy("full:1:64");
    Duration step = Duration.ofMillis(100);
    RunRecord day = MeanField.solve(outage(1_000_000, 5_000, 0, 86_400), policy, step);
    RunRecord month = MeanField.solve(outage(1_000_000, 5_000, 0, 30 * 86_400), policy, step);

    assertThat(month.events()).isCloseTo(day.events(), within(day.events() / 100));
  }

  @Test
  void whatIsSkippedIsWhatWouldHaveBeen() {
    // Outages within the outage change nothing, but end what would be skipped before it is even.
    Policy policy = policy("full:1:20");
    FleetModel skipping = outage(100_000, 500, 0.1, 3_600);
    List<Failure> looked = new ArrayList<>(skipping.failures());
    for (int second = 60; second < 3_600; second += 30) {
      looked.add(
          new Failure.Outage(
              Duration.ofSeconds(second), Duration.ofSeconds(second + 10), Failure.Zone.ALL));
    }
    FleetModel looking = outage(100_000, 500, 0.1, 3_600, looked.toArray(Failure[]::new));

    Map<Figure, Double> expected = solve(looking, policy);
    Map<Figure, Double> figures = solve(skipping, policy);

    assertThat(figures.keySet()).isEqualTo(expected.keySet());
    expected.forEach(
        (figure, value) ->
            assertThat(figures.get(figure))
                .as(figure.key())
                .isCloseTo(value, within(1e-3 * Math.abs(value) + 1e-9)));
  }

  @Test
  void aStandstillHasNoBeat() {
    Map<Figure, Double> fluid = solve(outage(100_000, 500, 0.2, 60), policy("full:1:64"));

    assertThat(fluid.get(Figure.DRAIN_LAST)).isInfinite();
    assertThat(fluid.get(Figure.STRONGEST_LINE)).isZero();
    assertThat(fluid.get(Figure.DISPERSION)).isCloseTo(1, within(0.2));
  }

  @Test
  void refusesDelaysThatAreShorterThanItsSteps() {
    FleetModel model = outage(1_000, 500, 0, 60);

    for (Backoff backoff : List.of(Backoff.none(), Backoff.fixed(Duration.ofMillis(1)))) {
      StrategyPolicy policy =
          policy(backoff, Policy.UNLIMITED, new BudgetPolicy.Unlimited(), false);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> solve(model, policy))
          .withMessageStartingWith("policy.backoff waits ")
          .withMessageContaining("needs at least 50 ms with steps of 10 ms");
    }
    StrategyPolicy whole =
        policy(
            Backoff.fixed(Duration.ofMillis(10)),
            Policy.UNLIMITED,
            new BudgetPolicy.Unlimited(),
            false);
    assertThat(solve(model, whole).get(Figure.ATTEMPTS)).isCloseTo(6_100, within(200.0));
  }

  @Test
  void overactiveDevicesTakeTheirShareWhoeverTheOthersAre() {
    FleetModel model = outage(100_000, 500, 0, 60);
    Overactive overactive = new Overactive(0.01, Duration.ofSeconds(2));
    Policy policy = policy("full:1:64");

    Map<Figure, Double> none = solve(model.withOveractive(overactive), policy);
    Map<Figure, Double> all =
        solve(model.withOveractive(overactive).withMinority(new Minority(1, policy)), policy);

    assertThat(all.get(Figure.DRAIN_LAST)).isEqualTo(none.get(Figure.DRAIN_LAST));
  }

  @Test
  void refusesAFleetOfFewDevices() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> solve(outage(999, 5, 0, 60), policy("full:1:64")))
        .withMessageStartingWith("devices is 999: ");
  }

  @Test
  void theLastDeviceIsNotBackBeforeTheFirst() {
    // Of a tenth of a device on average there is seldom one at all.
    double[] returns = new double[100];
    returns[50] = 0.1;

    assertThat(LastDevice.in(new TimeBins(1, returns), 0).reaches(0.1)).isBetween(50.0, 51.0);
  }
}
