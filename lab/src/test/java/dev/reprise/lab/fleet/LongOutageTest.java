package dev.reprise.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.Fleets;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LongOutageTest {
  private static Map<Figure, Double> figures(Duration outage) {
    FleetModel model =
        Fleets.minuteOut()
            .withDevices(200)
            .withQuota(new Quota(5, Duration.ofMillis(100), 0))
            .withHorizon(outage.plusHours(4))
            .withFailures(List.of(new Failure.Outage(Duration.ZERO, outage, Failure.Zone.ALL)));
    Backoff patient =
        Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(640)).withFullJitter();
    return FleetSimulation.run(model, Fleets.patient(patient), 1).figures();
  }

  @Test
  void aPeakIsThatOfASecondHoweverLongTheOutage() {
    Map<Figure, Double> hour = figures(Duration.ofHours(1));
    Map<Figure, Double> month = figures(Duration.ofDays(30));

    // All come in the first 100 ms, and the same chance brings them back within two seconds.
    assertThat(month.get(Figure.PEAK_DURING_OUTAGE)).isEqualTo(hour.get(Figure.PEAK_DURING_OUTAGE));
    // A service that takes 5/s, and devices that come by chance, less than one in a second.
    double peak = month.get(Figure.PEAK_AFTER_RECOVERY);
    assertThat(peak).isEqualTo(Math.rint(peak)).isBetween(2.0, 10.0);
    assertThat(month).containsKeys(Figure.DISPERSION, Figure.STRONGEST_LINE);
    assertThat(month.get(Figure.DISPERSION)).isCloseTo(1, within(0.3));
  }
}
