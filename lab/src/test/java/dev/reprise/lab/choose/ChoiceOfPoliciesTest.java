package dev.reprise.lab.choose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.reprise.lab.Lab;
import dev.reprise.lab.Parallel;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.meanfield.MeanField;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChoiceOfPoliciesTest {
  private static FleetModel fleet(int devices, double perSecond, double rejectionCost) {
    return Task.of(devices, perSecond, rejectionCost, Duration.ofHours(1), Limits.NONE, 1).model();
  }

  private static Candidate candidate(
      String name, double last, double peak, double attempts, double wasted) {
    return new Candidate(
        name,
        Presets.policy("azure-iot").toStrategyPolicy(),
        Map.of(
            Figure.DRAIN_LAST,
            last,
            Figure.DRAIN_RATIO,
            last / 100,
            Figure.DRAIN_P99,
            last,
            Figure.PEAK_RATIO,
            peak,
            Figure.ATTEMPTS,
            attempts,
            Figure.ATTEMPTS_AFTER_RECOVERY,
            attempts,
            Figure.WASTED_WORK,
            wasted));
  }

  @ParameterizedTest
  @CsvSource({"1000000, 5000, 0.1", "1000000, 500, 0", "20000, 200, 1", "1000, 5000, 0.2"})
  void triesMoreThanAThousandPoliciesThatDocumentsCanHold(
      int devices, double perSecond, double rejectionCost) {
    Map<String, StrategyPolicy> grid = Grid.of(fleet(devices, perSecond, rejectionCost));

    assertThat(grid).hasSizeGreaterThanOrEqualTo(devices == 1_000 ? 300 : 1_000);
    assertThat(grid.values()).doesNotHaveDuplicates();
    StrategyPolicy last = grid.values().stream().reduce((a, b) -> b).orElseThrow();
    assertThat(PolicyDocuments.read(PolicyDocuments.write(last).toString())).isEqualTo(last);
  }

  @Test
  void triesCapsThatSurviveWhateverRefusalsCost() {
    FleetModel model = fleet(1_000_000, 5_000, 1);

    assertThat(Grid.of(model).values())
        .anyMatch(policy -> Collapse.of(model, policy).capacityShare() <= 0.5);
  }

  @Test
  void knowsAtWhichCapacityRefusalsTakeAll() {
    FleetModel model = fleet(1_000_000, 5_000, 0.1);
    Collapse collapse = Collapse.of(model, Presets.policy("iot-core-64s").toStrategyPolicy());

    assertThat(collapse.capacityPerSecond()).isCloseTo(0.1 * 1e6 / 64, within(1e-6));
    assertThat(collapse.devices()).isCloseTo(5_000 * 64 / 0.1, within(1e-3));
    assertThat(collapse.capacityShare()).isCloseTo(0.3125, within(1e-9));
  }

  @Test
  void theFrontHasThoseThatNoOtherBeatsInEverything() {
    Candidate slow = candidate("slow", 400, 1, 1, 0);
    Candidate quick = candidate("quick", 200, 4, 3, 0.1);
    Candidate beaten = candidate("beaten", 300, 4, 3, 0.1);
    Candidate alike = candidate("alike", 400.5, 0.999, 1, 0);

    assertThat(ParetoFront.of(List.of(slow, beaten, quick, alike))).containsExactly(quick, slow);
    assertThat(ParetoFront.of(List.of())).isEmpty();
  }

  @Test
  void theIdealHasNoRegretBeyondOne() {
    assertThat(candidate("ideal", 100, 0.9, 1, 0).regret()).isEqualTo(1);
    assertThat(candidate("other", 150, 2, 3, 0).regret()).isCloseTo(9, within(1e-12));
  }

  @Test
  void limitsAreExceededByTheOneThatIsFarthest() {
    Limits limits = new Limits(2.0, Duration.ofSeconds(100), 1.5);

    assertThat(limits.excess(candidate("", 90, 1, 1, 0).figures())).isCloseTo(0.9, within(1e-12));
    assertThat(limits.excess(candidate("", 90, 5, 1, 0).figures())).isCloseTo(2.5, within(1e-12));
    assertThat(Limits.NONE.excess(candidate("", 1e9, 5, 9, 1).figures())).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Limits(null, null, 0.5))
        .withMessage("attempts is 0.5: must be >= 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Task.of(999, 1, 0, Duration.ofSeconds(1), Limits.NONE, 1))
        .withMessageStartingWith("devices is 999: ");
  }

  @Test
  void aSampleComesBackLikeTheWholeFleet() {
    FleetModel sample = Task.sample(fleet(1_000_000, 5_000, 0.1), 0.1);

    assertThat(sample.devices()).isEqualTo(100_000);
    assertThat(sample.quota().perSecond()).isEqualTo(500);
    // As many acceptances are saved up: 500.
    assertThat(sample.quota().burst()).isEqualTo(Duration.ofSeconds(1));
  }

  private static FleetModel away(Duration outage) {
    return Task.of(20_000, 200, 0.1, outage, Limits.NONE, 1).model();
  }

  private static StrategyPolicy upTo(String jitter, int capSeconds) {
    return PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited", "hintCeiling": "1h",
             "backoff": {"type": "exponential", "base": "1s", "cap": "%ds", "jitter": %s}}
            """
                .formatted(
                    capSeconds,
                    Character.isDigit(jitter.charAt(0)) ? jitter : "\"" + jitter + "\""))
        .toStrategyPolicy();
  }

  @ParameterizedTest
  @Tag("slow")
  @CsvSource({"full, 64", "full, 300", "equal, 64", "equal, 200", "0.5, 64"})
  void aLongOutageIsSolvedByThePartThatMakesADifference(String jitter, int capSeconds) {
    StrategyPolicy policy = upTo(jitter, capSeconds);
    FleetModel whole = away(Duration.ofHours(6));
    Duration step = Duration.ofMillis(100);

    ShortOutage shortened = ShortOutage.of(whole, List.of(policy));
    Map<Figure, Double> cut =
        shortened.whole(policy, MeanField.solve(shortened.model(), policy, step).figures());
    Map<Figure, Double> all = MeanField.solve(whole, policy, step).figures();

    assertThat(shortened.model().recovery()).isLessThan(Duration.ofHours(2));
    for (Figure figure :
        List.of(
            Figure.DRAIN_P50,
            Figure.DRAIN_P99,
            Figure.DRAIN_LAST,
            Figure.PEAK_RATIO,
            Figure.PEAK_DURING_OUTAGE,
            Figure.ATTEMPTS,
            Figure.ATTEMPTS_AFTER_RECOVERY,
            Figure.WASTED_WORK)) {
      assertThat(cut.get(figure))
          .as(figure.key())
          .isCloseTo(all.get(figure), withinPercentage(0.5));
    }
    assertThat(cut).doesNotContainKey(Figure.FELT_OUTAGE);
  }

  @Test
  @Tag("slow")
  void aWeekIsNeitherSolvedNorSimulatedWhole() throws InterruptedException {
    Task task = Task.of(1_000, 10, 0.1, Duration.ofDays(7), Limits.NONE, 1);
    StrategyPolicy policy = upTo("full", 64);
    Candidate unsolved = new Candidate("a", policy, Map.of());
    try (Parallel parallel = new Lab(1, (done, all) -> {}).parallel()) {
      Candidate solved = PolicyChooser.fine(parallel, task.model(), List.of(unsolved)).get(0);
      Confirmation simulated = Confirmation.of(parallel, task.model(), List.of(solved), 1).get(0);

      // A week has 18,900 mean delays of 32 s.
      assertThat(solved.figure(Figure.ATTEMPTS)).isBetween(18_900.0, 19_000.0);
      assertThat(simulated.expected().get(Figure.ATTEMPTS)).isBetween(18_900.0, 19_000.0);
      assertThat(simulated.devices()).isEqualTo(1_000);
      assertThat(simulated.result().runs()).allMatch(run -> run.events() < 1_000_000);
      assertThat(new Sentences(task, solved).caveats(List.of(), simulated))
          .anyMatch(caveat -> caveat.matches("Of the outage [\\d.]+ s were solved: .*"));
    }
  }

  @Test
  void aShortOutageIsSolvedAsItIs() {
    FleetModel model = away(Duration.ofMinutes(5));

    assertThat(ShortOutage.of(model, List.of(upTo("full", 64))))
        .isEqualTo(new ShortOutage(model, 0));
    assertThat(ShortOutage.staysInStep(model, upTo("0.01", 64))).isFalse();
  }

  @Test
  void jitterThatLeavesDevicesInStepThroughAWeekIsFound() {
    FleetModel week = away(Duration.ofDays(7));

    assertThat(ShortOutage.staysInStep(week, upTo("0.005", 128))).isTrue();
    assertThat(ShortOutage.staysInStep(week, upTo("full", 40_000))).isFalse();
    assertThat(ShortOutage.staysInStep(week, upTo("full", 128))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(doubles = {500, 100, 10})
  void triesOnlyCapsThatTheMeanFieldCanFollow(double perSecond) {
    FleetModel model = fleet(10_000_000, perSecond, 0);

    assertThat(Grid.of(model).values())
        .allMatch(policy -> policy.backoff().range(200).highestNanos() <= 48 * 3_600_000_000_000L);
  }

  @Test
  @Tag("slow")
  void solvesAPolicyInStepsThatSuitItsDelays() throws InterruptedException {
    // A drain of three hours at least: 10 ms cannot follow a delay of twelve.
    FleetModel model = Task.of(10_800, 1, 0, Duration.ofSeconds(10), Limits.NONE, 1).model();
    try (Parallel parallel = new Lab(1, (done, all) -> {}).parallel()) {
      Candidate daily = new Candidate("long", upTo("full", 43_200), Map.of());

      assertThat(PolicyChooser.fine(parallel, model, List.of(daily))).hasSize(1);
    }
  }

  @Test
  void goesOnToCandidatesThatKeepTheLimitsByMore() {
    List<Candidate> eligible = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      // The better, the nearer to the limit of 2: the first 70 are beyond it by less than 2 %.
      eligible.add(candidate("c" + i, 150 * Math.pow(1.03, i), i < 70 ? 2.03 : 1.9, 1, 0));
    }

    List<Candidate> queue = PolicyChooser.queue(eligible, new Limits(2.0, null, null));

    assertThat(queue.get(0)).isEqualTo(eligible.get(0));
    assertThat(queue).hasSize(64).doesNotHaveDuplicates();
    assertThat(queue.subList(56, 64)).allMatch(each -> each.figure(Figure.PEAK_RATIO) == 1.9);
  }

  private static RunRecord run(double last, double peak) {
    return new RunRecord(1, candidate("", last, peak, 1, 0).figures(), List.of(), List.of(), 0);
  }

  @Test
  void whatIsSimulatedHasToKeepTheLimitsToo() {
    Candidate candidate = candidate("a", 100, 1.75, 1, 0);
    Limits limits = new Limits(1.76, null, null);

    Confirmation over =
        Confirmation.of(candidate, List.of(run(100, 2.0), run(100, 2.1)), 20_000, 1);
    Confirmation within =
        Confirmation.of(candidate, List.of(run(100, 1.7), run(100, 1.8)), 20_000, 1);
    Confirmation never =
        Confirmation.of(
            candidate, List.of(run(100, 1), run(Double.POSITIVE_INFINITY, 1)), 20_000, 1);

    assertThat(over.keeps(limits)).isFalse();
    assertThat(over.expected().get(Figure.PEAK_RATIO)).isCloseTo(2.05, within(1e-12));
    assertThat(within.keeps(limits)).isTrue();
    assertThat(over.keeps(Limits.NONE)).isTrue();
    assertThat(never.keeps(Limits.NONE)).isFalse();
  }

  @Test
  void theScatterOfASampleIsLessInTheWholeFleet() {
    Candidate candidate = candidate("a", 100, 1.5, 1, 0);

    Confirmation sample = Confirmation.of(candidate, List.of(run(100, 2.5)), 20_000, 0.01);

    assertThat(sample.expected().get(Figure.PEAK_RATIO)).isCloseTo(1.6, within(1e-12));
    assertThat(sample.regret()).isCloseTo(1.6, within(1e-12));
  }

  @Test
  void saysWhatWasLeftOut() {
    Task task = Task.of(20_000, 100, 0, Duration.ofSeconds(60), new Limits(1.15, null, null), 1);
    Candidate usual =
        new Candidate("usual", upTo("full", 400), candidate("", 400, 1.74, 1, 0).figures());
    Candidate slow =
        new Candidate("slow", always("800s"), candidate("", 800, 0.27, 1, 0).figures());
    Candidate inStep =
        new Candidate("in step", upTo("none", 10), candidate("", 800, 2, 1, 0).figures());

    assertThat(
            MissedLimits.of(
                task,
                List.of(usual, slow, inStep),
                List.of(usual),
                new Trials(List.of(usual), List.of(), List.of())))
        .containsExactly(
            "The lowest peak is 1.74 times the capacity; asked for were 1.15. Policies that are"
                + " left out reach 0.27.",
            "Nearest to all limits together comes usual, 51.3 % beyond one of them.",
            "Policies that bring all devices back: 3; left out for what the linter finds: 1;"
                + " because the first retry comes later than 10 s on average: 1.");
    assertThat(
            MissedLimits.of(
                task, List.of(slow), List.of(), new Trials(List.of(), List.of(), List.of())))
        .containsExactly(
            "Policies that bring all devices back: 1; left out for what the linter finds: 0;"
                + " because the first retry comes later than 10 s on average: 1.");
    assertThat(FirstRetry.named(slow).name()).isEqualTo("slow (first retry after 400 s)");
    assertThat(FirstRetry.named(usual)).isEqualTo(usual);
  }

  private static StrategyPolicy always(String delay) {
    return PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited", "hintCeiling": "1h",
             "backoff": {"type": "fixed", "delay": "%s", "jitter": "full"}}
            """
                .formatted(delay))
        .toStrategyPolicy();
  }

  @Test
  void refusesFleetsOfWhichItCannotSayWhenTheyNeverRecover() {
    FleetModel model = away(Duration.ofMinutes(1));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(model, new Hint.Slots(), Overactive.NONE, Minority.NONE))
        .withMessageStartingWith("hint is Slots[]: must be none");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                with(
                    model,
                    new Hint.None(),
                    new Overactive(0.01, Duration.ofSeconds(2)),
                    Minority.NONE))
        .withMessageStartingWith("overactive.share is 0.01: must be 0");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                with(
                    model,
                    new Hint.None(),
                    Overactive.NONE,
                    new Minority(0.1, Presets.policy("azure-iot"))))
        .withMessageStartingWith("minority.share is 0.1: must be 0");
  }

  private static Task with(FleetModel model, Hint hint, Overactive overactive, Minority minority) {
    return new Task(
        model.withHint(hint).withOveractive(overactive).withMinority(minority), Limits.NONE, 1);
  }
}
