package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.lab.Lab;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A report of a real run, kept beside the tests so that whatever changes in the simulator or in the
 * report is seen in its diff. After a change that is meant, write it anew, look at it, and commit
 * it:
 *
 * <pre>{@code
 * mvn -pl lab -am test -Dtest=ReferenceReportTest -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dreprise.reference=write
 * }</pre>
 */
class ReferenceReportTest {
  private static final Path FOLDER =
      Path.of("src/test/resources/dev/reprise/lab/report/reference-report");
  private static final double[] CAPACITIES = {100, 200, 400, 800, 1_600};

  @Test
  void theReportIsTheOneThatIsKept() throws Exception {
    Report report = report(2);
    if (System.getProperty("reprise.reference", "").equals("write")) {
      report.writeTo(FOLDER);
      Files.writeString(FOLDER.resolve("report.html"), html(report));
    }

    List<String> texts =
        List.of(html(report), report.json(), report.figuresCsv(), report.seriesCsv());
    for (int i = 0; i < texts.size(); i++) {
      String kept = Files.readString(FOLDER.resolve(Report.FILES.get(i)), StandardCharsets.UTF_8);
      assertThat(texts.get(i).lines().toList())
          .describedAs("%s, against that in %s", Report.FILES.get(i), FOLDER)
          .isEqualTo(kept.lines().toList());
      assertThat(texts.get(i)).isEqualTo(kept);
    }
  }

  /** The page without the library in it, which is not ours. */
  private static String html(Report report) {
    return report.html().replace(ChartJs.script(), "// Chart.js\n");
  }

  @Test
  void theNumberOfThreadsChangesNothing() throws Exception {
    Scenario scenario = scenario(500, 2.5);

    assertThat(json(scenario, 1)).isEqualTo(json(scenario, 5));
  }

  private static String json(Scenario scenario, int threads) throws InterruptedException {
    return new Report(scenario, run(scenario, threads), List.of(), null).json();
  }

  private static Report report(int threads) throws InterruptedException {
    Scenario scenario = scenario(20_000, 100);
    List<SweepResult.Point> points = new ArrayList<>();
    for (double capacity : CAPACITIES) {
      points.add(new SweepResult.Point(capacity, run(scenario(2_000, capacity / 10), threads)));
    }
    return new Report(
        scenario,
        run(scenario, threads),
        List.of(
            new Note(
                "as two vendors print it",
                "the jitter is lost at the cap: all devices keep coming together",
                "min(2^n s + U(0 s, 1 s), 64 s) is 64 s for every retry from the seventh on"),
            new Note("", "The sweep is run with a tenth of the devices and of the capacity.", "")),
        new SweepResult("quota.perSecond", "/s", points));
  }

  private static List<PolicyResult> run(Scenario scenario, int threads)
      throws InterruptedException {
    return new Lab(threads, (done, all) -> {}).run(scenario);
  }

  private static Scenario scenario(int devices, double capacity) {
    Map<String, Policy> policies = new LinkedHashMap<>();
    policies.put("full jitter", exponential("full"));
    policies.put("equal jitter", exponential("equal"));
    policies.put("as two vendors print it", Presets.policy("iot-core-64s"));
    return new Scenario(
        "Herd after an outage",
        "A service is away for a minute, and then all devices want back at once. Its capacity is a"
            + " two-hundredth of the fleet a second, and a refusal costs it a fiftieth of an"
            + " acceptance.",
        new FleetModel(
            devices,
            Duration.ofMillis(100),
            new Quota(capacity, Duration.ofMillis(100), 0.02),
            Duration.ZERO,
            List.of(new Failure.Outage(Duration.ZERO, Duration.ofMinutes(1), Failure.Zone.ALL)),
            new Hint.None(),
            Overactive.NONE,
            Minority.NONE,
            new Costs(2_000, Duration.ofMillis(2), 1),
            Duration.ofMinutes(20)),
        policies,
        1,
        3);
  }

  private static Policy exponential(String jitter) {
    return PolicyDocuments.read(
        """
        {"strategy": "standard", "maxAttempts": "unlimited", "budget": "unlimited",
         "backoff": {"type": "exponential", "base": "1s", "cap": "64s", "jitter": "%s"}}
        """
            .formatted(jitter));
  }
}
