package dev.reprise.device.transport.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.fixture.ScriptedMqttServer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The version of MQTT that a server turns out to speak. */
class MqttVersionChoiceTest extends ScriptedMqttTest {
  @ParameterizedTest
  @ValueSource(strings = {"20020001", "2003008400"})
  void aServerThatDoesNotKnowMqtt5IsAskedIn311AndThenAlways(String answer) {
    byte[] bytes = HexFormat.of().parseHex(answer);
    server.onConnect(peer -> refuseNewVersion(peer, bytes));
    MqttTransport transport = transport(MqttVersion.AUTO);
    for (int i = 0; i < 2; i++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady().send("21").awaitAcknowledged();
      }
    }
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 4, 4);
  }

  @Test
  void twoAnswersThatCannotBeReadMakeAServerOneOf311() {
    server.onConnect(peer -> refuseNewVersion(peer, GARBAGE));
    MqttTransport transport = transport(MqttVersion.AUTO);
    for (int i = 0; i < 3; i++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
      }
    }
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 4, 5, 4, 4);
  }

  @Test
  void aServerThatHangsUpOnMqtt5IsReachedAndRemembered() {
    server.onConnect(
        peer -> {
          if (peer.connect().level() == 5) {
            peer.eof();
          } else {
            peer.accept();
          }
        });
    MqttTransport transport = transport(MqttVersion.AUTO);
    for (int attempt = 0; attempt < VersionChoice.HANG_UPS; attempt++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        assertCode(client.awaitLost(), "mqtt", "connection-lost");
      }
    }
    for (int i = 0; i < 3; i++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady().send("21").awaitAcknowledged();
      }
    }
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 5, 5, 4, 5, 4, 4);
  }

  @Test
  void aServerThatHangsUpOnEverythingIsAskedInBothVersionsByTurns() {
    server.onConnect(ScriptedMqttServer.Peer::eof);
    MqttTransport transport = transport(MqttVersion.AUTO);
    for (int attempt = 0; attempt < 7; attempt++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitLost();
      }
    }
    server.onConnect(ScriptedMqttServer.Peer::accept);
    for (int i = 0; i < 2; i++) {
      try (RecordingConnection client = RecordingConnection.to(transport)) {
        client.awaitReady();
      }
    }
    // What was only starting is not taken for a server that does not know MQTT 5.
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 5, 5, 4, 5, 4, 5, 4, 5);
  }

  @Test
  void aServerThatRefusesWhatItSpokeBeforeIsAskedAnew() {
    server.onConnect(peer -> refuseNewVersion(peer, new byte[] {0x20, 2, 0, 1}));
    MqttTransport transport = transport(MqttVersion.AUTO);
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
    }
    server.onConnect(peer -> peer.connAck(peer.connect().level() == 5 ? 0 : 1));
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitLost();
    }
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
    }
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 4, 4, 5);
  }

  @Test
  void garbageDoesNotMakeAServerOneOf311ForEver() {
    server.onConnect(peer -> peer.send(GARBAGE));
    MqttTransport transport = transport(MqttVersion.AUTO);
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      assertCode(client.awaitLost(), "mqtt", "malformed-packet");
    }
    server.onConnect(ScriptedMqttServer.Peer::accept);
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
    }
    assertThat(server.connects())
        .extracting(ScriptedMqttServer.Connect::level)
        .containsExactly(5, 4, 5);
  }

  @Test
  void aVersionThatIsSetIsTheOnlyOneAsked() {
    server.onConnect(peer -> refuseNewVersion(peer, new byte[] {0x20, 2, 0, 1}));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      assertCode(client.awaitLost(), "mqtt5-connack", "0x84");
      assertThat(server.connects()).hasSize(1);
    }
  }

  @Test
  void anEndOfFileIsNoAnswerAboutTheVersion() {
    server.onConnect(ScriptedMqttServer.Peer::eof);
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.AUTO))) {
      client.awaitLost();
      assertThat(server.connects()).hasSize(1);
    }
  }

  /** How a server that knows only 3.1.1 answers a newer version. */
  private static void refuseNewVersion(ScriptedMqttServer.Peer peer, byte[] answer) {
    if (peer.connect().level() == 5) {
      peer.send(answer);
      peer.eof();
    } else {
      peer.accept();
    }
  }
}
