package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reprise.device.transport.TlsSettings;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class MqttSettingsTest {
  private static MqttSettings with(UnaryOperator<MqttSettings.Builder> change) {
    return change.apply(MqttSettings.builder("broker").topic("readings")).build();
  }

  @Test
  void defaultsAreThoseOfTheDocumentation() {
    MqttSettings settings = with(builder -> builder);
    assertThat(settings.version()).isEqualTo(MqttVersion.AUTO);
    assertThat(settings.keepAlive()).isEqualTo(Duration.ofSeconds(60));
    assertThat(settings.sessionExpiry()).isZero();
    assertThat(settings.sendMaximum()).isEqualTo(64);
    assertThat(settings.receiveMaximum()).isEqualTo(1_000);
    assertThat(settings.clientId()).isEmpty();
  }

  @Test
  void thePortIsWhatIsUsual() {
    TlsSettings tls = TlsSettings.system();
    assertThat(with(builder -> builder).port()).isEqualTo(1883);
    assertThat(with(builder -> builder.tls(tls)).port()).isEqualTo(8883);
    assertThat(with(builder -> builder.webSocketPath("mqtt")).port()).isEqualTo(80);
    assertThat(with(builder -> builder.webSocketPath("mqtt").tls(tls)).port()).isEqualTo(443);
    assertThat(with(builder -> builder.port(7)).port()).isEqualTo(7);
  }

  @Test
  void aSettingThatBreaksItsRuleIsNamed() {
    assertRefused(builder -> builder.port(0), "port is 0: must be 1 to 65535");
    assertRefused(builder -> builder.port(65_536), "port is 65536: must be 1 to 65535");
    assertRefused(
        builder -> builder.keepAlive(Duration.ZERO),
        "keepAlive is PT0S: must be whole seconds, 1 s to 65535 s");
    assertRefused(
        builder -> builder.keepAlive(Duration.ofMillis(1500)),
        "keepAlive is PT1.5S: must be whole seconds, 1 s to 65535 s");
    assertRefused(
        builder -> builder.sessionExpiry(Duration.ofSeconds(-1)),
        "sessionExpiry is PT-1S: must be whole seconds, 0 s to 4294967294 s");
    assertRefused(
        builder -> builder.sessionExpiry(Duration.ofHours(1)),
        "clientId is empty: must be set, for sessionExpiry is PT1H");
    assertRefused(builder -> builder.sendMaximum(0), "sendMaximum is 0: must be 1 to 65000");
    assertRefused(
        builder -> builder.receiveMaximum(65_536), "receiveMaximum is 65536: must be 1 to 65535");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MqttSettings.builder("").topic("x").build())
        .withMessage("host is empty: must have at least one character");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MqttSettings.builder("broker").build())
        .withMessage("topic is not set: must be, to publish messages");
  }

  @Test
  void topicsAreCheckedAtOnce() {
    assertThatIllegalArgumentException().isThrownBy(() -> MqttTopic.constant("a/#"));
    assertThatIllegalArgumentException().isThrownBy(() -> with(b -> b.commands("a/#/b")));
  }

  private static void assertRefused(UnaryOperator<MqttSettings.Builder> change, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> with(change)).withMessage(message);
  }
}
