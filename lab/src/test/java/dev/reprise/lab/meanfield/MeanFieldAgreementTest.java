package dev.reprise.lab.meanfield;

import static dev.reprise.lab.Fleets.backoff;
import static dev.reprise.lab.Fleets.outage;
import static dev.reprise.lab.Fleets.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fluid beside simulations of every device. */
@Tag("slow")
class MeanFieldAgreementTest {
  private static final List<Figure> DRAINS =
      List.of(Figure.DRAIN_P50, Figure.DRAIN_P90, Figure.DRAIN_P99);

  private static Map<Figure, Double> solve(FleetModel model, Policy policy) {
    return MeanField.solve(model, policy).figures();
  }

  private static void assertAgreement(FleetModel model, Policy policy) {
    Map<Figure, Double> fluid = solve(model, policy);
    Map<Figure, Double> simulated = FleetSimulation.run(model, policy, 1).figures();
    assertThat(fluid.keySet()).isEqualTo(simulated.keySet());
    for (Figure figure :
        List.of(
            Figure.DRAIN_P50,
            Figure.DRAIN_P90,
            Figure.DRAIN_P99,
            Figure.ATTEMPTS,
            Figure.ATTEMPTS_AFTER_RECOVERY,
            Figure.JAIN_INDEX,
            Figure.FELT_OUTAGE,
            Figure.SUCCESS)) {
      assertThat(fluid.get(figure))
          .as(figure.key())
          .isCloseTo(simulated.get(figure), within(0.01 * simulated.get(figure)));
    }
    assertThat(fluid.get(Figure.WASTED_WORK))
        .isCloseTo(simulated.get(Figure.WASTED_WORK), within(0.01));
  }

  private static void assertExact(FleetModel model, StrategyPolicy policy) {
    Map<Figure, Double> fluid = solve(model, policy);
    ExactFleet exact = new ExactFleet(model, policy, 5);
    int devices = model.devices() - model.overactive().of(model.devices());
    assertThat(fluid.get(Figure.STRANDED))
        .as("stranded")
        .isCloseTo(exact.stranded, within(0.003 * devices));
    assertThat(fluid.get(Figure.ATTEMPTS))
        .as("attempts")
        .isCloseTo((double) exact.attempts / devices, within(0.01 * exact.attempts / devices));
    for (int percent : List.of(50, 90, 99)) {
      double reached = exact.reaches(devices * percent / 100.0);
      if (Double.isInfinite(reached)) {
        assertThat(fluid.get(Figure.SUCCESS)).isLessThan(percent / 100.0);
        continue;
      }
      // Where the curve is flat, a scatter of a few devices is much time.
      double slack = 0.005 * reached;
      double earlier = exact.reaches(devices * (percent - 0.1) / 100.0) - slack;
      double later = exact.reaches(devices * (percent + 0.1) / 100.0) + slack;
      assertThat(fluid.get(DRAINS.get(percent == 50 ? 0 : percent == 90 ? 1 : 2)))
          .as("%d %%", percent)
          .isBetween(Math.min(earlier, 0.99 * reached), Math.max(later, 1.01 * reached));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "full:1:20, 0",
    "full:1:64, 0.1",
    "equal:1:64, 0.2",
    "google:1:32, 0",
    "full:1:400, 0.1"
  })
  void agreesWithTheSimulationOfAnOutage(String policy, double rejectionCost) {
    assertAgreement(outage(100_000, 500, rejectionCost, 60), policy(policy));
  }

  @ParameterizedTest
  @CsvSource({"0", "0.1"})
  void agreesWhereDevicesWaitByDifferentLaws(double rejectionCost) {
    assertExact(outage(100_000, 500, rejectionCost, 60), policy("full:1:400"));
  }

  @Test
  void clampsHintsThatAreTooLong() {
    StrategyPolicy policy =
        policy(backoff("full:1:20"), Policy.UNLIMITED, new BudgetPolicy.Unlimited(), true);
    FleetModel model =
        outage(50_000, 1_000, 0, 30).withHint(new Hint.Fixed(Duration.ofSeconds(70)));

    assertAgreement(model, policy);
  }

  @Test
  void agreesOnAFirstBoot() {
    FleetModel model =
        outage(200_000, 1_000, 0.05, 1)
            .withFailures(List.of())
            .withSpread(Duration.ofSeconds(100))
            .withHorizon(Duration.ofHours(1));

    assertExact(model, policy("full:1:64"));
  }

  @Test
  void agreesOnFailuresByChanceBrownOutsTracesAndZones() {
    FleetModel model =
        outage(
            100_000,
            500,
            0.1,
            30,
            new Failure.Random(0.2),
            new Failure.BrownOut(Duration.ofSeconds(60), Duration.ofSeconds(120), 0.5),
            new Failure.Trace(
                List.of(
                    new Failure.Interval(Duration.ofSeconds(150), Duration.ofSeconds(170), 0.9))),
            new Failure.Outage(
                Duration.ofSeconds(20), Duration.ofSeconds(90), new Failure.Zone(1, 3)));

    assertAgreement(model, policy("full:1:64"));
  }

  @Test
  void agreesOnAMinorityAndOveractiveDevices() {
    FleetModel model =
        outage(100_000, 1_000, 0.1, 60)
            .withOveractive(new Overactive(0.02, Duration.ofSeconds(5)))
            .withMinority(new Minority(0.3, policy("equal:1:20")));

    assertExact(model, policy("full:1:64"));
  }

  @Test
  void agreesOnAnAttemptsLimit() {
    StrategyPolicy policy = policy(backoff("full:1:20"), 12, new BudgetPolicy.Unlimited(), false);

    assertExact(outage(100_000, 1_000, 0, 60), policy);
  }

  @Test
  void agreesOnHints() {
    StrategyPolicy policy = policy("full:1:20");
    FleetModel model = outage(100_000, 1_000, 0.1, 30);
    Hint fixed = new Hint.Fixed(Duration.ofSeconds(12));
    Hint uniform = new Hint.Uniform(Duration.ofSeconds(5), Duration.ofSeconds(60));
    Hint tooLong = new Hint.Uniform(Duration.ofSeconds(5), Duration.ofSeconds(80));

    assertExact(model.withHint(fixed), policy);
    assertExact(model.withHint(uniform), policy);
    assertExact(model.withHint(tooLong), policy);
  }
}
