package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.policy.Presets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a report claims of policies that gave up, of chance, and of rounding. */
class ReportClaimsTest {
  private static final double NEVER = Double.POSITIVE_INFINITY;

  private static PolicyResult of(String name, List<Map<Figure, Double>> runs, Series... series) {
    List<RunRecord> records = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      records.add(new RunRecord(i, runs.get(i), List.of(series), List.of(), 1));
    }
    return new PolicyResult(name, Presets.policy("no-retry"), records);
  }

  private static Series series(int seconds) {
    return new Series(Series.ARRIVALS, "/s", 1, new double[seconds]);
  }

  @Test
  void whoGaveDevicesUpIsTheBestInNothing() {
    List<Outcome> outcomes =
        Outcome.all(
            List.of(
                of("lost", List.of(Map.of(Figure.PEAK_RATIO, 0.0, Figure.STRANDED, 2e4))),
                of("kept", List.of(Map.of(Figure.PEAK_RATIO, 3.0, Figure.STRANDED, 0.0))),
                of("slow", List.of(Map.of(Figure.PEAK_RATIO, 4.0, Figure.STRANDED, 0.0)))));

    assertThat(Outcome.clearlyBest(Figure.PEAK_RATIO, outcomes)).hasValue(3);
    assertThat(Outcome.clearlyBest(Figure.STRANDED, outcomes)).isEmpty();
  }

  @Test
  void aMeanWithinChanceOfAnotherIsNotTheBest() {
    List<Outcome> outcomes =
        Outcome.all(
            List.of(
                of(
                    "a",
                    List.of(Map.of(Figure.WASTED_WORK, 0.01), Map.of(Figure.WASTED_WORK, 0.07))),
                of(
                    "b",
                    List.of(Map.of(Figure.WASTED_WORK, 0.05), Map.of(Figure.WASTED_WORK, 0.06)))));

    assertThat(Outcome.best(Figure.WASTED_WORK, outcomes)).isPresent();
    assertThat(Outcome.clearlyBest(Figure.WASTED_WORK, outcomes)).isEmpty();
  }

  @Test
  void sumsInAnotherOrderAreNoScatter() {
    Estimate estimate = Estimate.of(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6);
    assertThat(estimate.hasInterval()).isFalse();
    PolicyResult one =
        of("a", List.of(Map.of(Figure.ATTEMPTS, 1 / 3.0), Map.of(Figure.ATTEMPTS, 2.0)));
    PolicyResult other =
        of("b", List.of(Map.of(Figure.ATTEMPTS, 1 / 3.0 + 1e-16), Map.of(Figure.ATTEMPTS, 2.0)));
    assertThat(one.differencesTo(other).get(Figure.ATTEMPTS)).isEqualTo(Estimate.of(0, 0));
  }

  @Test
  void whoGivesUpIsToldOnce() {
    List<String> findings =
        Findings.of(
            MadeUp.fleet(),
            Outcome.all(
                List.of(
                    of(
                        "a",
                        List.of(
                            Map.of(
                                Figure.DRAIN_LAST,
                                NEVER,
                                Figure.SUCCESS,
                                0.0,
                                Figure.STRANDED,
                                (double) MadeUp.DEVICES))))));

    assertThat(findings)
        .contains("\u201ca\u201d never has all devices back: 100\u00a0% of them give up.")
        .noneMatch(finding -> finding.contains("strands"));
  }

  @Test
  void recoveryIsSeenWhereNobodyComesBack() {
    Map<Figure, Double> never = Map.of(Figure.DRAIN_LAST, NEVER);
    TimeFrame gaveUp =
        TimeFrame.of(MadeUp.fleet(), Outcome.all(List.of(of("a", List.of(never), series(40)))));
    assertThat(gaveUp.shownSeconds()).isGreaterThan(1.15 * gaveUp.recoverySeconds());

    TimeFrame someGoOn =
        TimeFrame.of(
            MadeUp.fleet(),
            Outcome.all(
                List.of(
                    of("a", List.of(never), series(60)), of("b", List.of(never), series(14_400)))));
    assertThat(someGoOn.shownSeconds()).isGreaterThan(1.9 * someGoOn.recoverySeconds());
  }

  @Test
  void eachTableIsARegionWithANameOfItsOwn() {
    List<PolicyResult> many =
        IntStream.range(0, 7).mapToObj(i -> MadeUp.fleetResult("p" + i, 2 + i, 2)).toList();
    String html = new FigureTables(Wording.of(MadeUp.fleet()), Outcome.all(many)).html();

    assertThat(html)
        .contains("aria-label=\"Figures of p0 to p4\"")
        .contains("aria-label=\"Figures of p5 to p6\"")
        .contains("aria-label=\"Differences of p1 to p5\"")
        .contains("aria-label=\"Differences of p6\"");
  }
}
