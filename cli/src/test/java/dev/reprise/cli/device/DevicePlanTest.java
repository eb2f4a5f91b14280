package dev.reprise.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.transport.TlsSettings;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DevicePlanTest {
  private static DevicePlan plan(int count, double rate, Duration ramp) {
    return new DevicePlan(
        URI.create("mqtt://user:secret@localhost"),
        TlsSettings.system(),
        "pump",
        count,
        rate,
        100,
        ramp,
        null,
        Duration.ofSeconds(1),
        Duration.ZERO,
        null,
        null);
  }

  @Test
  void withoutARampAllAreOpenAtOnce() {
    assertThat(plan(50, 1, Duration.ZERO).openAfter(0)).isEqualTo(50);
  }

  @Test
  void aRampOpensTheFirstAtOnceAndTheLastAtItsEnd() {
    DevicePlan plan = plan(11, 1, Duration.ofSeconds(10));

    assertThat(plan.openAfter(0)).isEqualTo(1);
    assertThat(plan.openAfter(seconds(1))).isEqualTo(2);
    assertThat(plan.openAfter(seconds(5))).isEqualTo(6);
    assertThat(plan.openAfter(seconds(10) - 1)).isEqualTo(10);
    assertThat(plan.openAfter(seconds(10))).isEqualTo(11);
  }

  @Test
  void theRateIsThatOfEachDevice() {
    assertThat(plan(50, 2, Duration.ZERO).dueAfter(seconds(3))).isEqualTo(300);
    assertThat(plan(1, 0.1, Duration.ZERO).dueAfter(seconds(19))).isEqualTo(1);
    assertThat(plan(50, 0, Duration.ZERO).dueAfter(seconds(1_000_000))).isZero();
  }

  @Test
  void thePasswordIsNotShown() {
    assertThat(plan(1, 1, Duration.ZERO).shownHub()).isEqualTo("mqtt://localhost");
    assertThat(plan(1, 1, Duration.ZERO).deviceName(0)).isEqualTo("pump-1");
  }

  private static long seconds(long seconds) {
    return seconds * 1_000_000_000;
  }
}
