package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ScriptedMqttServer;
import dev.reprise.fixtures.Await;
import org.junit.jupiter.api.AfterEach;

/** A scripted server that is alone with each test, and transports that connect to it. */
abstract class ScriptedMqttTest {
  /** Its first bytes announce a packet of 84 bytes, which it must have for anybody to notice. */
  static final byte[] GARBAGE =
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".repeat(2).getBytes(UTF_8);

  final ScriptedMqttServer server = ScriptedMqttServer.start();

  @AfterEach
  void nothingIsLeftOpen() {
    Await.until("all channels are closed", () -> server.open() == 0);
    server.close();
  }

  MqttTransport transport(MqttVersion version) {
    return new MqttTransport(settings(server.port()).version(version).build());
  }

  static MqttSettings.Builder settings(int port) {
    return MqttSettings.builder("127.0.0.1")
        .port(port)
        .version(MqttVersion.MQTT_5)
        .clientId("device")
        .topic("readings")
        .commands("commands/+");
  }

  static void assertCode(TransportException cause, String protocol, String code) {
    assertThat(cause.protocol() + "," + cause.code()).isEqualTo(protocol + "," + code);
  }
}
