package dev.reprise.lab.report;

import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.policy.Policy;
import java.util.List;

/** Puts the page together. */
final class HtmlPage {
  private final Report report;
  private final List<Outcome> outcomes;
  private final Plots plots = new Plots();

  HtmlPage(Report report) {
    this.report = report;
    this.outcomes = report.outcomes();
  }

  String html() {
    Scenario scenario = report.scenario();
    Markup page = new Markup().raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
    page.raw("<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=\"generator\" content=\"Reprise Lab\">\n");
    page.element("title", scenario.name()).line();
    String style = "\n" + Palette.css() + Resources.text("report.css");
    String drawing = Resources.text("axes.js") + Resources.text("report.js");
    List<String> scripts = List.of("\n" + ChartJs.script(), "\n" + drawing);
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"");
    page.raw(ContentPolicy.of(style, scripts)).raw("\">\n");
    page.raw("<style>").raw(style).raw("</style>\n");
    page.raw("</head>\n<body>\n<main>\n");
    header(page, scenario);
    String tables = "The plots are drawn by a script, which does not run; the tables are complete.";
    page.open("noscript").element("p", tables, "class", "lead").close("noscript").line();
    Wording wording = Wording.of(scenario.model());
    findings(page, "findings", "What came out", leading());
    SweepResult sweep = report.sweep();
    if (sweep != null) {
      page.raw(new SweepCharts(plots, wording, sweep).charts());
      List<String> asWritten = Findings.of(scenario.model(), outcomes);
      findings(page, "written", Report.AS_WRITTEN, asWritten);
    }
    notes(page);
    page.raw(new FigureCharts(plots, wording, outcomes).dots());
    TimeCharts time = new TimeCharts(plots, scenario.model(), outcomes);
    page.raw(time.connected()).raw(time.arrivals()).raw(time.queue());
    page.raw(new LoopCharts(plots, scenario.model(), outcomes).loops());
    page.raw(new TradeOffChart(plots, outcomes).html());
    SpreadCharts spread = new SpreadCharts(plots, scenario.model(), outcomes);
    page.raw(spread.attempts()).raw(spread.delays());
    if (!(scenario.model() instanceof FleetModel)) {
      // Devices that never come back are in no distribution.
      page.raw(spread.waits());
    }
    page.raw(new FigureTables(wording, outcomes).html());
    policies(page);
    page.raw("</main>\n<script type=\"application/json\" id=\"plots\">").raw(plots.json());
    page.raw("</script>\n");
    scripts.forEach(script -> page.raw("<script>").raw(script).raw("</script>\n"));
    return page.raw("</body>\n</html>\n").toString();
  }

  private void header(Markup page, Scenario scenario) {
    page.open("header").line();
    page.element("h1", scenario.name()).line();
    if (!scenario.description().isBlank()) {
      page.element("p", scenario.description(), "class", "description").line();
    }
    page.open("dl", "class", "facts").line();
    ModelFacts.of(scenario.model()).forEach((name, value) -> fact(page, name, value));
    int runs = outcomes.get(0).result().runs().size();
    fact(page, "runs of each policy", Numbers.shown(runs));
    fact(page, "first seed", String.valueOf(scenario.seed()));
    page.close("dl").line().close("header").line();
  }

  private static void fact(Markup page, String name, String value) {
    page.open("div").element("dt", name).element("dd", value).close("div").line();
  }

  /** Returns the first list: the findings of the sweep if there is one. */
  private List<String> leading() {
    return report.sweep() == null ? report.findings() : report.sweepFindings();
  }

  private static void findings(Markup page, String id, String title, List<String> findings) {
    if (findings.isEmpty()) {
      return;
    }
    page.open("section", "id", id, "class", "said").line().element("h2", title).line();
    if (id.equals("written")) {
      String rest =
          "All that follows is of the scenario as its document has it, without the sweep.";
      page.element("p", rest, "class", "lead").line();
    }
    page.open("ul").line();
    findings.forEach(finding -> page.element("li", finding).line());
    page.close("ul").close("section").line();
  }

  private void notes(Markup page) {
    if (report.notes().isEmpty()) {
      return;
    }
    page.open("section", "id", "notes").line().element("h2", "Notes").line();
    page.open("ul").line();
    for (Note note : report.notes()) {
      page.open("li");
      if (!note.about().isEmpty()) {
        page.element("b", note.about()).text(": ");
      }
      page.text(note.text());
      if (!note.proof().isEmpty()) {
        page.element("small", note.proof());
      }
      page.close("li").line();
    }
    page.close("ul").close("section").line();
  }

  private void policies(Markup page) {
    page.open("section", "id", "policies").line().element("h2", "Policies").line();
    page.element("p", "What was run, as documents that can be shipped.", "class", "lead").line();
    page.open("div", "class", "panels two").line();
    for (Outcome outcome : outcomes) {
      Policy policy = outcome.result().policy();
      page.open("details", "class", Palette.ofPolicy(outcome.index())).open("summary");
      page.element("i", "", "class", "chip").text(outcome.name()).close("summary");
      page.element("pre", JsonText.pretty(ScenarioDocuments.writePolicy(policy)))
          .close("details")
          .line();
    }
    page.close("div").close("section").line();
    page.open("footer").line();
    String seeds = "The same scenario with the same seeds gives this page again, to the last byte.";
    page.element("p", seeds).close("footer").line();
  }
}
