package dev.reprise.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure.Outage;
import dev.reprise.lab.scenario.Failure.Zone;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;

class LabTest {
  private static final Map<String, Policy> POLICIES = policies();

  private static Map<String, Policy> policies() {
    Map<String, Policy> policies = new LinkedHashMap<>();
    policies.put("azure", Presets.policy("azure-iot"));
    policies.put(
        "full",
        PolicyDocuments.read(
            """
            {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
             "backoff": {"type": "exponential", "base": "1s", "cap": "16s", "jitter": "full"}}\
            """));
    return policies;
  }

  private static Scenario herd() {
    return new Scenario(
        "herd",
        "",
        new FleetModel(
            2_000,
            Duration.ofMillis(100),
            new Quota(100, Duration.ofMillis(100), 0.01),
            Duration.ZERO,
            List.of(new Outage(Duration.ZERO, Duration.ofSeconds(10), Zone.ALL)),
            new Hint.None(),
            Overactive.NONE,
            Minority.NONE,
            Costs.NONE,
            Duration.ofHours(1)),
        POLICIES,
        7,
        4);
  }

  /** Records hold arrays, which are equal only when they are the same. */
  private static String text(List<PolicyResult> results) {
    StringBuilder text = new StringBuilder();
    for (PolicyResult result : results) {
      text.append(result.name());
      for (RunRecord run : result.runs()) {
        text.append(run.seed()).append(run.figures()).append(run.events());
        run.series().forEach(s -> text.append(s.name()).append(Arrays.toString(s.values())));
        run.distributions().forEach(d -> text.append(d.name()).append(Arrays.toString(d.counts())));
      }
    }
    return text.toString();
  }

  @Test
  void theNumberOfThreadsChangesNothing() throws Exception {
    String alone = text(new Lab(1, (done, all) -> {}).run(herd()));

    assertThat(text(new Lab(4, (done, all) -> {}).run(herd()))).isEqualTo(alone);
    assertThat(alone).contains("DRAIN_LAST");
  }

  @Test
  void resultsComeInTheOrderOfTheScenarioWithTheirSeeds() throws Exception {
    List<PolicyResult> results = new Lab(2, (done, all) -> {}).run(herd());

    assertThat(results).extracting(PolicyResult::name).containsExactly("azure", "full");
    assertThat(results.get(1).runs()).extracting(RunRecord::seed).containsExactly(7L, 8L, 9L, 10L);
  }

  @Test
  void everyRunIsToldOnce() throws Exception {
    Set<String> told = new ConcurrentSkipListSet<>();

    new Lab(3, (done, all) -> told.add(done + "/" + all)).run(herd());

    assertThat(told)
        .isEqualTo(new TreeSet<>(Set.of("1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8")));
  }

  @Test
  void everyKindOfModelIsRun() {
    ContentionModel contention =
        new ContentionModel(5, Duration.ofMillis(10), Duration.ofMillis(2));

    assertThat(Lab.runOnce(contention, Presets.policy("azure-iot"), 1).figures()).isNotEmpty();
  }

  @Test
  void aLabNeedsAThread() {
    assertThatThrownBy(() -> new Lab(0, (done, all) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("threads is 0: must be >= 1");
  }
}
