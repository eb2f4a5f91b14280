package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.document.Checks;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes scenario documents: {@code {"name": "herd", "policies": {"full jitter": {…},
 * "azure": "azure-iot"}, "fleet": {"devices": 1000000, "quota": "5000/s", "failures": [{"type":
 * "outage", "to": "60s"}]}}}. The model is one of {@code fleet}, {@code calls} and {@code
 * contention}; {@link #schema()} has all fields and what holds when one is not given. Durations are
 * texts such as {@code 250ms}, {@code 0.5ms} or {@code 1h}, rates texts such as {@code 5000/s} or
 * {@code 30/min}. Policies are documents as {@link PolicyDocuments#read(String)} reads them, or
 * names of presets.
 *
 * <p>All readers throw {@link ScenarioException}, which names every broken rule of a document at
 * once. Nothing is coerced: unknown fields, duplicate fields and numbers in quotes are errors.
 */
public final class ScenarioDocuments {
  private ScenarioDocuments() {}

  /** Reads a scenario that needs no other file. A sweep is checked, and not applied. */
  public static Scenario read(String text) {
    return read(text, Traces.NONE);
  }

  /**
   * Reads a scenario. A sweep is checked, and not applied.
   *
   * @param traces asked for each trace that stands in a file
   */
  public static Scenario read(String text, Traces traces) {
    return ScenarioReader.read(parse(text), traces);
  }

  /**
   * Reads a scenario as many times as its sweep has values, each in turn in the place of the field
   * that it names.
   *
   * @return one for each value, in order; empty when the scenario has no sweep
   */
  public static List<Variant> variants(String text, Traces traces) {
    JsonNode document = parse(text);
    ScenarioReader.read(document, traces);
    JsonNode written = document.get(ScenarioReader.SWEEP);
    if (written == null) {
      return List.of();
    }
    Sweep sweep = Objects.requireNonNull(Sweep.read(new Checks(), document, written));
    List<Variant> variants = new ArrayList<>();
    for (JsonNode value : sweep.values()) {
      variants.add(
          new Variant(
              sweep.field(),
              value.isString() ? value.stringValue() : value.toString(),
              ScenarioReader.read(sweep.with(document, value), traces)));
    }
    return List.copyOf(variants);
  }

  /**
   * Returns the scenario's document, which {@link #read(String)} reads back to an equal scenario,
   * but for what {@link #writePolicy} says of policies. Every field is written out, traces
   * included.
   *
   * @throws ScenarioException when the scenario is beyond what documents may hold
   */
  public static ObjectNode write(Scenario scenario) {
    ObjectNode document = describe(scenario);
    ScenarioReader.read(document, Traces.NONE);
    return document;
  }

  /**
   * Returns what {@link #write} returns, also of a scenario that is beyond what documents may hold:
   * whoever reads that is told what is wrong, such as a name that names no file.
   */
  public static ObjectNode describe(Scenario scenario) {
    return ScenarioWriter.write(scenario);
  }

  /**
   * Returns the policy's document. A notification policy that no document of its own format can
   * hold is written in the general format; it waits as long and ends as soon.
   */
  public static ObjectNode writePolicy(Policy policy) {
    try {
      return PolicyDocuments.write(policy);
    } catch (PolicyException beyondItsFormat) {
      return PolicyDocuments.write(policy.toStrategyPolicy());
    }
  }

  /**
   * Returns the JSON Schema (2020-12) of scenario documents. It accepts whatever the readers
   * accept; of what they refuse it cannot see that values contradict each other, that a time or a
   * rate is out of bounds, that a file is missing, or that a field is given twice.
   */
  public static String schema() {
    ObjectNode schema = (ObjectNode) parse(resource("/dev/reprise/lab/scenario.schema.json"));
    // One text that needs no other: a schema may carry those that it refers to.
    ((ObjectNode) schema.get("$defs")).set("policySchema", parse(PolicyDocuments.policySchema()));
    return schema.toPrettyString();
  }

  static String resource(String path) {
    try (InputStream resource = ScenarioDocuments.class.getResourceAsStream(path)) {
      if (resource == null) {
        throw new IllegalStateException(path + " is not in the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String text) {
    Checks checks = new Checks();
    JsonNode document = checks.json("scenario", text);
    if (document != null && document.isMissingNode()) {
      checks.missing("scenario", "must be JSON");
    }
    ScenarioReader.throwIfAny(checks);
    return Objects.requireNonNull(document);
  }
}
