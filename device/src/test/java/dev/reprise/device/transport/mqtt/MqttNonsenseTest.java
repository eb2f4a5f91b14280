package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ScriptedMqttServer;
import dev.reprise.device.fixture.ScriptedMqttServer.Peer;
import dev.reprise.fixtures.Await;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that answer nonsense: the attempt ends with a reason that says so, and its channel. */
final class MqttNonsenseTest {
  private static final int RANDOM_ANSWERS = 25;
  private static final int MAX_RANDOM_BYTES = 100;

  /** What the device says, and the server answers. */
  private enum Step {
    CONNECT,
    SUBSCRIBE,
    PUBLISH
  }

  private final ScriptedMqttServer server = ScriptedMqttServer.start();

  @AfterEach
  void nothingIsLeftOpen() {
    Await.until("all channels are closed", () -> server.open() == 0);
    server.close();
  }

  /** The server keeps the connection open in all of them: the device has to end it. */
  static List<Arguments> nonsense() {
    List<Arguments> all = new ArrayList<>();
    for (MqttVersion version : List.of(MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1)) {
      for (Step step : Step.values()) {
        all.add(arguments(version, step, "another protocol", hex(web())));
        all.add(arguments(version, step, "a type that is reserved", "0000"));
        all.add(arguments(version, step, "a length without an end", "20ffffffffff"));
        all.add(arguments(version, step, "an empty CONNACK", "2000"));
        all.add(arguments(version, step, "an empty PUBACK", "4000"));
        all.add(arguments(version, step, "an empty SUBACK", "9000"));
        all.add(arguments(version, step, "flags that are reserved", "2f03000000"));
        all.add(arguments(version, step, "a packet of clients", "c000"));
        all.add(arguments(version, step, "a topic longer than its packet", "3002ffff"));
        all.add(arguments(version, step, "a topic that is no text", "30040002c328"));
        all.add(arguments(version, step, "a QoS that is not there", "360700017400010000"));
      }
      all.add(arguments(version, Step.SUBSCRIBE, "a second CONNACK", "2003000000"));
      all.add(arguments(version, Step.PUBLISH, "a second CONNACK", "2003000000"));
    }
    all.add(arguments(MqttVersion.MQTT_5, Step.CONNECT, "an unknown property", "200500000201ff"));
    all.add(arguments(MqttVersion.MQTT_5, Step.CONNECT, "a property cut off", "20050000022100"));
    all.add(arguments(MqttVersion.MQTT_5, Step.CONNECT, "a maximum of 0", "2006000003210000"));
    all.add(
        arguments(
            MqttVersion.MQTT_5,
            Step.CONNECT,
            "a packet size of 0",
            "200800000527" + "0".repeat(8)));
    all.add(arguments(MqttVersion.MQTT_5, Step.CONNECT, "an unknown code", "2003007f00"));
    all.add(arguments(MqttVersion.MQTT_5, Step.CONNECT, "AUTH that nobody asked for", "f0021800"));
    return all;
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @MethodSource("nonsense")
  void endsTheConnectionAndSaysWhy(MqttVersion version, Step step, String what, String answer) {
    answer(step, HexFormat.of().parseHex(answer), false);
    try (RecordingConnection client = connect(version, step)) {
      TransportException cause = client.awaitLost();
      assertThat(cause.isRetryable()).as("%s", cause).isTrue();
      assertThat(cause.code()).as("%s", cause).isNotIn("unknown", "connection-lost");
    }
  }

  static List<Arguments> steps() {
    List<Arguments> all = new ArrayList<>();
    for (Step step : Step.values()) {
      all.add(arguments(MqttVersion.MQTT_5, step));
      all.add(arguments(MqttVersion.MQTT_3_1_1, step));
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("steps")
  void endsWithTheServer(MqttVersion version, Step step) {
    answer(step, new byte[0], true);
    try (RecordingConnection client = connect(version, step)) {
      assertThat(client.awaitLost().code()).isEqualTo("connection-lost");
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("steps")
  void endsWithTheServerWhateverItSaid(MqttVersion version, Step step) {
    for (int seed = 0; seed < RANDOM_ANSWERS; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[random.nextInt(MAX_RANDOM_BYTES)];
      random.nextBytes(noise);
      assertEnds(version, step, noise, "noise of seed " + seed);
      assertEnds(version, step, damaged(version, step, random), "damage of seed " + seed);
    }
  }

  private void assertEnds(MqttVersion version, Step step, byte[] answer, String what) {
    answer(step, answer, true);
    try (RecordingConnection client = connect(version, step)) {
      assertThat(client.awaitEnd().code()).isNotEqualTo("unknown");
    } catch (AssertionError e) {
      throw new AssertionError(what + ": " + HexFormat.of().formatHex(answer), e);
    }
  }

  private static byte[] damaged(MqttVersion version, Step step, Random random) {
    boolean is5 = version == MqttVersion.MQTT_5;
    String right =
        switch (step) {
          case CONNECT -> is5 ? "2006000003210014" : "20020000";
          case SUBSCRIBE -> is5 ? "900400010001" : "9003000101";
          case PUBLISH -> is5 ? "40040001" + "0000" : "40020001";
        };
    byte[] answer = HexFormat.of().parseHex(right);
    for (int i = 0; i <= random.nextInt(3); i++) {
      answer[random.nextInt(answer.length)] = (byte) random.nextInt();
    }
    return answer;
  }

  private void answer(Step step, byte[] bytes, boolean thenHangsUp) {
    server.onConnect(peer -> say(peer, step == Step.CONNECT, bytes, thenHangsUp, peer::accept));
    server.onSubscribe(
        (peer, subscribe) ->
            say(
                peer,
                step == Step.SUBSCRIBE,
                bytes,
                thenHangsUp,
                () -> peer.subAck(subscribe.packetId(), 1)));
    server.onPublish(
        (peer, publish) ->
            say(
                peer,
                step == Step.PUBLISH,
                bytes,
                thenHangsUp,
                () -> peer.pubAck(publish.packetId(), 0)));
  }

  private static void say(
      Peer peer, boolean isNonsense, byte[] nonsense, boolean thenHangsUp, Runnable right) {
    if (!isNonsense) {
      right.run();
      return;
    }
    peer.send(nonsense);
    if (thenHangsUp) {
      peer.eof();
    }
  }

  private RecordingConnection connect(MqttVersion version, Step step) {
    MqttTransport transport =
        new MqttTransport(
            MqttSettings.builder("127.0.0.1")
                .port(server.port())
                .version(version)
                .clientId("device")
                .topic("readings")
                .commands("commands/+")
                .build());
    if (step == Step.SUBSCRIBE) {
      return RecordingConnection.withCommands(transport);
    }
    RecordingConnection client = RecordingConnection.to(transport);
    if (step == Step.PUBLISH) {
      var unused = client.awaitReady().send("x");
    }
    return client;
  }

  private static byte[] web() {
    return "HTTP/1.1 400 Bad Request\r\n\r\n".repeat(4).getBytes(US_ASCII);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
