package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.Model;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindingsTest {
  private static final double NEVER = Double.POSITIVE_INFINITY;

  @Test
  void aFleetIsToldByItsFloorItsFirstAndThoseThatNeverCome() {
    assertThat(
            findings(
                MadeUp.fleet(),
                drains("slow", 400, 404),
                drains("fast", 150, 152),
                drains("dead", 170, NEVER)))
        .containsExactly(
            "No policy can have 100,000 devices back sooner than 100\u00a0s after recovery: the"
                + " service accepts 1,000 a second.",
            "\u201cfast\u201d is the first that has all devices back: 151\u00a0s after recovery;"
                + " then \u201cslow\u201d after 402\u00a0s.",
            "\u201cdead\u201d never has all devices back: when the run ends, after 4 h,"
                + " 40\u00a0% of them are still away.");
  }

  @Test
  void devicesThatGaveUpAreNotSaidToBeAway() {
    assertThat(findings(MadeUp.fleet(), lost(0.201, 79_900)))
        .contains("\u201ca\u201d never has all devices back: 79.9\u00a0% of them give up.")
        .noneMatch(finding -> finding.contains("away") || finding.contains("strands"));
    assertThat(findings(MadeUp.fleet(), lost(0.2, 70_000)))
        .contains(
            "\u201ca\u201d never has all devices back: 70\u00a0% of them give up, and when the run"
                + " ends, after 4 h, 10\u00a0% of them are still away.");
  }

  private static PolicyResult lost(double success, double stranded) {
    return of(
        "a", Map.of(Figure.DRAIN_LAST, NEVER, Figure.SUCCESS, success, Figure.STRANDED, stranded));
  }

  @Test
  void whatIsWithinChanceIsADraw() {
    assertThat(findings(MadeUp.fleet(), drains("a", 150, 160), drains("b", 161, 150)))
        .contains(
            "Between \u201ca\u201d and \u201cb\u201d it is a draw: the difference is within"
                + " chance.");
    assertThat(findings(MadeUp.fleet(), drains("a", 150, 160), drains("b", 151, 161)))
        .noneMatch(finding -> finding.contains("draw"));
    assertThat(findings(MadeUp.fleet(), drains("a", 150), drains("b", 151)))
        .noneMatch(finding -> finding.contains("draw"));
  }

  @Test
  void onePolicyIsComparedWithNone() {
    assertThat(findings(MadeUp.fleet(), drains("a", 150)))
        .contains("The last device is back 150\u00a0s after recovery.");
    assertThat(
            findings(
                MadeUp.fleet(), of("a", Map.of(Figure.PEAK_RATIO, 6.5, Figure.STRANDED, 12.0))))
        .contains(
            "The highest load after recovery is 6.5\u00a0× capacity.",
            "\u201ca\u201d strands 12 devices: they give up for good.");
  }

  @Test
  void figuresAreListedFromTheBestToTheWorst() {
    assertThat(
            findings(
                MadeUp.ramp(),
                of("b", Map.of(Figure.SUCCESS, 0.5, Figure.HYSTERESIS, 30.0)),
                of("a", Map.of(Figure.SUCCESS, 0.999, Figure.HYSTERESIS, 0.0)),
                of("c", Map.of(Figure.SUCCESS, 0.4, Figure.HYSTERESIS, NEVER))))
        .containsExactly(
            "Of all calls, 99.9\u00a0% end well with \u201ca\u201d, 50\u00a0% with \u201cb\u201d"
                + " and 40\u00a0% with \u201cc\u201d.",
            "\u201cb\u201d comes back from its collapse only when the load is 30/s below the one"
                + " at which it collapsed.",
            "\u201cc\u201d does not come back from its collapse.");
  }

  @Test
  void tooManyPoliciesAreToldByTheBestAndTheWorst() {
    PolicyResult[] results = new PolicyResult[7];
    for (int i = 0; i < results.length; i++) {
      results[i] = of("p" + i, Map.of(Figure.DRAIN_LAST, 100.0 + i, Figure.PEAK_RATIO, 10.0 - i));
    }
    assertThat(findings(MadeUp.fleet(), results))
        .anyMatch(finding -> finding.contains("3 more follow, the last of them \u201cp6\u201d"))
        .contains(
            "The highest load after recovery is 4\u00a0× capacity with \u201cp6\u201d and"
                + " 10\u00a0× with \u201cp0\u201d.");
  }

  @Test
  void whatIsAlikeIsSaidOnceAndNothingIsNoFinding() {
    assertThat(
            findings(
                MadeUp.ramp(),
                of("a", Map.of(Figure.ATTEMPTS, 1.5, Figure.WASTED_WORK, 0.0)),
                of("b", Map.of(Figure.ATTEMPTS, 1.5, Figure.WASTED_WORK, 0.0))))
        .containsExactly("A call takes 1.5 attempts on average with every policy.");
  }

  @Test
  void workThatHelpsNobodyIsToldOfFleetsAndOfCalls() {
    for (Model model : List.of(MadeUp.fleet(), MadeUp.ramp())) {
      assertThat(findings(model, of("a", Map.of(Figure.WASTED_WORK, 0.25))))
          .endsWith("Of the service's work, 25\u00a0% helps nobody.");
    }
  }

  @Test
  void oneAttemptIsNotMany() {
    assertThat(
            findings(
                MadeUp.ramp(),
                of("a", Map.of(Figure.ATTEMPTS, 1.0)),
                of("b", Map.of(Figure.ATTEMPTS, 2.5))))
        .containsExactly(
            "A call takes 1 attempt on average with \u201ca\u201d and 2.5 with \u201cb\u201d.");
  }

  @Test
  void callsAfterAWarmUpAreToldAsSuchAndAFewFailuresAreSeen() {
    assertThat(
            findings(
                MadeUp.ramp(Duration.ofSeconds(40)),
                of("a", Map.of(Figure.SUCCESS, 0.99999, Figure.LATENCY_P99, 0.137))))
        .containsExactly(
            "Of the calls from 40\u00a0s on, 99.999\u00a0% end well.",
            "99\u00a0% of the calls from 40\u00a0s on end within 137\u00a0ms.");
  }

  @Test
  void contentionHasClientsThatGetDone() {
    ContentionModel model = new ContentionModel(100, Duration.ofMillis(10), Duration.ofMillis(2));
    assertThat(
            findings(
                model,
                of("a", Map.of(Figure.DRAIN_LAST, 2.0, Figure.ATTEMPTS, 6.0)),
                of("b", Map.of(Figure.DRAIN_LAST, 63.8, Figure.ATTEMPTS, 18.6))))
        .containsExactly(
            "All 100 clients are done after 2\u00a0s with \u201ca\u201d and 63.8\u00a0s with"
                + " \u201cb\u201d.",
            "A client makes 6 attempts on average with \u201ca\u201d and 18.6 with"
                + " \u201cb\u201d.");
  }

  @Test
  void whatStaysDownUntilTheRampEndsHasAWidthOfAtLeast() {
    PolicyResult down = MadeUp.rampResultThatStaysDown("down");
    PolicyResult back = MadeUp.rampResult("back", true);

    assertThat(findings(MadeUp.ramp(), down, back))
        .contains(
            "\u201cdown\u201d does not come back within the ramp; the width is at least 70/s.",
            "\u201cback\u201d comes back from its collapse only when the load is 45/s below the"
                + " one at which it collapsed.");
    assertThat(Outcome.all(MadeUp.ramp(), List.of(back, down)).get(1).differences())
        .doesNotContainKey(Figure.HYSTERESIS);
  }

  @Test
  void aSweepIsToldFirstAndTheRestIsLabelled() {
    Report report = MadeUp.fleetReport();
    List<String> findings = report.findings();

    assertThat(findings.get(0))
        .isEqualTo(
            "As quota.perSecond goes from 500/s to 4,000/s, drainLast changes (from recovery until"
                + " the last device is back):");
    assertThat(findings.get(1))
        .startsWith("With \u201cfull jitter\u201d it is ")
        .contains(" at 500/s and ")
        .contains(" at 4,000/s");
    assertThat(findings.subList(1, 4)).allMatch(finding -> finding.contains("best"));
    assertThat(findings.get(4)).contains(" 4,000/s, peakRatio changes (");
    assertThat(findings.subList(8, findings.size()))
        .isNotEmpty()
        .allMatch(finding -> finding.startsWith("As the scenario is written: "));
  }

  private static List<String> findings(Model model, PolicyResult... results) {
    return Findings.of(model, Outcome.all(model, List.of(results)));
  }

  private static PolicyResult drains(String name, double... seconds) {
    List<RunRecord> runs = new ArrayList<>();
    for (int i = 0; i < seconds.length; i++) {
      double success = Double.isInfinite(seconds[i]) ? 0.2 : 1;
      runs.add(run(i, Map.of(Figure.DRAIN_LAST, seconds[i], Figure.SUCCESS, success)));
    }
    return new PolicyResult(name, Presets.policy("no-retry"), runs);
  }

  private static PolicyResult of(String name, Map<Figure, Double> figures) {
    return new PolicyResult(name, Presets.policy("no-retry"), List.of(run(1, figures)));
  }

  private static RunRecord run(long seed, Map<Figure, Double> figures) {
    return new RunRecord(seed, figures, List.of(), List.of(), 0);
  }
}
