package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.Presets;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Violation;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Reads one scenario and collects every rule that it breaks. */
final class ScenarioReader {
  static final String POLICY_RULE = "must be a policy document or the name of a preset";
  static final String SWEEP = "sweep";
  static final List<String> MODELS = List.of("fleet", "calls", "contention");
  static final int RUNS = 5;

  private static final List<String> FIELDS =
      List.of(
          "name", "description", "seed", "runs", "policies", "fleet", "calls", "contention", SWEEP);

  private static final Pattern NAME = Pattern.compile("(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*");
  private static final Pattern POLICY_NAME = Pattern.compile("[^.\\[\\]\\x00-\\x1f]{1,60}");
  private static final int MAX_DESCRIPTION = 2000;

  /** The name of a policy document that stands alone. */
  private static final String POLICY_ROOT = "policy";

  private final Checks checks;
  private final FailureReader failures;

  ScenarioReader(Checks checks, Traces traces) {
    this.checks = checks;
    this.failures = new FailureReader(checks, traces);
  }

  static Scenario read(JsonNode document, Traces traces) {
    Checks checks = new Checks();
    Scenario scenario = new ScenarioReader(checks, traces).scenario(document);
    throwIfAny(checks);
    return scenario;
  }

  static void throwIfAny(Checks checks) {
    if (checks.count() > 0) {
      throw new ScenarioException(checks.violations());
    }
  }

  Checks checks() {
    return checks;
  }

  List<Failure> failures(Fields model) {
    return failures.read(model.at("failures"), model.get("failures"));
  }

  /** Reads a policy; what breaks a rule in it is named by its path from the root. */
  static Policy policy(Checks checks, String path, JsonNode value) {
    try {
      return PolicyDocuments.read(value);
    } catch (PolicyException e) {
      for (Violation violation : e.violations()) {
        String inner = violation.path();
        boolean ofRoot = inner.equals(POLICY_ROOT) || inner.startsWith(POLICY_ROOT + ".");
        String below = ofRoot ? inner.substring(POLICY_ROOT.length()) : "." + inner;
        checks.add(new Violation(path + below, violation.value(), violation.rule()));
      }
      return Presets.policy("no-retry");
    }
  }

  private Scenario scenario(JsonNode document) {
    Scenario some =
        new Scenario("some", "", FleetReader.SOME, Map.of("", Presets.policy("no-retry")), 1, RUNS);
    if (!document.isObject()) {
      checks.complain("scenario", document, "must be an object");
      return some;
    }
    Fields fields = Fields.of(checks, "", document, FIELDS);
    if (fields == null) {
      return some;
    }
    String name = name(fields);
    String description = description(fields);
    long seed = seed(fields);
    int runs = fields.count("runs", 1, 10_000, RUNS);
    Map<String, Policy> policies = policies(fields);
    Model model = model(fields);
    JsonNode sweep = fields.get(SWEEP);
    if (sweep != null) {
      Sweep.read(checks, document, sweep);
    }
    return fields.made(() -> new Scenario(name, description, model, policies, seed, runs), some);
  }

  private String name(Fields fields) {
    String rule =
        "must be lower-case words with hyphens between them, up to 60 characters: it names files";
    JsonNode value = fields.required("name", rule);
    if (value == null) {
      return "";
    }
    if (!value.isString() || !NAME.matcher(value.stringValue()).matches()) {
      checks.complain("name", value, rule);
      return "";
    }
    return value.stringValue();
  }

  private String description(Fields fields) {
    JsonNode value = fields.get("description");
    if (value == null) {
      return "";
    }
    if (!value.isString() || Fields.length(value) > MAX_DESCRIPTION) {
      checks.complain(
          "description", value, "must be a text of at most " + MAX_DESCRIPTION + " characters");
      return "";
    }
    return value.stringValue();
  }

  private long seed(Fields fields) {
    JsonNode value = fields.get("seed");
    if (value == null) {
      return 1;
    }
    BigInteger seed = Checks.isWhole(value) ? value.decimalValue().toBigIntegerExact() : null;
    if (seed == null || seed.bitLength() > 63) {
      checks.complain("seed", value, "must be a whole number of at most 64 bits");
      return 1;
    }
    return seed.longValueExact();
  }

  private Map<String, Policy> policies(Fields fields) {
    Map<String, Policy> policies = new LinkedHashMap<>();
    String rule = "must be an object with a policy or more, by name";
    JsonNode value = fields.required("policies", rule);
    if (value == null) {
      return policies;
    }
    if (!value.isObject() || value.isEmpty()) {
      checks.complain("policies", value, rule);
      return policies;
    }
    for (Map.Entry<String, JsonNode> each : value.properties()) {
      String name = each.getKey();
      if (!POLICY_NAME.matcher(name).matches()) {
        checks.complain(
            "policies",
            value,
            "must have names of 1 to 60 characters, without dots, brackets and line breaks");
        continue;
      }
      policies.put(name, policy(checks, "policies." + name, each.getValue()));
    }
    return policies;
  }

  private Model model(Fields fields) {
    List<String> given = MODELS.stream().filter(fields::has).toList();
    if (given.isEmpty()) {
      checks.missing("fleet", "must be there, or else calls or contention");
      return FleetReader.SOME;
    }
    for (String further : given.subList(1, given.size())) {
      checks.add(
          new Violation(
              further,
              "given",
              "must not stand beside " + given.get(0) + ": a scenario has one model"));
    }
    String path = given.get(0);
    JsonNode value = fields.required(path, "must be there");
    if (value == null) {
      return FleetReader.SOME;
    }
    return switch (path) {
      case "fleet" -> new FleetReader(this).read(path, value);
      case "calls" -> new CallReader(this).read(path, value);
      default -> contention(path, value);
    };
  }

  private Model contention(String path, JsonNode value) {
    Fields fields = Fields.of(checks, path, value, ScenarioTypes.CONTENTION.names());
    return fields == null
        ? FleetReader.SOME
        : fields.<Model>read(ScenarioTypes.CONTENTION, FleetReader.SOME);
  }
}
