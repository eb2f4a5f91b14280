package dev.reprise.lab.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.lab.Lab;
import dev.reprise.lab.figure.Estimate;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.lint.SimulatedFleet.NotSimulatedException;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.lab.scenario.Traces;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;

/** What the linter says of a fleet, and what comes out when it is run. */
class SimulatedFleetTest {
  /** Rules that say of devices that they do not come back. */
  private static final Set<String> NOT_BACK =
      Set.of(
          PolicyLinter.NEVER_BACK,
          "cap-never-recovers",
          "attempts-limit-strands",
          "budget-strands",
          "deadline-strands");

  private static final String FULL_JITTER =
      """
      {"strategy": "standard", "maxAttempts": %s, "budget": "unlimited", "hintCeiling": "4h",
       "backoff": {"type": "exponential", "base": "%s", "cap": "%s", "jitter": "full"}}
      """;

  private static FleetModel fleet(
      int devices, double perSecond, double rejectionCost, String outage) {
    Scenario read =
        ScenarioDocuments.read(
            """
            {"name": "fleet", "policies": {"any": "no-retry"}, "fleet": {"devices": %d,
             "quota": {"rate": "%s/s", "rejectionCost": %s},
             "failures": [{"type": "outage", "to": "%s"}]}}
            """
                .formatted(devices, perSecond, rejectionCost, outage),
            Traces.NONE);
    return (FleetModel) read.model();
  }

  private static Policy fullJitter(String maxAttempts, String base, String cap) {
    return PolicyDocuments.read(FULL_JITTER.formatted(maxAttempts, base, cap));
  }

  private static List<Finding> lint(FleetModel model, Policy policy) throws NotSimulatedException {
    return PolicyLinter.lint(policy, Situation.of(model), SimulatedFleet.run(model, policy, 1, 2));
  }

  private static List<String> errors(List<Finding> findings) {
    return findings.stream()
        .filter(finding -> finding.severity() == Severity.ERROR)
        .map(Finding::rule)
        .toList();
  }

  @Test
  void aPolicyWhoseLastDeviceIsNotBackDoesNotPass() throws Exception {
    FleetModel model = fleet(10_000, 50, 0.1, "60s");
    Policy policy = Presets.policy("iot-core-64s");
    assertThat(errors(PolicyLinter.lint(policy, Situation.of(model)))).isEmpty();

    List<Finding> findings = lint(model, policy);

    assertThat(errors(findings)).containsExactly(PolicyLinter.NEVER_BACK);
    assertThat(findings.get(0).problem())
        .matches(".*: [0-9,]+ of 10,000 devices are not back 4 h after the outage\\.");
    assertThat(findings.get(0).proof())
        .isEqualTo(
            "a simulation of 10,000 devices, 50/s, refusals that cost 0.1, an outage of 1 min");
  }

  /** Devices that come in step leave room for some between their herds. */
  @Test
  void refusalsThatTakeAllCapacityAreNotSaidToKeepEverybodyOut() throws Exception {
    FleetModel model = fleet(10_000, 50, 0.1, "60s");
    List<Finding> findings = lint(model, Presets.policy("azure-iot"));

    assertThat(errors(findings)).contains("cap-never-recovers", PolicyLinter.NEVER_BACK);
    assertThat(findings)
        .filteredOn(finding -> finding.rule().equals("cap-never-recovers"))
        .allSatisfy(
            finding ->
                assertThat(finding.problem())
                    .contains("when they come evenly", "10,000 devices are not back")
                    .doesNotContain("anybody", "never"));
  }

  /** Its retry, after 1.5 s, meets a service that is back, and does not need the second in full. */
  @Test
  void whatIsBackIsNotCalledStranded() throws Exception {
    FleetModel model = fleet(1, 1, 0, "1s");
    Policy policy =
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": 2, "budget": "unlimited",
             "backoff": {"type": "fixed", "delay": "1500ms"}}
            """);
    assertThat(errors(PolicyLinter.lint(policy, Situation.of(model))))
        .containsExactly("attempts-limit-strands");

    assertThat(lint(model, policy))
        .filteredOn(finding -> finding.rule().equals("attempts-limit-strands"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.WARNING);
              assertThat(finding.problem()).contains(": simulated, all devices are back");
            });
  }

  @Test
  void anOutageIsNeverTooLongForTheSimulation() throws Exception {
    FleetModel model = fleet(1_000, 100, 0.1, "5h");
    assertThat(model.horizon()).isEqualTo(Duration.ofHours(9));

    SimulatedFleet simulated =
        SimulatedFleet.run(model, fullJitter("\"unlimited\"", "1s", "64s"), 1, 2);

    assertThat(simulated.allBack()).isTrue();
    assertThat(simulated.sentence()).startsWith("simulated, all devices are back");
  }

  @Test
  void whatTakesTooLongIsNotSimulated() {
    Policy patient = fullJitter("\"unlimited\"", "1s", "64s");
    assertThatThrownBy(() -> SimulatedFleet.run(fleet(3_000_000, 50_000, 0, "60s"), patient, 1, 2))
        .isInstanceOf(NotSimulatedException.class)
        .hasMessageContaining("3,000,000 devices are more than the 2,000,000");
    Policy hasty = fullJitter("\"unlimited\"", "1ms", "2ms");
    assertThatThrownBy(() -> SimulatedFleet.run(fleet(100_000, 500, 0, "60s"), hasty, 1, 2))
        .isInstanceOf(NotSimulatedException.class)
        .hasMessageContaining("more than the 200,000,000 attempts");
    assertThatThrownBy(() -> SimulatedFleet.run(fleet(10, 500, 0, "10h"), hasty, 1, 2))
        .isInstanceOf(NotSimulatedException.class)
        .hasMessageContaining("attempts of a device");
  }

  @Tag("slow")
  @Property(tries = 25)
  void lintAndRunsAgree(@ForAll Random random) throws Exception {
    FleetModel model =
        fleet(
            1 + random.nextInt(1_000),
            1 + random.nextInt(100),
            random.nextInt(4) * 0.1,
            List.of("1s", "20s", "60s", "10m", "5h").get(random.nextInt(5)));
    Policy policy = policy(random);
    Map<Figure, Estimate> run =
        new Lab(1, (done, all) -> {})
            .run(new Scenario("fleet", "", model, Map.of("policy", policy), 1, 2))
            .get(0)
            .estimates();

    List<Finding> findings;
    try {
      findings = lint(model, policy);
    } catch (NotSimulatedException e) {
      return;
    }

    Estimate last = Objects.requireNonNull(run.get(Figure.DRAIN_LAST));
    List<String> errors = new ArrayList<>(errors(findings));
    assertThat(errors.contains(PolicyLinter.NEVER_BACK))
        .as("%s %s", model, policy)
        .isEqualTo(!last.isReached());
    if (last.isReached()) {
      errors.retainAll(NOT_BACK);
      assertThat(errors).as("%s %s", model, policy).isEmpty();
    }
  }

  private static Policy policy(Random random) {
    List<String> presets = Presets.names();
    int which = random.nextInt(2 * presets.size());
    return which < presets.size()
        ? Presets.policy(presets.get(which))
        : fullJitter(
            random.nextBoolean() ? "\"unlimited\"" : String.valueOf(2 + random.nextInt(12)),
            List.of("100ms", "1s", "5s").get(random.nextInt(3)),
            List.of("5s", "64s", "10m").get(random.nextInt(3)));
  }
}
