package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.device.transport.TlsSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AmqpSettingsTest {
  @Test
  void hasThePortsOfTheProtocol() {
    assertThat(builder().build().port()).isEqualTo(5672);
    assertThat(builder().tls(TlsSettings.system()).build().port()).isEqualTo(5671);
    assertThat(builder().tls(TlsSettings.system()).port(1).build().port()).isEqualTo(1);
  }

  @Test
  void namesEachTransportDifferentlyUnlessTold() {
    assertThat(builder().build().containerId()).isNotEqualTo(builder().build().containerId());
    assertThat(builder().containerId("pump-7").build().containerId()).isEqualTo("pump-7");
  }

  @Test
  void refusesWhatIsOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().port(0).build())
        .withMessage("port is 0: must be 1 to 65535");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().idleTimeout(Duration.ofMillis(999)).build())
        .withMessage("idleTimeout is PT0.999S: must be 1 second to 24 days");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AmqpSettings.builder("", "telemetry").build())
        .withMessage("host is empty: must have at least one character");
  }

  private static AmqpSettings.Builder builder() {
    return AmqpSettings.builder("hub", "telemetry");
  }
}
