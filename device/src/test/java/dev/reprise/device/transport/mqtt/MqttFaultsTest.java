package dev.reprise.device.transport.mqtt;

import static dev.reprise.device.fixture.ScriptedMqttServer.maximumPacketSize;
import static dev.reprise.device.fixture.ScriptedMqttServer.receiveMaximum;
import static dev.reprise.device.fixture.ScriptedMqttServer.userProperty;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.FaultProxy;
import dev.reprise.device.fixture.ScriptedMqttServer;
import dev.reprise.device.fixture.UnknownHost;
import dev.reprise.device.fixture.Waiting;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.mqtt.RecordingConnection.Outcome;
import dev.reprise.device.transport.mqtt.RecordingConnection.Received;
import dev.reprise.testkit.RefusingPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers and links do that is not in the table of codes. */
class MqttFaultsTest {
  /** Its first bytes announce a packet of 84 bytes, which it must have for anybody to notice. */
  private static final byte[] GARBAGE =
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".repeat(2).getBytes(UTF_8);

  private final ScriptedMqttServer server = ScriptedMqttServer.start();

  @AfterEach
  void nothingIsLeftOpen() {
    Waiting.until("all channels are closed", () -> server.open() == 0);
    server.close();
  }

  private MqttTransport transport(MqttVersion version) {
    return new MqttTransport(settings(server.port()).version(version).build());
  }

  private static MqttSettings.Builder settings(int port) {
    return MqttSettings.builder("127.0.0.1")
        .port(port)
        .version(MqttVersion.MQTT_5)
        .clientId("device")
        .topic("readings")
        .commands("commands/+");
  }

  private static void assertCode(TransportException cause, String protocol, String code) {
    assertThat(cause.protocol() + "," + cause.code()).isEqualTo(protocol + "," + code);
  }

  // --- connecting

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
      Waiting.until("the channel is closed", () -> server.open() == 0);
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
  void anAnswerThatNeverComesIsWaitedForUntilTheAttemptIsClosedWhichFreesTheChannel() {
    server.onConnect(peer -> {});
    try (RecordingConnection client = RecordingConnection.to(transport(MqttVersion.MQTT_5))) {
      Waiting.until("connected", () -> !server.connects().isEmpty());
      assertThat(client.connection().capacity()).isZero();
      client.connection().close();
      client.connection().close();
      Waiting.until("the channel is closed", () -> server.open() == 0);
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
      Waiting.until("one channel is open", () -> server.open() == 1);
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

  // --- the version

  /** How a server that knows only 3.1.1 answers a newer version. */
  private static void refuseNewVersion(ScriptedMqttServer.Peer peer, byte[] answer) {
    if (peer.connect().level() == 5) {
      peer.send(answer);
      peer.eof();
    } else {
      peer.accept();
    }
  }

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

  // --- messages

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
      Waiting.until("both have arrived", () -> server.published().size() == 2);
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
  void aMessageThatIsTooLargeForTheServerFailsAndTheConnectionLivesOn() {
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
  void messagesUnderWayHaveNoOutcomeWhenTheConnectionIsClosedEvenInAKeptSession() {
    server.onPublish((peer, publish) -> {});
    MqttTransport transport =
        new MqttTransport(settings(server.port()).sessionExpiry(Duration.ofDays(1)).build());
    try (RecordingConnection client = RecordingConnection.to(transport)) {
      Outcome outcome = client.awaitReady().send("1");
      Waiting.until("it has arrived", () -> server.published().size() == 1);
      client.connection().close();
      Waiting.until("the channel is closed", () -> server.open() == 0);
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

  // --- commands

  @Test
  void commandsThatComeRightBehindTheAnswerAreToldOnceTheConnectionIsReady() {
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
      Waiting.until("it is answered", () -> !server.acks().isEmpty());
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
      Waiting.until("all are answered", () -> server.acks().size() == 3);
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
      Waiting.until("it is answered", () -> !server.acks().isEmpty());
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

  // --- links

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
        Waiting.until("the channel is closed", () -> !connection.isChannelOpen());
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
