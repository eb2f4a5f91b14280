package dev.reprise.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.lab.scenario.ScenarioException;
import dev.reprise.policy.document.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedFailuresTest {
  private static Failure.Interval interval(String from, String to, double probability) {
    return new Failure.Interval(Duration.parse(from), Duration.parse(to), probability);
  }

  private static List<Failure.Interval> read(String text) {
    return RecordedFailures.read(text).trace(null).intervals();
  }

  private static List<String> violations(String text) {
    LogException refused =
        catchThrowableOfType(LogException.class, () -> RecordedFailures.read(text));
    return refused.violations().stream().map(Violation::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "14:02,14:31",
        "14:02–14:31",
        "14:02 - 14:31",
        "14:02:00.000 — 14:31:00",
        "from,to\n14:02,14:31\n",
        "\uFEFFFrom,To\r\n14:02,14:31\r\n",
        "# down again\n\n\"14:02\", \"14:31\" ,1",
        "to,from\n14:31,14:02",
        "from,probability\n14:02–14:31,1",
        "2026-11-21T14:02:00Z,2026-11-21T15:31:00+01:00",
        "2026-11-21T14:02:00Z–2026-11-21T14:31:00Z",
        "0s,29m",
        "0s–PT29M",
      })
  void outageIsReadInManyForms(String text) {
    assertThat(read(text)).containsExactly(interval("PT0S", "PT29M", 1));
  }

  @Test
  void earliestTimeIsTheStartAndOffsetsAreKept() {
    assertThat(read("14:10,14:20\n14:00,14:05,0.5"))
        .containsExactly(interval("PT0S", "PT5M", 0.5), interval("PT10M", "PT20M", 1));
    assertThat(read("10m,20m")).containsExactly(interval("PT10M", "PT20M", 1));
  }

  @Test
  void ofOverlappingLinesTheHighestProbabilityHolds() {
    assertThat(read("0s,10s,0.5\n5s,20s,0.2\n7s,8s\n20s,30s,0.2\n0s,10s,0.5"))
        .containsExactly(
            interval("PT0S", "PT7S", 0.5),
            interval("PT7S", "PT8S", 1),
            interval("PT8S", "PT10S", 0.5),
            interval("PT10S", "PT30S", 0.2));
  }

  @Test
  void endpointsAreKeptApartAndShareOneStart() {
    RecordedFailures failures =
        RecordedFailures.read("14:00,14:01,,a\n14:05–14:06,0.5,b\n14:10,14:11,1,a");

    assertThat(failures.trace("a").intervals())
        .containsExactly(interval("PT0S", "PT1M", 1), interval("PT10M", "PT11M", 1));
    assertThat(failures.trace("b").intervals()).containsExactly(interval("PT5M", "PT6M", 0.5));
    assertThatThrownBy(() -> failures.trace(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("endpoint is missing: must be one of a, b");
    assertThatThrownBy(() -> failures.trace("c"))
        .hasMessage("endpoint is \"c\": must be one of a, b");
  }

  @Test
  void nothingWrittenDownIsNoFailure() {
    assertThat(read("")).isEmpty();
    assertThat(read("from,to,probability,endpoint\n# none this year\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "14:31,14:02|line 1, to is \"14:02\": must be after from, which is 14:31; past midnight,"
            + " give dates",
        "10s,10s|line 1, to is \"10s\": must be after from, which is 10s",
        "14:02|line 1, to is missing: must be a time such as 14:02, 2026-11-21T14:02:00Z or 90s",
        "14:60,15:00|line 1, from is \"14:60\": must be a time such as 14:02,"
            + " 2026-11-21T14:02:00Z or 90s",
        "14:00,24:01|line 1, to is \"24:01\": must be a time such as 14:02,"
            + " 2026-11-21T14:02:00Z or 90s",
        "2pm,3pm|line 1, from is \"2pm\": must be a time such as 14:02, 2026-11-21T14:02:00Z or"
            + " 90s",
        "14:00,15s|line 1, to is \"15s\": must be of the kind before it: a time of day",
        "14:00,15:00,2|line 1, probability is \"2\": must be a number between 0 and 1, or empty",
        "14:00,15:00,NaN|line 1, probability is \"NaN\": must be a number between 0 and 1, or"
            + " empty",
        "14:00,15:00,hub|line 1, probability is \"hub\": must be a number between 0 and 1, or"
            + " empty",
        "14:00,15:00,1,hub,x|line 1, column 5 is \"x\": must not be there: the columns are from,"
            + " to, probability, endpoint",
        "14:00–15:00,1,a,b|line 1, endpoint is \"b\": must not be there: a range fills from and"
            + " to",
        "14:00,\"15:00|line 1, column 2 is \"15:00\": must end with a quote",
        "1970-01-01T00:00:00Z,2026-01-01T00:00:00Z|line 1, to is \"2026-01-01T00:00:00Z\": must be"
            + " at most 365 days after the start",
        "2026-11-21T14:00,2026-11-21T15:00|line 1, from is \"2026-11-21T14:00\": must be a time"
            + " such as 14:02, 2026-11-21T14:02:00Z or 90s",
        "P-1D,1s|line 1, from is \"P-1D\": must be a time such as 14:02, 2026-11-21T14:02:00Z or"
            + " 90s",
      })
  void mistakeIsNamedByLineColumnValueAndRule(String text, String violation) {
    assertThat(violations(text)).contains(violation);
  }

  @Test
  void allMistakesAreNamedAtOnce() {
    assertThat(violations("from,to,when\n14:00,15:00\n15:00,14:00\nx,y"))
        .containsExactly(
            "line 1, column 3 is \"when\": must be one of from, to, probability, endpoint, each"
                + " once",
            "line 3, to is \"14:00\": must be after from, which is 15:00; past midnight, give"
                + " dates",
            "line 4, from is \"x\": must be a time such as 14:02, 2026-11-21T14:02:00Z or 90s",
            "line 4, to is \"y\": must be a time such as 14:02, 2026-11-21T14:02:00Z or 90s");
  }

  @Test
  void scenarioTakesItsTraceFromAFileBesideIt(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("failures.csv"), "14:02–14:31\n");
    String scenario =
        """
        {"name": "a", "policies": {"p": "azure-iot"}, "fleet": {"devices": 1, "quota": "1/s",
         "failures": [{"type": "trace", "file": "%s"}]}}
        """;

    FleetModel fleet =
        (FleetModel)
            ScenarioDocuments.read(
                    scenario.formatted("failures.csv"), RecordedFailures.in(directory))
                .model();

    assertThat(fleet.failures())
        .containsExactly(new Failure.Trace(List.of(interval("PT0S", "PT29M", 1))));
    assertThatThrownBy(
            () ->
                ScenarioDocuments.read(
                    scenario.formatted("none.csv"), RecordedFailures.in(directory)))
        .isInstanceOf(ScenarioException.class)
        .hasMessage("fleet.failures[0].file is \"none.csv\": no such file beside the scenario");
  }
}
