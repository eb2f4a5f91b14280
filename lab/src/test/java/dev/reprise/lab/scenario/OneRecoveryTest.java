package dev.reprise.lab.scenario;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OneRecoveryTest {
  private static Failure.Outage outage(int from, int to, Failure.Zone zone) {
    return new Failure.Outage(Duration.ofSeconds(from), Duration.ofSeconds(to), zone);
  }

  @Test
  void twoOutagesWithTimeToComeBackBetweenThemAreRefused() {
    String document =
        """
        {"policies": {"it": "iot-core-64s"}, "fleet": {"devices": 1000, "quota": "100/s",
         "failures": [{"type": "outage", "to": "60s"}, {"type": "outage", "from": "10m", "to": "11m"}]}}
        """;

    assertThatThrownBy(() -> ScenarioDocuments.read(document))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("failures[1].from is 10m: must be within spread, which is 100ms, or")
        .hasMessageContaining("run each outage alone");
  }

  @ParameterizedTest
  @CsvSource({"0, 60, 59", "0, 60, 60", "10, 60, 30"})
  void outagesThatGoOnWithoutABreakAreOne(int from, int to, int next) {
    List<Failure> failures =
        List.of(outage(next, 100, Failure.Zone.ALL), outage(from, to, Failure.Zone.ALL));

    assertThatCode(() -> OneRecovery.require(failures, Duration.ofSeconds(10)))
        .doesNotThrowAnyException();
  }

  @Test
  void eachZoneIsLookedAtAlone() {
    List<Failure> failures =
        List.of(outage(0, 60, new Failure.Zone(0, 2)), outage(30, 90, new Failure.Zone(1, 3)));

    // The devices from a half to two thirds of the fleet are back.
    assertThatThrownBy(() -> OneRecovery.require(failures, Duration.ZERO))
        .hasMessageStartingWith("failures[1].from is 30s: must be ");
  }

  @Test
  void anOutageThatFindsAllDevicesConnectedIsRefused() {
    assertThatThrownBy(
            () ->
                OneRecovery.require(
                    List.of(outage(30, 60, Failure.Zone.ALL)), Duration.ofMillis(100)))
        .hasMessageStartingWith("failures[0].from is 30s: ");
  }
}
