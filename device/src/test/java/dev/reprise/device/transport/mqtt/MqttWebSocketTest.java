package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.fixture.ArtemisBroker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Artemis speaks WebSocket; the Mosquitto of some systems is built without it. */
@Tag("slow")
class MqttWebSocketTest {
  private static MqttSettings.Builder settings(int port) {
    return MqttSettings.builder("127.0.0.1").port(port).clientId("device").topic("readings");
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreAcknowledgedThroughAWebSocket(MqttVersion version) {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("readings")) {
      MqttTransport transport =
          new MqttTransport(
              settings(broker.mqttPort()).version(version).webSocketPath("/mqtt").build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady().send("x").awaitAcknowledged();
      }
      assertThat(broker.count("readings")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreAcknowledgedOverPlainTcp(MqttVersion version) {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("readings")) {
      MqttTransport transport =
          new MqttTransport(settings(broker.mqttPort()).version(version).build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady().send("x").awaitAcknowledged();
      }
      assertThat(broker.count("readings")).isEqualTo(1);
    }
  }

  @Test
  void aBrokerThatIsStoppedWhileConnectedIsTold() {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("readings")) {
      MqttTransport transport =
          new MqttTransport(settings(broker.mqttPort()).webSocketPath("mqtt").build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
        broker.stop();
        assertThat(client.awaitLost().isRetryable()).isTrue();
      }
    }
  }
}
