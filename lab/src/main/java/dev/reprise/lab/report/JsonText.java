package dev.reprise.lab.report;

import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.ScenarioDocuments;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes a report as JSON. An infinite value is the text {@code never}: JSON has no infinity. */
final class JsonText {
  /** Bins that a series has at most: longer ones are averaged into wider bins. */
  private static final int BINS = 2000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

  private JsonText() {}

  static String of(Report report) {
    List<Outcome> outcomes = report.outcomes();
    ObjectNode root = JSON.objectNode();
    root.put("format", "reprise-lab-report");
    root.put("version", 1);
    root.set("scenario", ScenarioDocuments.describe(report.scenario()));
    ArrayNode findings = root.putArray("findings");
    report.findings().forEach(findings::add);
    ArrayNode notes = root.putArray("notes");
    for (Note note : report.notes()) {
      notes
          .addObject()
          .put("about", note.about())
          .put("text", note.text())
          .put("proof", note.proof());
    }
    root.set("figures", figures(outcomes));
    ArrayNode policies = root.putArray("policies");
    outcomes.forEach(outcome -> policies.add(policy(outcome)));
    if (report.sweep() != null) {
      root.set("sweep", sweep(report.sweep()));
    }
    return pretty(root) + "\n";
  }

  static String pretty(JsonNode node) {
    // The platform's line ends would make the text another one on each.
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n"));
    return MAPPER.writer().with(printer).writeValueAsString(node);
  }

  /** Returns the meanings of the figures that occur, in the order of {@link Figure}. */
  private static ArrayNode figures(List<Outcome> outcomes) {
    TreeSet<Figure> occurring = new TreeSet<>();
    outcomes.forEach(outcome -> occurring.addAll(outcome.estimates().keySet()));
    ArrayNode figures = JSON.arrayNode();
    for (Figure figure : occurring) {
      figures
          .addObject()
          .put("key", figure.key())
          .put("unit", figure.unit())
          .put("better", figure.better().name().toLowerCase(Locale.ROOT))
          .put("meaning", figure.meaning());
    }
    return figures;
  }

  private static ObjectNode policy(Outcome outcome) {
    ObjectNode node = JSON.objectNode();
    node.put("name", outcome.name());
    node.set("figures", estimates(outcome.estimates()));
    if (outcome.index() > 0) {
      node.set("differences", estimates(outcome.differences()));
    }
    ArrayNode runs = node.putArray("runs");
    for (RunRecord run : outcome.result().runs()) {
      ObjectNode one = runs.addObject();
      one.put("seed", run.seed()).put("events", run.events());
      ObjectNode figures = one.putObject("figures");
      run.figures()
          .forEach(
              (figure, value) -> {
                if (!value.isNaN()) {
                  figures.set(figure.key(), number(value));
                }
              });
    }
    ArrayNode series = node.putArray("series");
    outcome.series().forEach(one -> series.add(series(one)));
    ArrayNode distributions = node.putArray("distributions");
    outcome.distributions().forEach(one -> distributions.add(distribution(one)));
    return node;
  }

  private static ObjectNode estimates(Map<Figure, Estimate> estimates) {
    ObjectNode node = JSON.objectNode();
    estimates.forEach(
        (figure, estimate) ->
            node.putObject(figure.key())
                .set("mean", number(estimate.mean()))
                .set("lowest", number(estimate.lowest()))
                .set("highest", number(estimate.highest()))
                .put("runs", estimate.runs()));
    return node;
  }

  private static ObjectNode series(Series full) {
    int times = Math.max(1, (full.values().length + BINS - 1) / BINS);
    Series series = full.inBinsOf(full.binSeconds() * times);
    ObjectNode node = JSON.objectNode();
    node.put("name", series.name()).put("unit", series.unit());
    node.set("binSeconds", number(series.binSeconds()));
    ArrayNode values = node.putArray("values");
    for (double value : series.values()) {
      values.add(Double.isFinite(value) ? number(value) : JSON.nullNode());
    }
    return node;
  }

  private static ObjectNode distribution(Distribution distribution) {
    ObjectNode node = JSON.objectNode();
    node.put("name", distribution.name()).put("unit", distribution.unit());
    ArrayNode bounds = node.putArray("upperBounds");
    for (double bound : distribution.upperBounds()) {
      bounds.add(Double.isFinite(bound) ? number(bound) : JSON.nullNode());
    }
    ArrayNode counts = node.putArray("counts");
    for (long count : distribution.counts()) {
      counts.add(count);
    }
    return node;
  }

  private static ObjectNode sweep(SweepResult sweep) {
    ObjectNode node = JSON.objectNode();
    node.put("parameter", sweep.parameter()).put("unit", sweep.unit());
    ArrayNode points = node.putArray("points");
    for (SweepResult.Point point : sweep.points()) {
      ObjectNode one = points.addObject();
      one.set(
          "value", point.name().isEmpty() ? number(point.value()) : JSON.stringNode(point.name()));
      ArrayNode policies = one.putArray("policies");
      for (PolicyResult result : point.results()) {
        ObjectNode policy = policies.addObject().put("name", result.name());
        policy.set("figures", estimates(result.estimates()));
      }
    }
    return node;
  }

  static JsonNode number(double value) {
    return Double.isInfinite(value)
        ? JSON.stringNode(Numbers.exactText(value))
        : JSON.numberNode(Numbers.exact(value));
  }
}
