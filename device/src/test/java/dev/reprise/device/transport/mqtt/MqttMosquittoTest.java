package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.mqtt.RecordingConnection.Received;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Mosquitto;
import dev.reprise.fixtures.TestAuthority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Against a broker that nobody here wrote. */
@Tag("slow")
class MqttMosquittoTest {
  private static MqttSettings.Builder settings(Mosquitto broker) {
    return MqttSettings.builder("127.0.0.1")
        .port(broker.port())
        .clientId("device")
        .topic("commands/echo")
        .commands("commands/#");
  }

  private static void assertCode(TransportException cause, String protocol, String code) {
    assertThat(cause.protocol() + "," + cause.code()).isEqualTo(protocol + "," + code);
  }

  /** Mosquitto 2.0.11 just hangs up; newer ones say why. */
  private static void assertIsLostOr(String disconnectCode, TransportException cause) {
    assertThat(cause.protocol() + "," + cause.code())
        .isIn("mqtt,connection-lost", "mqtt5-disconnect," + disconnectCode);
    assertThat(cause.isRetryable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void messagesAreAcknowledgedAndCommandsArrive(MqttVersion version) {
    try (Mosquitto broker = Mosquitto.anonymous();
        RecordingConnection client =
            RecordingConnection.withCommands(
                new MqttTransport(settings(broker).version(version).build()))) {
      client.awaitGranted().awaitReady();
      Message message = Message.builder().id("m-1").body("hello").property("room", "12").build();
      client.send(message).awaitAcknowledged();
      Received received = client.awaitCommand();
      assertThat(received.command().name()).isEqualTo("commands/echo");
      assertThat(received.command().body()).asString(UTF_8).isEqualTo("hello");
      if (version != MqttVersion.MQTT_3_1_1) {
        assertThat(received.command().id()).isEqualTo("m-1");
        assertThat(received.command().properties()).isEqualTo(Map.of("room", "12"));
      }
      received.reply().done(true);
      Await.until("answered", () -> broker.log().contains("Received PUBACK from device"));
    }
  }

  @Test
  void theWindowOfTheBrokerIsKept() {
    try (Mosquitto broker = Mosquitto.configure().line("max_inflight_messages 5").start();
        RecordingConnection client =
            RecordingConnection.to(new MqttTransport(settings(broker).build()))) {
      assertThat(client.awaitReady().connection().capacity()).isEqualTo(5);
    }
  }

  @Test
  void aCommandThatWasNotAnsweredComesAgainInAKeptSession() {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      MqttTransport transport =
          new MqttTransport(settings(broker).sessionExpiry(Duration.ofHours(1)).build());
      try (RecordingConnection client = RecordingConnection.withCommands(transport)) {
        client.awaitGranted().awaitReady().send("once").awaitAcknowledged();
        client.awaitCommand();
      }
      try (RecordingConnection client = RecordingConnection.withCommands(transport)) {
        Received again = client.awaitGranted().awaitReady().awaitCommand();
        assertThat(again.command().body()).asString(UTF_8).isEqualTo("once");
      }
    }
  }

  @Test
  void allThatTheBrokerKeptArrivesAndNoMoreThanTheDeviceTakes() {
    int kept = 990;
    try (Mosquitto broker = Mosquitto.configure().line("max_inflight_messages 0").start();
        RecordingConnection other =
            RecordingConnection.to(new MqttTransport(settings(broker).clientId("other").build()))) {
      MqttTransport transport =
          new MqttTransport(settings(broker).sessionExpiry(Duration.ofHours(1)).build());
      try (RecordingConnection client = RecordingConnection.withCommands(transport)) {
        client.awaitGranted().awaitReady();
      }
      other.awaitReady();
      for (int sent = 0; sent < kept; sent += 10) {
        IntStream.range(0, 10)
            .mapToObj(i -> other.send("x"))
            .toList()
            .forEach(RecordingConnection.Outcome::awaitAcknowledged);
      }
      try (RecordingConnection client = RecordingConnection.withCommands(transport)) {
        client.awaitGranted().awaitReady();
        List<Received> received = new ArrayList<>();
        for (int i = 0; i < kept; i++) {
          received.add(client.awaitCommand());
        }
        received.forEach(command -> command.reply().done(true));
        client.send("still there").awaitAcknowledged();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aWrongPasswordIsRefused(MqttVersion version) {
    try (Mosquitto broker = Mosquitto.configure().user("device", "right").start()) {
      MqttTransport transport = new MqttTransport(settings(broker).version(version).build());
      try (RecordingConnection client =
          RecordingConnection.to(transport, new Credential("device", "wrong", null))) {
        TransportException cause = client.awaitLost();
        assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
        assertThat(cause.isRetryable()).isFalse();
      }
      try (RecordingConnection client =
          RecordingConnection.to(transport, new Credential("device", "right", null))) {
        client.awaitReady();
      }
    }
  }

  @Test
  void aTopicThatIsNotAllowedIsRefusedInMqtt5() {
    try (Mosquitto broker = Mosquitto.configure().acl("topic read commands/#\n").start();
        RecordingConnection client =
            RecordingConnection.to(
                new MqttTransport(settings(broker).version(MqttVersion.MQTT_5).build()))) {
      client.awaitReady();
      assertCode(client.send("x").awaitFailed(), "mqtt5-puback", "0x87");
      assertThat(client.everything()).hasSize(1);
    }
  }

  @Test
  void aSecondDeviceOfTheSameNameTakesTheSessionOver() {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      MqttTransport transport = new MqttTransport(settings(broker).build());
      try (RecordingConnection first = RecordingConnection.to(transport)) {
        first.awaitReady();
        try (RecordingConnection second = RecordingConnection.to(transport)) {
          second.awaitReady();
          assertIsLostOr("0x8E", first.awaitLost());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aBrokerThatIsKilledIsALostConnectionAndComesBack(MqttVersion version) {
    try (Mosquitto broker = Mosquitto.anonymous()) {
      MqttTransport transport = new MqttTransport(settings(broker).version(version).build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
        broker.kill();
        assertCode(client.awaitLost(), "mqtt", "connection-lost");
      }
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        assertCode(client.awaitLost(), "network", "connection-refused");
      }
      broker.restart();
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady().send("x").awaitAcknowledged();
      }
    }
  }

  @Test
  void aBrokerThatIsStoppedIsALostConnection() {
    try (Mosquitto broker = Mosquitto.anonymous();
        RecordingConnection client =
            RecordingConnection.to(new MqttTransport(settings(broker).build()))) {
      client.awaitReady();
      broker.stop();
      assertIsLostOr("0x8B", client.awaitLost());
    }
  }

  // --- TLS

  private static MqttTransport overTls(Mosquitto broker, TlsSettings tls) {
    return new MqttTransport(settings(broker).tls(tls).build());
  }

  @Test
  void aTrustedServerIsConnectedToOverTls(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity server = authority.server();
    try (Mosquitto broker =
            Mosquitto.configure().tls(server.certificatePem(), server.keyPem()).start();
        RecordingConnection client =
            RecordingConnection.to(
                overTls(broker, TlsSettings.system().trusting(authority.certificatePem())))) {
      client.awaitReady().send("x").awaitAcknowledged();
    }
  }

  @Test
  void aServerOfAnotherAuthorityIsNotTrusted(@TempDir Path folder) throws Exception {
    TestAuthority stranger = TestAuthority.strangerIn(folder);
    TestAuthority.Identity server = TestAuthority.in(folder).server();
    try (Mosquitto broker =
            Mosquitto.configure().tls(server.certificatePem(), server.keyPem()).start();
        RecordingConnection client =
            RecordingConnection.to(
                overTls(broker, TlsSettings.system().trusting(stranger.certificatePem())))) {
      assertCode(client.awaitLost(), "network", "tls-server-certificate");
    }
  }

  @Test
  void anExpiredCertificateOfTheServerIsRefused(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity server = authority.expiredServer();
    try (Mosquitto broker =
            Mosquitto.configure().tls(server.certificatePem(), server.keyPem()).start();
        RecordingConnection client =
            RecordingConnection.to(
                overTls(broker, TlsSettings.system().trusting(authority.certificatePem())))) {
      assertCode(client.awaitLost(), "network", "tls-server-certificate");
    }
  }

  @Test
  void aServerThatWantsACertificateOfTheDeviceRefusesThoseWithout(@TempDir Path folder)
      throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity server = authority.server();
    TestAuthority.Identity device = authority.client("device-7");
    try (Mosquitto broker =
        Mosquitto.configure()
            .tls(server.certificatePem(), server.keyPem())
            .clientCertificates(authority.certificatePem())
            .start()) {
      try (RecordingConnection client =
          RecordingConnection.to(
              overTls(broker, TlsSettings.system().trusting(authority.certificatePem())))) {
        TransportException cause = client.awaitLost();
        assertThat(cause.protocol()).isEqualTo("network");
        assertThat(cause.isRetryable()).isFalse();
      }
      try (RecordingConnection client =
          RecordingConnection.to(
              overTls(
                  broker,
                  TlsSettings.system()
                      .trusting(authority.certificatePem())
                      .identifiedBy(device.certificatePem(), device.keyPem())))) {
        client.awaitReady().send("x").awaitAcknowledged();
      }
    }
  }
}
