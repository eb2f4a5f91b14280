package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.TransportException;
import dev.reprise.fixtures.Await;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The property Maximum QoS of a CONNACK, MQTT 5 section 3.2.2.3.4. */
class MqttMaximumQosTest extends ScriptedMqttTest {
  private static byte[] maximumQos(int qos) {
    return new byte[] {0x24, (byte) qos};
  }

  @Test
  void aServerThatTakesQos0OnlyIsSentNothing() {
    server.onConnect(peer -> peer.accept(maximumQos(0)));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      TransportException cause = client.awaitLost();
      assertCode(cause, "mqtt5-connack", "0x9B");
      assertThat(cause).hasMessageContaining("Maximum QoS is 0: must be at least 1");
      assertThat(cause.isRetryable()).isFalse();
      assertThat(client.connection().capacity()).isZero();
      Await.until("it has said good-bye", () -> server.farewells().equals(List.of(0)));
    }
    assertThat(server.published()).isEmpty();
  }

  @Test
  void aServerThatTakesQos1IsSentMessages() {
    server.onConnect(peer -> peer.accept(maximumQos(1)));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady().send("x").awaitAcknowledged();
    }
  }
}
