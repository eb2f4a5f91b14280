package dev.reprise.lab.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class PolicyLinterTest {
  private static final Situation METERS =
      new Situation(1_000_000, 5_000.0, 0.1, Duration.ofHours(1));

  /** Spread from the first retry on, its load at the cap a quarter of what kills. */
  private static final String GOOD =
      """
      {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited", "hintCeiling": "1h",
       "backoff": {"type": "exponential", "base": "1s", "cap": "4m", "jitter": "full"}}
      """;

  private static List<String> rules(String document, Situation situation) {
    return rules(PolicyDocuments.read(document), situation);
  }

  private static List<String> rules(Policy policy, Situation situation) {
    return PolicyLinter.lint(policy, situation).stream().map(Finding::rule).toList();
  }

  private static Finding finding(String rule, Policy policy, Situation situation) {
    return PolicyLinter.lint(policy, situation).stream()
        .filter(finding -> finding.rule().equals(rule))
        .findFirst()
        .orElseThrow();
  }

  private static Policy with(String field, String json) {
    return changed(PolicyDocuments.read(GOOD), new Change(field, json));
  }

  private static Policy changed(Policy policy, Change change) {
    if (change.field().isEmpty()) {
      return PolicyDocuments.read(change.value());
    }
    ObjectNode document = PolicyDocuments.write(policy.toStrategyPolicy());
    ObjectNode parent = document;
    String[] path = change.field().split("\\.", -1);
    for (int i = 0; i < path.length - 1; i++) {
      parent = (ObjectNode) parent.get(path[i]);
    }
    parent.set(path[path.length - 1], JsonMapper.shared().readTree(change.value()));
    return PolicyDocuments.read(document.toString());
  }

  @Test
  void findsNothingInAGoodPolicy() {
    assertThat(rules(GOOD, METERS)).isEmpty();
    assertThat(rules(GOOD, Situation.UNKNOWN)).isEmpty();
  }

  @Test
  void findsNothingInNoRetryWhereNoOutageIsExpected() {
    assertThat(rules(Presets.policy("no-retry"), Situation.UNKNOWN)).isEmpty();
  }

  @Test
  void aPolicyThatNeverRetriesStrandsAllInAnOutage() {
    Finding found = finding("attempts-limit-strands", Presets.policy("no-retry"), METERS);

    assertThat(found.severity()).isEqualTo(Severity.ERROR);
    assertThat(changed(Presets.policy("no-retry"), found.change()).maxRetries()).isPositive();
  }

  /** 100,010 attempts every 20 s are as good as without end: 0.1 * 100,000 / 20 s = 500/s = C. */
  @Test
  void aLimitThatOutlastsTheOutageDoesNotHideTheLoad() {
    Situation situation = new Situation(100_000, 500.0, 0.1, Duration.ofMinutes(10));

    assertThat(rules(Presets.policy("notification-queue"), situation))
        .contains("cap-never-recovers");
  }

  @Test
  void findsOnlyNotesInOurOwnPolicyForCalls() {
    assertThat(rules(Presets.policy("reprise-default"), Situation.UNKNOWN))
        .containsExactly("attempts-limit-strands");
  }

  @ParameterizedTest
  @CsvSource({
    "azure-iot, 9, 10 s, 10 s",
    "iot-core-32s, 6, 32 s, 32 s",
    "iot-core-64s, 7, 64 s, 1 min 4 s"
  })
  void findsThatPublishedFormulasLoseTheirJitterAtTheCap(
      String preset, int retry, String cap, String plainCap) {
    Finding found = finding("jitter-lost-at-cap", Presets.policy(preset), Situation.UNKNOWN);

    assertThat(found.severity()).isEqualTo(Severity.WARNING);
    assertThat(found.problem())
        .startsWith(
            "Jitter is lost from retry " + retry + " on: every delay is exactly " + plainCap);
    assertThat(found.proof())
        .isEqualTo("longest - shortest delay at the cap = " + cap + " - " + cap + " = 0 s");
  }

  @Test
  void mendsAFormulaByItsOwnFieldWhereThatIsEnough() {
    Finding found = finding("jitter-lost-at-cap", Presets.policy("azure-iot"), METERS);

    assertThat(found.change()).isEqualTo(new Change("backoff.atCap", "\"jitter\""));
  }

  @Test
  void findsJitterThatIsTooNarrow() {
    Policy policy =
        with(
            "backoff",
            "{\"type\":\"truncated-exponential\",\"maximumBackoff\":\"64s\",\"atCap\":\"jitter\"}");

    Finding found = finding("jitter-narrow", policy, Situation.UNKNOWN);

    assertThat(found.proof())
        .isEqualTo("longest - shortest delay = 64 s - 63 s = 1 s < mean / 4 = 15.9 s");
  }

  @ParameterizedTest
  @CsvSource({"0.2, true", "0.3, false"})
  void drawsTheLineAtAQuarterOfTheMean(double share, boolean narrow) {
    assertThat(
            rules(with("backoff.jitter", String.valueOf(share)), METERS).contains("jitter-narrow"))
        .isEqualTo(narrow);
  }

  @Test
  void findsThatThereIsNoJitter() {
    assertThat(rules(with("backoff.jitter", "\"none\""), METERS)).containsExactly("no-jitter");
  }

  @Test
  void findsThatNoRetryWaits() {
    assertThat(rules(with("backoff", "{\"type\":\"none\"}"), Situation.UNKNOWN))
        .containsExactly("no-delay");
  }

  @Test
  void retriesThatNeitherWaitNorEndAreAnError() {
    Policy ends = changed(with("backoff", "{\"type\":\"none\"}"), new Change("maxAttempts", "3"));
    Policy never =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
             "backoff": {"type": "none"}}
            """);

    assertThat(finding("no-delay", ends, Situation.UNKNOWN).severity()).isEqualTo(Severity.WARNING);
    assertThat(finding("no-delay", never, Situation.UNKNOWN).severity()).isEqualTo(Severity.ERROR);
  }

  @Test
  void findsDevicesInStepAfterTheLossOfAConnection() {
    Policy firstFast =
        with(
            "backoff",
            "{\"type\":\"none\",\"retries\":1,\"then\":{\"type\":\"exponential\",\"base\":\"1s\","
                + "\"cap\":\"4m\",\"jitter\":\"full\"}}");

    assertThat(rules(firstFast, METERS)).containsExactly("first-retry-in-step");
    assertThat(rules(Presets.policy("azure-iot"), Situation.UNKNOWN))
        .contains("first-retry-in-step");
    assertThat(rules(with("backoff.base", "\"50ms\""), METERS))
        .containsExactly("first-retry-in-step");
    assertThat(rules(with("backoff.base", "\"100ms\""), METERS)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    // C = 5,000/s and N = 1,000,000: k, cap, and the verdict of the mean field.
    "0.05, full, 19, cap-never-recovers",
    "0.05, full, 39, cap-near-collapse",
    "0.05, full, 41, ",
    "0.1, full, 20, cap-never-recovers",
    "0.1, full, 64, cap-near-collapse",
    "0.2, full, 64, cap-never-recovers",
    "0.2, full, 128, cap-near-collapse",
    "0.2, equal, 64, cap-near-collapse",
    "0.2, equal, 53, cap-never-recovers",
    "0.5, full, 128, cap-never-recovers",
    "0.5, full, 256, cap-near-collapse",
    "0.5, full, 401, "
  })
  void findsCapsAtWhichRefusalsTakeAllCapacity(
      double rejectionCost, String jitter, int capSeconds, String rule) {
    Policy policy =
        with(
            "backoff",
            "{\"type\":\"exponential\",\"base\":\"1s\",\"cap\":\"%ds\",\"jitter\":\"%s\"}"
                .formatted(capSeconds, jitter));
    Situation situation = new Situation(1_000_000, 5_000.0, rejectionCost, Duration.ofMinutes(1));

    assertThat(rules(policy, situation)).isEqualTo(rule == null ? List.of() : List.of(rule));
  }

  @Test
  void provesThatTheFleetNeverRecovers() {
    Finding found = finding("cap-never-recovers", with("backoff.cap", "\"20s\""), METERS);

    assertThat(found.severity()).isEqualTo(Severity.ERROR);
    assertThat(found.proof())
        .isEqualTo("k*N/E[delay at cap] = 0.1 * 1,000,000 / 10 s = 10,000/s >= C = 5,000/s");
    assertThat(found.change()).isEqualTo(new Change("backoff.cap", "\"80s\""));
  }

  @Test
  void judgesTheLoadOfRefusalsByTheDelaysAfterThem() {
    Policy policy =
        with(
            "throttleBackoff",
            "{\"type\":\"exponential\",\"base\":\"1s\",\"cap\":\"10s\",\"jitter\":\"full\"}");

    assertThat(finding("cap-never-recovers", policy, METERS).change().field())
        .isEqualTo("throttleBackoff.cap");
  }

  @Test
  void findsDevicesThatGiveUpBeforeTheServiceIsBack() {
    Finding guide =
        finding(
            "attempts-limit-strands",
            Presets.policy("smithy-guide"),
            new Situation(null, null, null, Duration.ofMinutes(1)));
    Finding aws =
        finding("attempts-limit-strands", Presets.policy("aws-standard"), Situation.UNKNOWN);

    assertThat(guide.severity()).isEqualTo(Severity.ERROR);
    assertThat(guide.proof())
        .isEqualTo("sum of E[delay] of retries 1 to 4 = 7.5 s, at most 15 s < outage = 60 s");
    assertThat(aws.severity()).isEqualTo(Severity.NOTE);
    assertThat(aws.problem()).contains("75 ms after the first on average and 150 ms at most");
    assertThat(guide.change()).isEqualTo(new Change("maxAttempts", "\"unlimited\""));
  }

  @Test
  void countsTheTimeToServeAllDevicesToTheOutage() {
    // 15 attempts last 847 s on average: more than the outage, less than with 200 s on top.
    Policy policy = with("maxAttempts", "15");
    Situation alone = new Situation(null, null, null, Duration.ofMinutes(11));
    Situation together = new Situation(1_000_000, 5_000.0, null, Duration.ofMinutes(11));

    assertThat(rules(policy, alone)).containsExactly("no-budget");
    assertThat(rules(policy, together)).containsExactly("attempts-limit-strands");
  }

  @Test
  void findsBudgetsThatMeanNothingForADevice() {
    Finding aws = finding("budget-means-nothing", Presets.policy("aws-standard"), METERS);

    assertThat(aws.proof())
        .isEqualTo("a full budget pays 35 retries >= 2 that a device makes in 3,600 s");
    assertThat(rules(Presets.policy("aws-standard"), Situation.UNKNOWN))
        .doesNotContain("budget-means-nothing");
    assertThat(
            rules(
                with(
                    "budget",
                    "{\"type\":\"ratio\",\"retriesPerSuccess\":0.1,\"retriesPerSecond\":1}"),
                METERS))
        .containsExactly("budget-means-nothing");
  }

  @Test
  void findsBudgetsThatEndBeforeTheOutage() {
    Policy policy =
        with("budget", "{\"type\":\"token-bucket\",\"capacityTokens\":100,\"errorTokens\":10}");

    assertThat(rules(policy, METERS)).containsExactly("budget-strands");
    assertThat(rules(policy, new Situation(1_000_000, 5_000.0, 0.1, Duration.ofSeconds(10))))
        .containsExactly("budget-means-nothing");
  }

  @Test
  void findsDeadlinesThatEndBeforeTheOutage() {
    assertThat(rules(with("deadline", "\"10m\""), METERS)).containsExactly("deadline-strands");
    assertThat(rules(with("deadline", "\"2h\""), METERS)).isEmpty();
    assertThat(rules(with("deadline", "\"10m\""), Situation.UNKNOWN)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // 100,000 devices at 500/s after 60 s need until 260 s; those simulated: 79.9 %, 76.1 %.
        "deadline | \"100s\" | deadline-strands | : at least 80,000 (80 %) of the devices",
        "deadline | \"59s\" | deadline-strands | : all of the devices",
        "maxAttempts | 8 | attempts-limit-strands | : at least 66,500 (66.5 %) of them",
        "maxAttempts | 6 | attempts-limit-strands | : all of them",
        "maxAttempts | 9 | attempts-limit-strands | : at least 2,500 (2.5 %) of them",
        "maxAttempts | 10 | attempts-limit-strands | : some of them"
      })
  void countsTheDevicesThatTheServiceCannotServeBeforeTheyGiveUp(
      String field, String value, String rule, String problem) {
    Situation situation = new Situation(100_000, 500.0, 0.0, Duration.ofSeconds(60));

    assertThat(finding(rule, with(field, value), situation).problem())
        .endsWith(problem + " are stranded.");
  }

  @Test
  void saysAllWhenNobodyCanMeetTheServiceAgain() {
    Situation unknownFleet = new Situation(null, null, null, Duration.ofSeconds(60));

    assertThat(finding("attempts-limit-strands", with("maxAttempts", "6"), unknownFleet).problem())
        .endsWith(": all of them are stranded.");
    assertThat(finding("attempts-limit-strands", with("maxAttempts", "7"), unknownFleet).problem())
        .endsWith(": some of them are stranded.");
  }

  @Test
  void findsHintCeilingsThatAreShorterThanTheFloor() {
    Finding found = finding("hint-ceiling-below-floor", with("hintCeiling", "\"2m\""), METERS);

    assertThat(found.proof()).isEqualTo("hintCeiling = 120 s < N/C = 200 s");
    assertThat(rules(with("hintCeiling", "\"200s\""), METERS)).isEmpty();
  }

  @Test
  void findsCallsThatMultiplyTheLoadWithoutABudget() {
    Policy policy = with("maxAttempts", "4");

    assertThat(finding("no-budget", policy, Situation.UNKNOWN).proof())
        .isEqualTo("1/(1 + retries) = 1/(1 + 3): metastable from 25 % of the capacity on");
    assertThat(rules(policy, METERS)).doesNotContain("no-budget");
    assertThat(rules(Presets.policy("reprise-default"), Situation.UNKNOWN))
        .doesNotContain("no-budget");
  }

  @Test
  void findsDelaysThatNeverGrow() {
    Policy policy = with("backoff", "{\"type\":\"fixed\",\"delay\":\"30s\",\"jitter\":\"full\"}");
    Situation cheap = new Situation(1_000_000, 5_000.0, 0.0, null);
    Situation few = new Situation(10_000, 5_000.0, 0.0, null);

    assertThat(finding("delay-never-grows", policy, cheap).proof())
        .isEqualTo("N/E[delay] = 1,000,000 / 15 s = 66,667/s > C = 5,000/s");
    assertThat(finding("delay-never-grows", policy, Situation.UNKNOWN).severity())
        .isEqualTo(Severity.NOTE);
    assertThat(rules(policy, few)).isEmpty();
  }

  static List<String> presets() {
    return Presets.names();
  }

  @ParameterizedTest
  @MethodSource("presets")
  void proposesChangesThatMendWhatWasFound(String preset) {
    for (Situation situation : List.of(METERS, Situation.UNKNOWN)) {
      Policy policy = Presets.policy(preset);
      for (Finding finding : PolicyLinter.lint(policy, situation)) {
        assertThat(rules(changed(policy, finding.change()), situation))
            .as(finding.toString())
            .doesNotContain(finding.rule());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("presets")
  void leavesNothingToFindAfterAllChanges(String preset) {
    Policy policy = Presets.policy(preset);
    for (int i = 0; i < 10 && !PolicyLinter.lint(policy, METERS).isEmpty(); i++) {
      policy = changed(policy, PolicyLinter.lint(policy, METERS).get(0).change());
    }

    assertThat(PolicyLinter.lint(policy, METERS)).isEmpty();
  }

  @Test
  void whatANotificationPolicyCannotSayIsAWholeStrategyPolicy() {
    Policy policy = PolicyDocuments.read("notification-http");

    assertThat(PolicyLinter.lint(policy, METERS))
        .isNotEmpty()
        .allSatisfy(
            finding -> {
              assertThat(finding.change().field()).isEmpty();
              StrategyPolicy changed =
                  (StrategyPolicy) PolicyDocuments.read(finding.change().value());
              assertThat(changed).isNotEqualTo(policy.toStrategyPolicy());
              assertThat(PolicyLinter.lint(changed, METERS))
                  .extracting(Finding::rule)
                  .doesNotContain(finding.rule());
            });
  }
}
