package dev.reprise.device.transport.mqtt;

import static dev.reprise.device.fixture.ScriptedMqttServer.maximumPacketSize;
import static dev.reprise.device.fixture.ScriptedMqttServer.receiveMaximum;
import static dev.reprise.device.fixture.ScriptedMqttServer.userProperty;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ScriptedMqttServer;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.mqtt.RecordingConnection.Outcome;
import dev.reprise.device.transport.mqtt.RecordingConnection.Received;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages and commands on a connection over MQTT. */
class MqttMessagesTest extends ScriptedMqttTest {
  @Test
  void inMqtt5AMessageCarriesItsIdItsTypeAndItsProperties() {
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady();
      Message message =
          Message.builder()
              .id("m-1")
              .body("{}")
              .contentType("application/json")
              .property("room", "12")
              .build();
      client.send(message).awaitAcknowledged();
      ScriptedMqttServer.Publish received = server.published().get(0);
      assertThat(received.topic()).isEqualTo("readings");
      assertThat(received.qos()).isEqualTo(1);
      assertThat(received.duplicate()).isFalse();
      assertThat(received.contentType()).isEqualTo("application/json");
      assertThat(received.userProperties())
          .containsExactly(Map.entry("message-id", "m-1"), Map.entry("room", "12"));
      assertThat(received.text()).isEqualTo("{}");
    }
  }

  @Test
  void theTopicIsAFunctionOfTheMessage() {
    MqttTransport transport =
        new MqttTransport(
            settings(server.port())
                .version(MqttVersion.MQTT_3_1_1)
                .topic(message -> "devices/d/$.mid=" + message.id())
                .build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady().send(Message.builder().id("7").body("x").build()).awaitAcknowledged();
      assertThat(server.published().get(0).topic()).isEqualTo("devices/d/$.mid=7");
      assertThat(server.published().get(0).text()).isEqualTo("x");
    }
  }

  @Test
  void theWindowOfTheServerBoundsTheCapacity() {
    List<Integer> unanswered = new ArrayList<>();
    server.onConnect(peer -> peer.accept(receiveMaximum(2)));
    server.onPublish((peer, publish) -> unanswered.add(publish.packetId()));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady();
      assertThat(client.connection().capacity()).isEqualTo(2);
      Outcome first = client.send("1");
      client.send("2");
      assertThat(client.connection().capacity()).isZero();
      Await.until("both have arrived", () -> server.published().size() == 2);
      server.peer().pubAck(server.published().get(0).packetId(), 0);
      first.awaitAcknowledged();
      assertThat(client.connection().capacity()).isEqualTo(1);
    }
  }

  @Test
  void theServerIsToldHowManyCommandsMayWait() {
    MqttTransport transport = new MqttTransport(settings(server.port()).receiveMaximum(7).build());
    try (RecordingConnection client = RecordingConnection.withCommands(transport)) {
      client.awaitGranted().awaitReady();
      assertThat(server.connects())
          .extracting(ScriptedMqttServer.Connect::receiveMaximum)
          .containsExactly(7);
    }
  }

  @Test
  void theWindowOfTheSettingsBoundsTheCapacityToo() {
    MqttTransport transport = new MqttTransport(settings(server.port()).sendMaximum(5).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      assertThat(client.awaitReady().connection().capacity()).isEqualTo(5);
    }
  }

  @Test
  void messagesArriveInTheOrderInWhichTheyWereHandedOver() {
    MqttTransport transport = new MqttTransport(settings(server.port()).sendMaximum(500).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
      List<Outcome> outcomes = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        expected.add("" + i);
        outcomes.add(client.send("" + i));
      }
      outcomes.forEach(Outcome::awaitAcknowledged);
      assertThat(server.published())
          .extracting(ScriptedMqttServer.Publish::text)
          .isEqualTo(expected);
    }
  }

  @Test
  void aMessageTooLargeForTheServerFailsAlone() {
    server.onConnect(peer -> peer.accept(maximumPacketSize(200)));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady();
      int capacity = client.connection().capacity();
      TransportException cause = client.send("x".repeat(300)).awaitFailed();
      assertCode(cause, "mqtt", "packet-too-large");
      assertThat(cause.isRetryable()).isFalse();
      assertThat(cause.scope()).isEqualTo(ErrorScope.OPERATION);
      assertThat(client.connection().capacity()).isEqualTo(capacity);
      client.send("small").awaitAcknowledged();
    }
  }

  @Test
  void aMessageThatMqttCannotSayFailsAndTheConnectionLivesOn() {
    MqttTransport transport =
        new MqttTransport(settings(server.port()).topic(message -> "to/" + message.id()).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      client.awaitReady();
      TransportException cause =
          client.send(Message.builder().id("#").body("x").build()).awaitFailed();
      assertCode(cause, "mqtt", "invalid-message");
      assertThat(cause.isRetryable()).isFalse();
      assertThat(cause.scope()).isEqualTo(ErrorScope.OPERATION);
      client.send(Message.builder().id("1").body("x").build()).awaitAcknowledged();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void messagesUnderWayHaveNoOutcomeWhenTheConnectionIsLost(MqttVersion version) {
    server.onPublish((peer, publish) -> peer.reset());
    try (RecordingConnection client = RecordingConnection.to(transport(version))) {
      client.awaitReady();
      List<Outcome> outcomes = List.of(client.send("1"), client.send("2"));
      assertCode(client.awaitLost(), "mqtt", "connection-lost");
      assertThat(client.connection().capacity()).isZero();
      Outcome late = client.send("3");
      client.connection().subscribe();
      settle();
      assertThat(outcomes).noneMatch(Outcome::isKnown);
      assertThat(late.isKnown()).isFalse();
      assertThat(client.everything()).hasSize(2);
    }
  }

  @Test
  void messagesUnderWayHaveNoOutcomeWhenTheConnectionIsClosed() {
    server.onPublish((peer, publish) -> {});
    MqttTransport transport =
        new MqttTransport(settings(server.port()).sessionExpiry(Duration.ofDays(1)).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      Outcome outcome = client.awaitReady().send("1");
      Await.until("it has arrived", () -> server.published().size() == 1);
      client.connection().close();
      Await.until("the channel is closed", () -> server.open() == 0);
      // Before somebody else says farewell.
      assertThat(server.farewells()).containsExactly(0);
      settle();
      assertThat(outcome.isKnown()).isFalse();
      assertThat(client.everything()).hasSize(1);
    }
    // The next attempt is fresh: nothing is sent again behind our back.
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      server.onPublish((peer, publish) -> peer.pubAck(publish.packetId(), 0));
      client.awaitReady().send("2").awaitAcknowledged();
      assertThat(server.published())
          .extracting(ScriptedMqttServer.Publish::text)
          .containsExactly("1", "settle", "2");
    }
  }

  /** Gives the event loop the time to say what it should not: it has one round trip for it. */
  private void settle() {
    try (RecordingConnection other = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      server.onPublish((peer, publish) -> peer.pubAck(publish.packetId(), 0));
      other.awaitReady().send("settle").awaitAcknowledged();
    }
  }

  @Test
  void anAcknowledgementThatNobodyAskedForIsAMalformedPacket() {
    server.onPublish((peer, publish) -> peer.pubAck(publish.packetId() + 1, 0));
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady().send("1");
      assertCode(client.awaitLost(), "mqtt", "malformed-packet");
    }
  }

  @Test
  void commandsBehindTheAnswerAreToldOnceTheConnectionIsReady() {
    server.onConnect(
        peer -> {
          peer.accept();
          peer.publish(9, "commands/reboot", "now", userProperty("message-id", "c-1"));
        });
    try (RecordingConnection client =
        RecordingConnection.withCommands(transport(MqttVersion.MQTT_5))) {
      Received received = client.awaitGranted().awaitReady().awaitCommand();
      assertThat(received.command().name()).isEqualTo("commands/reboot");
      assertThat(received.command().id()).isEqualTo("c-1");
      assertThat(received.command().body()).asString(UTF_8).isEqualTo("now");
      assertThat(server.acks()).isEmpty();
      received.reply().done(true);
      received.reply().done(true);
      Await.until("it is answered", () -> !server.acks().isEmpty());
      assertThat(server.acks()).containsExactly(new ScriptedMqttServer.Ack(9, 0));
    }
  }

  @Test
  void aCommandThatFailedIsAnsweredWithAnErrorAndOnlyThatOne() {
    try (RecordingConnection client =
        RecordingConnection.withCommands(transport(MqttVersion.MQTT_5))) {
      client.awaitGranted().awaitReady();
      for (int id = 1; id <= 3; id++) {
        server.peer().publish(id, "commands/x", "", userProperty("speed", "" + id));
      }
      for (int id = 1; id <= 3; id++) {
        Received received = client.awaitCommand();
        assertThat(received.command().properties()).containsExactly(Map.entry("speed", "" + id));
        received.reply().done(id != 2);
      }
      Await.until("all are answered", () -> server.acks().size() == 3);
      assertThat(server.acks())
          .containsExactly(
              new ScriptedMqttServer.Ack(1, 0),
              new ScriptedMqttServer.Ack(2, 0x80),
              new ScriptedMqttServer.Ack(3, 0));
    }
  }

  @Test
  void aCommandThatFailedIsAcknowledgedIn311() {
    try (RecordingConnection client =
        RecordingConnection.withCommands(transport(MqttVersion.MQTT_3_1_1))) {
      client.awaitGranted().awaitReady();
      server.peer().publish(4, "commands/x", "go");
      client.awaitCommand().reply().done(false);
      Await.until("it is answered", () -> !server.acks().isEmpty());
      assertThat(server.acks()).containsExactly(new ScriptedMqttServer.Ack(4, 0));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MQTT_5", "MQTT_3_1_1"})
  void aReplyAfterTheConnectionIsGoneDoesNothing(MqttVersion version) {
    try (RecordingConnection client = RecordingConnection.withCommands(transport(version))) {
      client.awaitGranted().awaitReady();
      server.peer().publish(4, "commands/x", "go");
      Received received = client.awaitCommand();
      server.peer().eof();
      client.awaitLost();
      int toldBefore = client.everything().size();

      received.reply().done(false);

      settle();
      assertThat(server.acks()).isEmpty();
      assertThat(client.everything()).hasSize(toldBefore);
    }
  }

  @Test
  void withoutATopicCommandsAreRefusedAndMessagesAreSent() {
    MqttSettings settings =
        MqttSettings.builder("127.0.0.1").port(server.port()).topic("readings").build();
    try (RecordingConnection client =
        RecordingConnection.withCommands(new MqttTransport(settings))) {
      assertCode(Objects.requireNonNull(client.awaitSubscribed()), "client", "settings");
      client.awaitReady().send("21").awaitAcknowledged();
    }
  }

  @Test
  void commandsCanBeAskedForLater() {
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      client.awaitReady().connection().subscribe();
      assertThat(client.awaitSubscribed()).isNull();
      server.peer().publish(1, "commands/x", "go");
      client.awaitCommand();
    }
  }
}
