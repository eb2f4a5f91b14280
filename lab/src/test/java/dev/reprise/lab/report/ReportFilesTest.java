package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportFilesTest {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(Report.schema(), InputFormat.JSON);
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final double NEVER = Double.POSITIVE_INFINITY;

  @Test
  void theJsonIsWhatItsSchemaSays() {
    assertThat(SCHEMA.validate(MadeUp.fleetReport().json(), InputFormat.JSON)).isEmpty();
    assertThat(SCHEMA.validate(MadeUp.rampReport().json(), InputFormat.JSON)).isEmpty();
    assertThat(SCHEMA.validate(twoResults().json(), InputFormat.JSON)).isEmpty();
  }

  @Test
  void theSchemaRefusesWhatNoReportSays() {
    String json = twoResults().json();

    assertThat(refused(json.replace("\"never\"", "\"Infinity\""))).isTrue();
    assertThat(refused(json.replace("\"lowest\"", "\"low\""))).isTrue();
    assertThat(refused(json.replace("reprise-lab-report", "other"))).isTrue();
    assertThat(refused(json.replace("\"fleet\" :", "\"flood\" :"))).isTrue();
  }

  private static boolean refused(String json) {
    return !SCHEMA.validate(json, InputFormat.JSON).isEmpty();
  }

  @Test
  void whatWasNeverReachedIsNeverInJsonAndCsv() {
    Report report = twoResults();
    JsonNode policies = MAPPER.readTree(report.json()).get("policies");

    assertThat(policies.get(0).at("/figures/drainLast/mean").stringValue()).isEqualTo("never");
    assertThat(policies.get(1).at("/figures/drainLast/mean").doubleValue()).isEqualTo(12.5);
    assertThat(policies.get(1).at("/differences/drainLast/mean").stringValue()).isEqualTo("-never");
    assertThat(policies.get(0).has("differences")).isFalse();
    assertThat(policies.get(0).at("/runs/0/figures/drainLast").stringValue()).isEqualTo("never");
    assertThat(report.figuresCsv().lines())
        .containsExactly(
            "policy,figure,unit,mean,lowest,highest,runs,"
                + "difference,differenceLowest,differenceHighest",
            "a,drainLast,s,never,never,never,1,,,",
            "b,drainLast,s,12.5,12.5,12.5,1,-never,-never,-never");
  }

  @Test
  void theScenarioCanBeCutOutOfTheJsonAndRunAgain() {
    for (Model model : List.of(MadeUp.fleet(), MadeUp.ramp())) {
      Scenario scenario = MadeUp.scenario("cut-out", "of a report", model, List.of("a"));
      Report report = new Report(scenario, List.of(MadeUp.fleetResult("a", 2, 1)), List.of(), null);

      JsonNode cut = MAPPER.readTree(report.json()).get("scenario");

      assertThat(ScenarioDocuments.read(cut.toString())).isEqualTo(scenario);
    }
  }

  @Test
  void aNameThatNoDocumentCanHoldDoesNotSpoilTheReport() {
    JsonNode cut = MAPPER.readTree(MadeUp.rampReport().json()).get("scenario");

    assertThat(cut.at("/calls/clients/count").intValue()).isEqualTo(100);
    assertThatThrownBy(() -> ScenarioDocuments.read(cut.toString()))
        .hasMessageContaining("name is \"Ramp up and down\"");
  }

  @Test
  void aPolicyThatNoDocumentCanHoldDoesNotSpoilTheReport() {
    HealthyRetryPolicy preset = Presets.get("notification-queue");
    Policy beyond =
        new NotificationPolicy(
            new HealthyRetryPolicy(
                preset.numRetries() + 1,
                preset.numNoDelayRetries(),
                preset.minDelayTarget(),
                preset.maxDelayTarget(),
                preset.numMinDelayRetries(),
                preset.numMaxDelayRetries(),
                preset.backoffFunction()),
            null,
            false);
    Scenario scenario = new Scenario("beyond", "", MadeUp.fleet(), Map.of("beyond", beyond), 1, 1);
    RunRecord run = new RunRecord(1, Map.of(), List.of(), List.of(), 0);
    Report report =
        new Report(
            scenario, List.of(new PolicyResult("beyond", beyond, List.of(run))), List.of(), null);

    JsonNode cut = MAPPER.readTree(report.json()).get("scenario");

    assertThatThrownBy(() -> PolicyDocuments.write(beyond)).isNotNull();
    assertThat(ScenarioDocuments.read(cut.toString()).policies())
        .containsExactly(Map.entry("beyond", beyond.toStrategyPolicy()));
    assertThat(report.html()).contains("maxAttempts");
  }

  @Test
  void longSeriesAreAveragedInJsonAndWholeInCsv() {
    double[] values = new double[4_001];
    java.util.Arrays.setAll(values, i -> i % 2);
    Report report = ofSeries(new Series(Series.ARRIVALS, "/s", 0.5, values));

    JsonNode series = MAPPER.readTree(report.json()).at("/policies/0/series/0");
    assertThat(series.get("binSeconds").doubleValue()).isEqualTo(1.5);
    assertThat(series.get("values").size()).isEqualTo(1_334);
    assertThat(report.seriesCsv().lines()).hasSize(4_002);
    assertThat(report.seriesCsv()).contains("\na,0.5,1\n", "\na,2000,0\n");
  }

  @Test
  void seriesWithOtherBinsStandInTheRowsThatTheyBeginWith() {
    Report report =
        ofSeries(
            new Series(Series.ARRIVALS, "/s", 0.1, new double[] {1, 2, 3, Double.NaN}),
            new Series(Series.CONNECTED, "", 0.3, new double[] {5, 6}));

    assertThat(report.seriesCsv().lines())
        .containsExactly(
            "policy,seconds,arrivals,connected", "a,0,1,5", "a,0.1,2,", "a,0.2,3,", "a,0.3,,6");
  }

  @Test
  void namesAreQuotedAndNeverFormulas() {
    assertThat(CsvText.cell("plain")).isEqualTo("plain");
    assertThat(CsvText.cell("a, \"b\"\nc")).isEqualTo("\"a, \"\"b\"\"\nc\"");
    assertThat(CsvText.cell("=HYPERLINK(\"x\")")).isEqualTo("\"'=HYPERLINK(\"\"x\"\")\"");
    assertThat(CsvText.cell("-1+2")).isEqualTo("'-1+2");
  }

  @Test
  void allFilesAreWrittenWhateverTheNames(@TempDir Path folder) throws Exception {
    Report report =
        new Report(
            MadeUp.scenario("\uD83D", "", MadeUp.fleet(), List.of("\uD83D")),
            List.of(MadeUp.fleetResult("\uD83D", 2, 1)),
            List.of(),
            null);

    report.writeTo(folder.resolve("new/folder"));

    for (String file : Report.FILES) {
      assertThat(Files.readString(folder.resolve("new/folder").resolve(file)))
          .isNotEmpty()
          .doesNotContain("\r");
    }
  }

  @Test
  void aReportNeedsAResultAndASweepRisingValues() {
    assertThatThrownBy(
            () ->
                new Report(
                    MadeUp.scenario("x", "", MadeUp.fleet(), List.of("a")),
                    List.of(),
                    List.of(),
                    null))
        .hasMessage("results is empty: must have at least one");
    SweepResult.Point point = new SweepResult.Point(1, List.of());
    assertThatThrownBy(() -> new SweepResult("p", "", List.of(point)))
        .hasMessage("points has 1: must have at least 2");
    assertThatThrownBy(() -> new SweepResult("p", "", List.of(point, point)))
        .hasMessage("points[1] is 1.0: must be above the one before it");
  }

  private static Report ofSeries(Series... series) {
    RunRecord run = new RunRecord(1, Map.of(), List.of(series), List.of(), 0);
    return new Report(
        MadeUp.scenario("x", "", MadeUp.fleet(), List.of("a")),
        List.of(new PolicyResult("a", Presets.policy("no-retry"), List.of(run))),
        List.of(),
        null);
  }

  private static Report twoResults() {
    return new Report(
        MadeUp.scenario("x", "", MadeUp.fleet(), List.of("a", "b")),
        List.of(drain("a", NEVER), drain("b", 12.5)),
        List.of(),
        null);
  }

  private static PolicyResult drain(String name, double seconds) {
    return new PolicyResult(
        name,
        Presets.policy("no-retry"),
        List.of(new RunRecord(1, Map.of(Figure.DRAIN_LAST, seconds), List.of(), List.of(), 1)));
  }
}
