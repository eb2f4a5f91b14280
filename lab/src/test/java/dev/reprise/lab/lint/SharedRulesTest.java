package dev.reprise.lab.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.SchedulePreview;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The preview and the linter give one answer about a policy. */
class SharedRulesTest {
  private static final Set<String> SHARED = Set.of("no-delay", "no-jitter", "jitter-lost-at-cap");

  private static final Situation FLEET =
      new Situation(1_000_000, 5_000.0, 0.1, Duration.ofHours(1));

  private static final Path VECTORS = Path.of("../policy/src/test/resources/vectors");

  private static void assertOneAnswer(Policy policy) {
    List<String> warnings =
        SchedulePreview.of(policy, "").warnings().stream()
            .filter(warning -> warning.matches("(No delay before any retry|No jitter|Jitter).*"))
            .toList();

    for (Situation situation : List.of(Situation.UNKNOWN, FLEET)) {
      List<String> found =
          PolicyLinter.lint(policy, situation).stream()
              .filter(finding -> SHARED.contains(finding.rule()))
              .map(SharedRulesTest::sentences)
              .toList();
      assertThat(warnings).as("%s", policy).containsExactlyInAnyOrderElementsOf(found);
    }
  }

  /** The change of a notification policy is a whole document of the other format. */
  private static String sentences(Finding finding) {
    Change change = finding.change();
    return change.field().isEmpty()
        ? finding.problem()
        : finding.problem() + " Change " + change.field() + " to " + change.value() + ".";
  }

  private static void assertOneAnswerTo(String json) {
    assertOneAnswer(read(json));
  }

  private static Policy read(String json) {
    return PolicyDocuments.read(json.replace('\'', '"'));
  }

  static List<String> presets() {
    return Presets.names();
  }

  @ParameterizedTest
  @MethodSource("presets")
  void presetsGetOneAnswer(String preset) {
    assertOneAnswer(Presets.policy(preset));
  }

  @Test
  void policiesOfVectorsGetOneAnswer() throws Exception {
    List<String> documents = new ArrayList<>();
    for (JsonNode vector : vector("staged-schedules.json")) {
      // A document may have 100 retries; what has more is a preset.
      if (vector.get("retries").intValue() <= 100) {
        documents.add(vector.get("healthyRetryPolicy").toString());
      }
    }
    for (JsonNode row : vector("truncated-exponential.json").get("rows")) {
      int seconds = row.get("maximumBackoffSeconds").intValue();
      String backoff = "{'type':'truncated-exponential','maximumBackoff':'" + seconds + "s'}";
      documents.add(strategy(attempts(1L + row.get("n").intValue()), backoff));
    }
    for (JsonNode row : vector("exponential-jitter.json").get("rows")) {
      String backoff = "{'type':'exponential-with-jitter'}";
      documents.add(strategy(attempts(row.get("retry").longValue()), backoff));
    }

    assertThat(documents).hasSizeGreaterThan(40);
    documents.forEach(SharedRulesTest::assertOneAnswerTo);
  }

  private static long attempts(long retries) {
    return Math.min(1 + retries, Policy.UNLIMITED - 1);
  }

  private static JsonNode vector(String name) throws Exception {
    return JsonMapper.shared().readTree(Files.readString(VECTORS.resolve(name)));
  }

  /** The range has room for other delays, and most devices wait for the cap itself. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "14 | {'type':'exponential-with-jitter','jitterDown':1}",
        "'unlimited' | {'type':'exponential-with-jitter','jitterDown':1}",
        "6 | {'type':'truncated-exponential','maximumBackoff':'16250ms'}",
        "12 | {'type':'fixed','delay':'1s','jitter':'full','retries':4,'then':{'type':'none'}}"
      },
      quoteCharacter = '`')
  void lostJitterIsJudgedByTheShareOfDelays(String attempts, String backoff) {
    String document = strategy(attempts, backoff);

    assertOneAnswerTo(document);
    assertThat(PolicyLinter.lint(read(document), Situation.UNKNOWN))
        .extracting(Finding::rule)
        .contains("jitter-lost-at-cap");
  }

  @Property(tries = 200)
  void anyPolicyGetsOneAnswer(
      @ForAll("backoffs") String backoff,
      @ForAll("backoffs") String throttleBackoff,
      @ForAll("attempts") Object attempts) {
    assertOneAnswerTo(strategy(attempts, backoff));
    assertOneAnswerTo(
        strategy(attempts, backoff + ",'budget':'unlimited','throttleBackoff':" + throttleBackoff));
  }

  private static String strategy(Object attempts, String backoff) {
    return "{'strategy':'standard','maxAttempts':" + attempts + ",'backoff':" + backoff + "}";
  }

  @Provide
  Arbitrary<Object> attempts() {
    return Arbitraries.of(1, 2, 3, 6, 9, 20, 2_000, "'unlimited'");
  }

  @Provide
  Arbitrary<String> backoffs() {
    Arbitrary<String> formulas = formulas();
    return Combinators.combine(
            formulas, Arbitraries.integers().between(1, 9), formulas.injectNull(0.6))
        .as(
            (first, retries, next) ->
                next == null
                    ? first
                    : first.substring(0, first.length() - 1)
                        + ",'retries':"
                        + retries
                        + ",'then':"
                        + next
                        + "}");
  }

  private static Arbitrary<String> formulas() {
    Arbitrary<String> caps = Arbitraries.of("1s", "1500ms", "10s", "PT16.25S", "64s", "1h");
    Arbitrary<Double> factors = Arbitraries.of(1.0, 1.5, 2.0, 10.0);
    Arbitrary<Object> jitter = Arbitraries.of("'none'", "'full'", "'equal'", 0.01, 0.2, 1);
    Arbitrary<String> atCap = Arbitraries.of("constant", "jitter");
    Arbitrary<Double> shares = Arbitraries.of(0.0, 0.1, 0.5, 0.9, 1.0);
    return Arbitraries.oneOf(
        Arbitraries.just("{'type':'none'}"),
        Combinators.combine(caps, jitter)
            .as(
                (delay, drawn) ->
                    "{'type':'fixed','delay':'%s','jitter':%s}".formatted(delay, drawn)),
        Combinators.combine(caps, factors, jitter)
            .as(
                (cap, factor, drawn) ->
                    "{'type':'exponential','base':'1s','factor':%s,'cap':'%s','jitter':%s}"
                        .formatted(factor, cap, drawn)),
        Combinators.combine(caps, atCap)
            .as("{'type':'truncated-exponential','maximumBackoff':'%s','atCap':'%s'}"::formatted),
        Combinators.combine(caps, shares, shares, atCap)
            .as(
                (cap, a, b, at) ->
                    ("{'type':'exponential-with-jitter','maxDelay':'%s','jitterDown':%s,"
                            + "'jitterUp':%s,'atCap':'%s'}")
                        .formatted(cap, Math.max(a, b), Math.min(a, b), at)),
        caps.map("{'type':'decorrelated-jitter','base':'1s','cap':'%s'}"::formatted));
  }
}
