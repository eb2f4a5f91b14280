package dev.reprise.device.transport.mqtt;

import static dev.reprise.device.fixture.ScriptedMqttServer.reason;
import static dev.reprise.device.fixture.ScriptedMqttServer.serverReference;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ScriptedMqttServer;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each code of each packet, from the wire to the row of the table. */
class MqttCodesTest {
  private final ScriptedMqttServer server = ScriptedMqttServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private MqttTransport transport(MqttVersion version) {
    return new MqttTransport(
        MqttSettings.builder("127.0.0.1")
            .port(server.port())
            .version(version)
            .clientId("device")
            .topic("readings")
            .commands("commands")
            .build());
  }

  private static Stream<ErrorRow> rows(String protocol) {
    List<ErrorRow> rows =
        DeviceErrors.rows().stream().filter(row -> row.protocol().equals(protocol)).toList();
    assertThat(rows).isNotEmpty();
    return rows.stream();
  }

  static Stream<ErrorRow> connAckRows() {
    return rows("mqtt5-connack");
  }

  static Stream<ErrorRow> disconnectRows() {
    return rows("mqtt5-disconnect");
  }

  static Stream<ErrorRow> pubAckRows() {
    return rows("mqtt5-puback");
  }

  static Stream<ErrorRow> subAckRows() {
    return rows("mqtt5-suback");
  }

  @Test
  void theTableHasEachCodeOfTheStandard() {
    assertThat(connAckRows()).hasSize(21);
    assertThat(disconnectRows().filter(row -> code(row) >= 0x80)).hasSize(28);
    assertThat(pubAckRows()).hasSize(7);
    assertThat(subAckRows()).hasSize(9);
  }

  private static int code(ErrorRow row) {
    return Integer.decode(row.code());
  }

  private static void assertIs(TransportException cause, ErrorRow row) {
    assertThat(cause.protocol()).isEqualTo(row.protocol());
    assertThat(cause.code()).isEqualTo(row.code());
    assertThat(cause.isRetryable()).isEqualTo(row.retryable());
    assertThat(cause.kind()).isEqualTo(row.kind());
    assertThat(cause.scope()).isEqualTo(row.scope());
    assertThat(cause.getCause()).isNotNull();
  }

  @ParameterizedTest
  @MethodSource("connAckRows")
  void aRefusalInMqtt5IsTheRowOfItsCode(ErrorRow row) {
    server.onConnect(
        peer -> {
          peer.connAck(code(row), reason("because"), serverReference("other:1884 third"));
          peer.eof();
        });
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      TransportException cause = client.awaitLost();
      assertIs(cause, row);
      assertThat(cause).hasMessageContaining("because");
      assertThat(cause.serverReference()).isEqualTo("other:1884");
    }
  }

  @ParameterizedTest
  @MethodSource("disconnectRows")
  void aGoodByeOfTheServerIsTheRowOfItsCode(ErrorRow row) {
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady();
      server.peer().disconnect(code(row), reason("because"), serverReference("other"));
      TransportException cause = client.awaitLost();
      assertIs(cause, row);
      assertThat(cause).hasMessageContaining("because");
      assertThat(cause.serverReference()).isEqualTo("other");
    }
  }

  @ParameterizedTest
  @MethodSource("pubAckRows")
  void aRefusedMessageIsTheRowOfItsCodeAndTheConnectionLivesOn(ErrorRow row) {
    server.onPublish((peer, publish) -> peer.pubAck(publish.packetId(), code(row), reason("no")));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady();
      TransportException cause = client.send("21").awaitFailed();
      assertIs(cause, row);
      assertThat(cause).hasMessageContaining("no");
      server.onPublish((peer, publish) -> peer.pubAck(publish.packetId(), 0x10));
      client.send("22").awaitAcknowledged();
      assertThat(client.everything()).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource("subAckRows")
  void refusedCommandsAreToldBeforeTheConnectionIsReady(ErrorRow row) {
    server.onSubscribe((peer, subscribe) -> peer.subAck(subscribe.packetId(), code(row)));
    try (RecordingConnection client =
        RecordingConnection.withCommands(transport(MqttVersion.MQTT_5))) {
      assertIs(Objects.requireNonNull(client.awaitSubscribed()), row);
      client.awaitReady().send("21").awaitAcknowledged();
    }
  }

  @ParameterizedTest
  @MethodSource("subAckRows")
  void commandsRefusedLaterAreToldAndTheConnectionLivesOn(ErrorRow row) {
    server.onSubscribe((peer, subscribe) -> peer.subAck(subscribe.packetId(), code(row)));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady().connection().subscribe();
      assertIs(Objects.requireNonNull(client.awaitSubscribed()), row);
      client.send("21").awaitAcknowledged();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aRefusalInMqtt311IsTheRowOfItsCode(int code) {
    server.onConnect(peer -> peer.connAck(code));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_3_1_1))) {
      assertIs(client.awaitLost(), DeviceErrors.row("mqtt3-connack", Integer.toString(code)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7, 128, 255})
  void aReservedCodeOfMqtt311IsAnUnexpectedError(int code) {
    server.onConnect(peer -> peer.connAck(code));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_3_1_1))) {
      assertIs(client.awaitLost(), DeviceErrors.row("mqtt3-connack", "255"));
    }
  }

  @Test
  void commandsRefusedInMqtt311AreToldBeforeTheConnectionIsReady() {
    server.onSubscribe((peer, subscribe) -> peer.subAck(subscribe.packetId(), 0x80));
    try (RecordingConnection client =
        RecordingConnection.withCommands(transport(MqttVersion.MQTT_3_1_1))) {
      assertIs(
          Objects.requireNonNull(client.awaitSubscribed()),
          DeviceErrors.row("mqtt3-suback", "128"));
      client.awaitReady().send("21").awaitAcknowledged();
    }
  }
}
