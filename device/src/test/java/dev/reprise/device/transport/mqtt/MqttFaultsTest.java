package dev.reprise.device.transport.mqtt;

import static dev.reprise.device.fixture.ScriptedMqttServer.receiveMaximum;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.FaultProxy;
import dev.reprise.device.fixture.ScriptedMqttServer;
import dev.reprise.device.fixture.UnknownHost;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.mqtt.RecordingConnection.Outcome;
import dev.reprise.fixtures.Await;
import dev.reprise.testkit.RefusingPort;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers, sessions and links that break in ways that no code of MQTT tells. */
class MqttFaultsTest extends ScriptedMqttTest {
  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void anEndOfFileInsteadOfAnAnswerIsALostConnection(MqttVersion version) {
    server.onConnect(ScriptedMqttServer.Peer::eof);
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      TransportException cause = client.awaitLost();
      assertCode(cause, "mqtt", "connection-lost");
      assertThat(cause.isRetryable()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aResetInsteadOfAnAnswerIsALostConnection(MqttVersion version) {
    server.onConnect(ScriptedMqttServer.Peer::reset);
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      assertCode(client.awaitLost(), "mqtt", "connection-lost");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void garbageInsteadOfAnAnswerIsAMalformedPacket(MqttVersion version) {
    server.onConnect(peer -> peer.send(GARBAGE));
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      assertCode(client.awaitLost(), "mqtt", "malformed-packet");
      Await.until("the channel is closed", () -> server.open() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void anAnswerInPiecesIsAnAnswer(MqttVersion version) {
    server.onConnect(peer -> peer.connAckInPieces(0, receiveMaximum(3)));
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      client.awaitReady().send("21").awaitAcknowledged();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aRefusalInPiecesIsARefusal(MqttVersion version) {
    server.onConnect(peer -> peer.connAckInPieces(version == MqttVersion.MQTT_5 ? 0x87 : 5));
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      assertThat(client.awaitLost().name()).isEqualTo("MqttUnauthorized");
    }
  }

  @Test
  void anAnswerThatNeverComesIsAwaitedUntilTheAttemptIsClosed() {
    server.onConnect(peer -> {});
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      Await.until("connected", () -> !server.connects().isEmpty());
      assertThat(client.connection().capacity()).isZero();
      client.connection().close();
      client.connection().close();
      Await.until("the channel is closed", () -> server.open() == 0);
      assertThat(client.everything()).isEmpty();
    }
  }

  @Test
  void anAttemptThatIsClosedAtOnceTellsNothingAndLeavesNothing() {
    for (int i = 0; i < 50; i++) {
      try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
        client.connection().close();
      }
    }
    try (RecordingConnection last = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      last.awaitReady();
      Await.until("one channel is open", () -> server.open() == 1);
    }
  }

  @Test
  void aPortWhereNobodyListensRefuses() {
    try (RefusingPort port = RefusingPort.take();
        RecordingConnection client =
            RecordingConnection.to(new MqttTransport(settings(port.number()).build()))) {
      assertCode(client.awaitLost(), "network", "connection-refused");
    }
  }

  @Test
  void aNameThatNobodyKnowsIsSaidSo() {
    MqttTransport transport =
        new MqttTransport(MqttSettings.builder(UnknownHost.NAME).topic("readings").build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      assertCode(client.awaitLost(), "network", "unknown-host");
    }
  }

  @ParameterizedTest
  @EnumSource
  void itsEventLoopIsKnownWhenTheConnectionIsReady(MqttVersion version) {
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      assertThat(client.awaitReady().connection().executor()).isNotNull();
    }
  }

  @Test
  void theServerOfTheRequestOverridesTheConfiguredOne() {
    MqttTransport elsewhere = new MqttTransport(settings(1).build());
    try (RecordingConnection client =
        RecordingConnection.to(elsewhere, "localhost:" + server.port())) {
      client.awaitReady();
    }
    MqttTransport samePort = new MqttTransport(settings(server.port()).build());
    try (RecordingConnection client = RecordingConnection.to(samePort, "localhost")) {
      client.awaitReady();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nobody.invalid:", "nobody.invalid:mqtt", "nobody.invalid:70000"})
  void aServerThatCannotBeReadIsNotGoneTo(String reference) {
    try (RecordingConnection client =
        RecordingConnection.to(transport(MqttVersion.MQTT_5), reference)) {
      client.awaitReady();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void whatTheServerIsToldComesFromTheSettingsAndTheCredential(MqttVersion version) {
    MqttTransport transport =
        new MqttTransport(
            settings(server.port()).version(version).keepAlive(Duration.ofSeconds(7)).build());
    try (RecordingConnection client =
        RecordingConnection.to(transport, new Credential("me", "secret", null))) {
      client.awaitReady();
      assertThat(server.connects())
          .containsExactly(
              new ScriptedMqttServer.Connect(
                  version == MqttVersion.MQTT_5 ? 5 : 4,
                  "device",
                  true,
                  7,
                  version == MqttVersion.MQTT_5 ? 1_000 : 0,
                  "me",
                  "secret"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aSecretNeedsNoName(MqttVersion version) {
    try (RecordingConnection client =
        RecordingConnection.to(transport(version), new Credential(null, "token", null))) {
      client.awaitReady();
      assertThat(server.connects().get(0).password()).isEqualTo("token");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aSessionThatIsKeptIsNotStartedAfresh(MqttVersion version) {
    MqttTransport transport =
        new MqttTransport(
            settings(server.port()).version(version).sessionExpiry(Duration.ofDays(1)).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
      assertThat(server.connects().get(0).cleanStart()).isFalse();
    }
  }

  @Test
  @Tag("slow")
  void aBlackHoleIsNoticedByTheKeepAlive() {
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      MqttTransport transport =
          new MqttTransport(settings(proxy.port()).keepAlive(Duration.ofSeconds(1)).build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
        proxy.blackHole();
        Outcome lost = client.send("1");
        assertCode(client.awaitLost(), "mqtt", "keepalive-timeout");
        assertThat(lost.isKnown()).isFalse();
      }
    }
  }

  @Test
  @Tag("slow")
  void closeOfAHalfOpenLinkWhoseBufferIsFullFreesTheChannel() {
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      MqttTransport transport = new MqttTransport(settings(proxy.port()).build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
        proxy.blackHole();
        for (int i = 0; i < 60; i++) {
          client.send(Message.of(new byte[500_000]));
        }
        MqttConnection connection = (MqttConnection) client.connection();
        assertThat(connection.isChannelOpen()).isTrue();
        connection.close();
        Await.until("the channel is closed", () -> !connection.isChannelOpen());
        assertThat(client.everything()).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLinkThatIsCutIsALostConnection(FaultProxy.Cut how) {
    try (FaultProxy proxy = FaultProxy.to(server.port())) {
      MqttTransport transport = new MqttTransport(settings(proxy.port()).build());
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
        proxy.cut(how);
        assertCode(client.awaitLost(), "mqtt", "connection-lost");
      }
      proxy.cutAfterDownBytes(2, how);
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        assertCode(client.awaitLost(), "mqtt", "connection-lost");
      }
      proxy.refuse();
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        assertCode(client.awaitLost(), "network", "connection-refused");
      }
      proxy.accept();
      proxy.heal();
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
      }
    }
  }
}
