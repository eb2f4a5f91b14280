package dev.reprise.lab.report;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.scenario.Scenario;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The results of a scenario in words, charts and numbers. The same input gives the same texts on
 * every platform: nothing in them depends on the clock, the locale or the machine. Immutable and
 * thread-safe.
 *
 * @param scenario what was run
 * @param results one for each policy, in the order of the scenario, at least one; differences are
 *     to the first
 * @param notes what else there is to say, such as findings of the linter; may be empty
 * @param sweep what the policies did as a value of the scenario changed, or null
 */
public record Report(
    Scenario scenario, List<PolicyResult> results, List<Note> notes, @Nullable SweepResult sweep) {
  /** The names of the files that {@link #writeTo} writes. */
  public static final List<String> FILES =
      List.of("report.html", "report.json", "figures.csv", "series.csv");

  /** Returns the findings of the scenario without its sweep. */
  static final String AS_WRITTEN = "As the scenario is written";

  /** Copies the lists and checks that there is a result. */
  public Report {
    Objects.requireNonNull(scenario, "scenario");
    results = List.copyOf(results);
    notes = List.copyOf(notes);
    if (results.isEmpty()) {
      throw new InvalidSettingException("results", "empty", "must have at least one");
    }
  }

  /**
   * Returns the findings, in a few plain sentences that are made from the figures. Those on a sweep
   * come first; those on the scenario without it then say that they are.
   */
  public List<String> findings() {
    List<String> findings = new ArrayList<>(sweepFindings());
    for (String finding : Findings.of(scenario.model(), outcomes())) {
      findings.add(sweep == null ? finding : AS_WRITTEN + ": " + finding);
    }
    return List.copyOf(findings);
  }

  List<String> sweepFindings() {
    return sweep == null ? List.of() : SweepFindings.of(scenario.model(), sweep);
  }

  List<Outcome> outcomes() {
    return Outcome.all(scenario.model(), results);
  }

  /**
   * Returns one HTML page that needs nothing beside itself: no network, no font, no file. Chart.js,
   * which draws its plots, is in it, and no other script can run in it. It follows the reader's
   * theme, and prints. A line of a plot has at most 2,000 values, so that ten policies stay below 1
   * MB.
   */
  public String html() {
    return new HtmlPage(this).html();
  }

  /**
   * Returns everything as JSON, as {@link #schema()} describes it. The scenario in it is its
   * document, which can be cut out and run again.
   */
  public String json() {
    return JsonText.of(this);
  }

  /**
   * Returns one row for each policy and figure: {@code
   * policy,figure,unit,mean,lowest,highest,runs,difference,differenceLowest,differenceHighest}. The
   * last three are to the first policy and empty for itself. An infinite value is {@code never}; a
   * difference to it, {@code -never}. A figure of which only a lower bound is known has it as mean
   * and {@code never} as highest.
   */
  public String figuresCsv() {
    return CsvText.figures(outcomes());
  }

  /**
   * Returns one row for each policy and moment, in seconds from the start of the run to the
   * beginning of a bin, with one column for each series, averaged over the runs. Where bins of
   * series differ in width, a row has the values of those that begin with it.
   */
  public String seriesCsv() {
    return CsvText.series(outcomes());
  }

  /** Returns the JSON Schema (2020-12) of {@link #json()}. */
  public static String schema() {
    return Resources.text("/dev/reprise/lab/report.schema.json");
  }

  /**
   * Writes {@link #FILES}, in UTF-8.
   *
   * @param folder is made when it is not there; files of these names are overwritten
   */
  public void writeTo(Path folder) throws IOException {
    Files.createDirectories(folder);
    List<String> texts = List.of(html(), json(), figuresCsv(), seriesCsv());
    for (int i = 0; i < FILES.size(); i++) {
      // Unlike writeString, this does not refuse the halves of characters in a name.
      Files.write(folder.resolve(FILES.get(i)), texts.get(i).getBytes(StandardCharsets.UTF_8));
    }
  }
}
