package dev.reprise.lab.choose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.fleet.FleetSimulation;
import dev.reprise.lab.meanfield.MeanField;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is said of fleets whose service saves up few tokens, where a plain fluid errs by half. */
@Tag("slow")
class SmallBucketsTest {
  private static final int SEEDS = 5;

  /** Fleets whose buckets hold 1 to 50 tokens, by chance, each with a policy of the search. */
  private static Task task(SplittableRandom random) {
    int devices = (int) (1_000 * StrictMath.exp(random.nextDouble() * StrictMath.log(20)));
    double floorSeconds = 40 * StrictMath.exp(random.nextDouble() * StrictMath.log(40));
    double rejectionCost = random.nextBoolean() ? 0 : 0.3 * random.nextDouble();
    return Task.of(
        devices,
        devices / floorSeconds,
        rejectionCost,
        Duration.ofSeconds(20 + random.nextInt(600)),
        Limits.NONE,
        1);
  }

  private static Map.Entry<String, StrategyPolicy> policy(
      SplittableRandom random, FleetModel model) {
    List<Map.Entry<String, StrategyPolicy>> policies = new ArrayList<>(Grid.of(model).entrySet());
    policies.removeIf(
        each ->
            Collapse.of(model, each.getValue()).capacityShare() > 0.5
                || !FirstRetry.isSoon(each.getValue()));
    return policies.get(random.nextInt(policies.size()));
  }

  @Test
  void theMeanFieldHoldsForSmallBuckets() {
    SplittableRandom random = new SplittableRandom(12);
    List<Double> errors = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      FleetModel model = task(random).model();
      Map.Entry<String, StrategyPolicy> named = policy(random, model);
      Map<Figure, Double> solved = MeanField.solve(model, named.getValue()).figures();
      String what =
          model.devices() + " devices, " + model.quota() + ", " + named.getKey() + ", fleet " + i;
      for (Figure figure :
          List.of(Figure.DRAIN_P50, Figure.DRAIN_P99, Figure.ATTEMPTS_AFTER_RECOVERY)) {
        double simulated = simulated(model, named.getValue(), figure);
        assertThat(solved.get(figure))
            .as("%s of %s", figure.key(), what)
            .isCloseTo(simulated, within(0.08 * simulated));
      }
      double last = simulated(model, named.getValue(), Figure.DRAIN_LAST);
      double solvedLast = solved.get(Figure.DRAIN_LAST);
      if (last < Double.POSITIVE_INFINITY && solvedLast < Double.POSITIVE_INFINITY) {
        errors.add(Math.abs(solvedLast / last - 1));
      }
    }
    // One device decides, and so chance; on average it is where the mean field says.
    assertThat(errors).hasSizeGreaterThan(10);
    assertThat(errors.stream().mapToDouble(error -> error).average().orElseThrow())
        .as("mean error of the last device")
        .isLessThan(0.06);
  }

  private static double simulated(FleetModel model, StrategyPolicy policy, Figure figure) {
    double sum = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      sum += FleetSimulation.run(model, policy, 100 + seed).figures().get(figure);
    }
    return sum / SEEDS;
  }

  @Test
  void whatIsSaidOfTheRecommendedPolicyIsWhatOtherSeedsGive() throws InterruptedException {
    // A bucket of one token.
    Task task = Task.of(3_000, 10, 0.1, Duration.ofMinutes(2), Limits.NONE, 1);
    Choice choice = new PolicyChooser(2, (done, all) -> {}).choose(task);

    Candidate recommended = choice.recommended();
    assertThat(recommended).isNotNull();
    for (Figure figure :
        List.of(
            Figure.DRAIN_P50,
            Figure.DRAIN_P99,
            Figure.DRAIN_LAST,
            Figure.PEAK_RATIO,
            Figure.PEAK_AFTER_RECOVERY,
            Figure.ATTEMPTS_AFTER_RECOVERY,
            Figure.ATTEMPTS)) {
      double simulated = simulated(task.model(), recommended.policy(), figure);
      assertThat(recommended.figure(figure))
          .as(figure.key())
          .isCloseTo(simulated, within(0.12 * simulated));
    }
    Map<Figure, Double> halved = choice.whatIf().get(0).figures();
    double last =
        simulated(Task.scaled(task.model(), 1, 0.5), recommended.policy(), Figure.DRAIN_LAST);
    assertThat(halved.get(Figure.DRAIN_LAST)).isCloseTo(last, within(0.12 * last));
  }
}
