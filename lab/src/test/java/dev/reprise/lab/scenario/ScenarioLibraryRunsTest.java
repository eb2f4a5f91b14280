package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.Lab;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every ready scenario runs, scaled down, under every policy that it compares. */
@Tag("slow")
class ScenarioLibraryRunsTest {
  private static final int MAX_DEVICES = 1000;
  private static final Duration MAX_DURATION = Duration.ofMinutes(3);

  static List<String> names() {
    return ScenarioLibrary.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyPolicyOfAScenarioGivesFigures(String name) {
    Scenario scenario = ScenarioDocuments.read(ScenarioLibrary.read(name));
    Model model = scaled(scenario.model());

    for (Map.Entry<String, Policy> policy : scenario.policies().entrySet()) {
      RunRecord record = Lab.runOnce(model, policy.getValue(), scenario.seed());

      assertThat(record.events()).as(policy.getKey()).isPositive();
      assertThat(record.figures()).as(policy.getKey()).containsKey(Figure.ATTEMPTS);
      assertThat(record.figures().getOrDefault(Figure.ATTEMPTS, 0.0))
          .as(policy.getKey())
          .isGreaterThan(0);
      assertThat(record.series()).as(policy.getKey()).isNotEmpty();
      assertThat(Lab.runOnce(model, policy.getValue(), scenario.seed()).figures())
          .as("%s, once more", policy.getKey())
          .isEqualTo(record.figures());
    }
  }

  /** Keeps the floor N/C, and so the shape of the run. */
  private static Model scaled(Model model) {
    if (model instanceof FleetModel fleet && fleet.devices() > MAX_DEVICES) {
      double share = (double) MAX_DEVICES / fleet.devices();
      Quota quota = fleet.quota();
      return fleet
          .withDevices(MAX_DEVICES)
          .withQuota(new Quota(quota.perSecond() * share, quota.burst(), quota.rejectionCost()));
    }
    if (model instanceof CallModel calls && calls.duration().compareTo(MAX_DURATION) > 0) {
      return new CallModel(
          calls.clients(),
          calls.layers(),
          calls.service(),
          calls.hop(),
          calls.failures(),
          calls.warmUp(),
          MAX_DURATION);
    }
    return model;
  }
}
