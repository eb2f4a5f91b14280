package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.Fleets;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Quota;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * With n devices waiting at the cap of full jitter, {@code 2n / cap} come a second; refusing them
 * takes k of each. A fleet whose refusals take all that the service can do never comes back: {@code
 * cap < 2kN / C}, here 400 s times k.
 */
class CappedBackoffThresholdTest {
  private static final int DEVICES = 5_000;
  private static final double CAPACITY = 25;

  @ParameterizedTest
  @CsvSource({
    "0.05, 24", "0.05, 32", "0.05, 64", "0.05, 128", "0.05, 256", "0.05, 400",
    "0.1, 20", "0.1, 32", "0.1, 64", "0.1, 128", "0.1, 256", "0.1, 400",
    "0.2, 20", "0.2, 32", "0.2, 64", "0.2, 128", "0.2, 256", "0.2, 400",
    "0.5, 32", "0.5, 64", "0.5, 128", "0.5, 160", "0.5, 256", "0.5, 400"
  })
  void aFleetComesBackIfItsCapLeavesTheServiceWork(double rejectionCost, int capSeconds) {
    FleetModel model =
        Fleets.minuteOut()
            .withDevices(DEVICES)
            .withQuota(new Quota(CAPACITY, Duration.ofMillis(100), rejectionCost))
            .withFailures(
                List.of(
                    new Failure.Outage(Duration.ZERO, Duration.ofMinutes(10), Failure.Zone.ALL)));
    Backoff backoff =
        Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(capSeconds)).withFullJitter();
    RunRecord run =
        FleetSimulation.run(model.withHorizon(Duration.ofMinutes(30)), Fleets.patient(backoff), 1);
    boolean dead = capSeconds < 2 * rejectionCost * DEVICES / CAPACITY;
    if (dead) {
      assertThat(run.figures().get(Figure.SUCCESS)).isLessThan(0.05);
    } else {
      assertThat(run.figures().get(Figure.SUCCESS)).isEqualTo(1);
    }
  }
}
