package dev.reprise.cli.lab;

import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.report.Note;
import dev.reprise.lab.report.Report;
import dev.reprise.lab.report.SweepResult;
import dev.reprise.lab.report.TerminalChart;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Scenario;
import java.util.List;

/**
 * Prints the results of a scenario on a terminal: the situation, the figures, sentences, charts.
 */
final class LabSummary {
  private final Terminal terminal;
  private final Report report;

  LabSummary(Terminal terminal, Report report) {
    this.terminal = terminal;
    this.report = report;
  }

  void print() {
    Scenario scenario = report.scenario();
    terminal.line(
        terminal.styled(HarmlessText.visible(scenario.name()), Style.BOLD)
            + ": "
            + Words.count(report.results().size(), "policy")
            + ", "
            + Words.count(scenario.runs(), "run")
            + " each from seed "
            + scenario.seed());
    if (!scenario.description().isEmpty()) {
      paragraph(scenario.description());
    }
    terminal.line("");
    SweepResult sweep = report.sweep();
    Table table =
        sweep == null ? LabTable.of(terminal, report.results()) : LabTable.of(terminal, sweep);
    table.print(terminal, "  ");
    terminal.line("");
    report.findings().forEach(sentence -> paragraph(plain(sentence)));
    notes();
    if (sweep == null) {
      charts();
    }
  }

  private void paragraph(String text) {
    terminal.paragraph(text, "  ");
  }

  /** Sentences are written for paper; a terminal may not know their signs. */
  private String plain(String sentence) {
    String spaced = sentence.replace('\u00a0', ' ');
    return terminal.unicode()
        ? spaced
        : spaced
            .replace('\u201c', '"')
            .replace('\u201d', '"')
            .replace('\u00d7', 'x')
            .replace('\u2212', '-');
  }

  private void notes() {
    for (Note note : report.notes()) {
      terminal.line("");
      paragraph("! " + note.about() + ": " + note.text());
    }
  }

  private void charts() {
    // Charts are for people; programs read the JSON.
    if (!terminal.unicode() || !terminal.interactiveOut()) {
      return;
    }
    Model model = report.scenario().model();
    for (List<String> chart :
        List.of(
            TerminalChart.arrivals(model, report.results(), terminal.width() - 2),
            TerminalChart.connected(model, report.results(), terminal.width() - 2))) {
      if (!chart.isEmpty()) {
        terminal.line("");
        chart.forEach(line -> terminal.line("  " + line));
      }
    }
  }
}
