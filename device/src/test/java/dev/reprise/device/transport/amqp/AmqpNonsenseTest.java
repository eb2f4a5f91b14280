package dev.reprise.device.transport.amqp;

import static dev.reprise.device.transport.amqp.RawPeer.amqp;
import static dev.reprise.device.transport.amqp.RawPeer.bytes;
import static dev.reprise.device.transport.amqp.RawPeer.close;
import static dev.reprise.device.transport.amqp.RawPeer.frame;
import static dev.reprise.device.transport.amqp.RawPeer.header;
import static dev.reprise.device.transport.amqp.RawPeer.join;
import static dev.reprise.device.transport.amqp.RawPeer.list;
import static dev.reprise.device.transport.amqp.RawPeer.open;
import static dev.reprise.device.transport.amqp.RawPeer.sasl;
import static dev.reprise.device.transport.amqp.RawPeer.symbols;
import static dev.reprise.device.transport.amqp.RawPeer.text;
import static dev.reprise.device.transport.amqp.RawPeer.uint;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.amqp.RawPeer.Step;
import dev.reprise.device.transport.amqp.RawPeer.Then;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Peers that answer nonsense: the attempt ends with a reason that says so, and frees its socket.
 */
final class AmqpNonsenseTest {
  private static final int RANDOM_ANSWERS = 25;
  private static final int MAX_RANDOM_BYTES = 200;
  private static final byte[] WEB = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII);

  /** The peer keeps the connection open in all of them: the device has to end it. */
  static List<Arguments> nonsense() {
    List<Arguments> all = new ArrayList<>();
    for (Step step : Step.values()) {
      all.add(arguments(step, "another protocol", WEB, "malformed-frame"));
      all.add(arguments(step, "zeros", new byte[16], "malformed-frame"));
      all.add(arguments(step, "a huge frame", bytes(0x7f, 255, 255, 255, 2, 0, 0, 0), null));
    }
    for (Step step : List.of(Step.OPEN, Step.BEGIN, Step.ATTACH, Step.TRANSFER)) {
      all.add(
          arguments(
              step, "a head beyond the frame", bytes(0, 0, 0, 8, 9, 0, 0, 0), "malformed-frame"));
      all.add(arguments(step, "an unknown type", frame(7, list(0x10)), "malformed-frame"));
      all.add(arguments(step, "a frame of SASL", sasl(0x44, bytes(0x50, 0)), "malformed-frame"));
      all.add(arguments(step, "no performative", frame(0, bytes(0x45)), "malformed-frame"));
      all.add(arguments(step, "an unknown performative", amqp(0x77), "malformed-frame"));
      all.add(
          arguments(
              step, "a cut list", frame(0, bytes(0, 0x53, 0x10, 0xd0, 0)), "malformed-frame"));
      all.add(
          arguments(
              step,
              "more fields than bytes",
              frame(0, bytes(0, 0x53, 0x10, 0xc0, 2, 9, 0)),
              "malformed-frame"));
      all.add(
          arguments(
              step, "a text for a number", amqp(0x11, text("x"), text("y")), "malformed-frame"));
      all.add(arguments(step, "lists in lists", frame(0, nested(10_000)), null));
      all.add(arguments(step, "an end by the peer", close("amqp:not-found", "no such host"), null));
      all.add(arguments(step, "a transfer without a link", amqp(0x14, uint(9), uint(0)), null));
      all.add(arguments(step, "a detach of no link", amqp(0x16, uint(9)), null));
      all.add(arguments(step, "an end of the session", amqp(0x17), null));
    }
    all.add(arguments(Step.HEADER, "another version", header(0), null));
    all.add(arguments(Step.HEADER, "no mechanism", join(header(3), sasl(0x40, symbols(""))), null));
    all.add(arguments(Step.HEADER, "no list", join(header(3), sasl(0x40)), null));
    all.add(
        arguments(Step.HEADER, "an outcome", join(header(3), sasl(0x44, bytes(0x50, 0))), null));
    all.add(arguments(Step.LOGIN, "an unknown outcome", sasl(0x44, bytes(0x50, 77)), null));
    all.add(arguments(Step.LOGIN, "no outcome", sasl(0x44), null));
    all.add(arguments(Step.LOGIN, "a challenge", sasl(0x42, bytes(0xa0, 1, 7)), "no-mechanism"));
    all.add(arguments(Step.LOGIN, "mechanisms", sasl(0x40, symbols("PLAIN")), null));
    all.add(arguments(Step.PROTOCOL, "SASL again", header(3), null));
    all.add(arguments(Step.OPEN, "an open without a name", amqp(0x10), null));
    all.add(arguments(Step.OPEN, "two opens", join(open(uint(512)), open(uint(512))), null));
    for (int size : new int[] {0, 1, 511}) {
      all.add(
          arguments(
              Step.OPEN,
              "frames of " + size + " and an end",
              join(open(uint(size)), close("amqp:not-found", "no such host")),
              "amqp:not-found"));
    }
    all.add(
        arguments(
            Step.ATTACH, "no credit, and an end", close("amqp:not-found", "no"), "amqp:not-found"));
    return all;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("nonsense")
  void endsTheConnectionAndSaysWhy(Step step, String what, byte[] nonsense, String code)
      throws Exception {
    try (RawPeer peer = RawPeer.saying(step, nonsense, Then.WAIT);
        Device device = connect(peer, step)) {
      TransportException cause = device.lost();
      assertThat(cause.code()).as("%s", cause).isNotEqualTo("unknown");
      if (code != null) {
        assertThat(cause.code()).as("%s", cause).isEqualTo(code);
      }
      peer.awaitReleased();
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void endsWithThePeer(Step step) throws Exception {
    try (RawPeer peer = RawPeer.saying(step, new byte[0], Then.HANG_UP);
        Device device = connect(peer, step)) {
      assertThat(device.lost().code()).isEqualTo("connection-closed");
      peer.awaitReleased();
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(Step.class)
  void endsWithThePeerWhateverItSaid(Step step) throws Exception {
    for (int seed = 0; seed < RANDOM_ANSWERS; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[random.nextInt(MAX_RANDOM_BYTES)];
      random.nextBytes(noise);
      assertEnds(step, noise, "noise of seed " + seed);
      assertEnds(step, damaged(step, random), "damage of seed " + seed);
    }
  }

  private static void assertEnds(Step step, byte[] answer, String what) throws Exception {
    try (RawPeer peer = RawPeer.saying(step, answer, Then.HANG_UP);
        Device device = connect(peer, step)) {
      assertThat(device.lost().code()).as(what).isNotEqualTo("unknown");
      peer.awaitReleased();
    } catch (AssertionError e) {
      throw new AssertionError(step + ", " + what + ": " + Arrays.toString(answer), e);
    }
  }

  /** Returns the right answer with some bytes of it wrong. */
  private static byte[] damaged(Step step, Random random) {
    byte[] answer = step == Step.ATTACH ? RawPeer.flow() : RawPeer.rightAnswer(step);
    for (int i = 0; i <= random.nextInt(3); i++) {
      answer[random.nextInt(answer.length)] = (byte) random.nextInt();
    }
    return answer;
  }

  /** Connects, and sends a message if it is the answer to that which is nonsense. */
  private static Device connect(RawPeer peer, Step step) {
    Device device = Device.connect(peer.settings().build());
    if (step == Step.TRANSFER) {
      device.ready();
      var unused = device.send(Message.of("x"));
    }
    return device;
  }

  /** A list that holds a list that holds a list. */
  private static byte[] nested(int depth) {
    byte[] all = bytes(0x45);
    byte[][] heads = new byte[depth + 1][];
    int size = 1;
    for (int i = depth; i >= 1; i--) {
      int inner = size + 4;
      heads[i] = bytes(0xd0, inner >> 24, inner >> 16, inner >> 8, inner, 0, 0, 0, 1);
      size = inner + 5;
    }
    heads[0] = bytes(0, 0x53, 0x10);
    return join(join(heads), all);
  }
}
