package dev.reprise.common.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.exceptions.IdleTimeoutException;
import org.apache.qpid.protonj2.engine.sasl.SaslClientContext;
import org.apache.qpid.protonj2.engine.sasl.SaslClientListener;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.types.Symbol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuardedEngineTest {
  private static final int IDLE_TIMEOUT_MILLIS = 1_000;

  private final EmbeddedChannel channel = new EmbeddedChannel();

  /** The engine fails at a symbol of a frame in three or more parts. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 10, 13, 1_000})
  void opensHoweverTheBytesOfThePeerAreCut(int bytes) {
    List<Connection> opened = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    GuardedEngine engine = started(opened, failures);
    byte[] all = join(login(), open());
    for (int at = 0; at < all.length; at += bytes) {
      engine.read(Unpooled.wrappedBuffer(all, at, Math.min(bytes, all.length - at)));
    }
    assertThat(failures).isEmpty();
    assertThat(opened).hasSize(1);
    assertThat(opened.get(0).getRemoteOfferedCapabilities())
        .containsExactly(Symbol.valueOf("first-capability"), Symbol.valueOf("second-capability"));
    assertThat(engine.channelMax()).isEqualTo(9);
  }

  @Test
  void whatACallbackThrowsIsReported() {
    List<Throwable> failures = new ArrayList<>();
    GuardedEngine engine = started(new ArrayList<>(), failures);
    IllegalStateException bug = new IllegalStateException("a bug");
    engine.run(
        () -> {
          throw bug;
        });
    assertThat(failures).containsExactly(bug);
    engine.end();
    assertThat(failures).containsExactly(bug);
  }

  @Test
  void nonsenseIsReportedAndNotThrown() {
    List<Throwable> failures = new ArrayList<>();
    GuardedEngine engine = started(new ArrayList<>(), failures);
    engine.read(Unpooled.wrappedBuffer("HTTP/1.1 400 Bad Request".getBytes(US_ASCII)));
    assertThat(failures).isNotEmpty();
    engine.end();
  }

  @Test
  void aFrameThatArrivesSlowlyIsASignOfLife() {
    List<Throwable> failures = new ArrayList<>();
    GuardedEngine engine = started(new ArrayList<>(), failures);
    channel.freezeTime();
    engine.read(Unpooled.wrappedBuffer(login(), open()));
    engine.startTicking(IDLE_TIMEOUT_MILLIS, 0);
    byte[] frame = frame(0, new byte[100]);
    for (int i = 0; i < 20; i++) {
      engine.read(Unpooled.wrappedBuffer(frame, i, 1));
      pass(IDLE_TIMEOUT_MILLIS / 2);
      assertThat(failures).as("after %s bytes", i + 1).isEmpty();
    }
    pass(2 * IDLE_TIMEOUT_MILLIS);
    assertThat(failures).isNotEmpty();
    assertThat(failures.get(0)).isInstanceOf(IdleTimeoutException.class);
    engine.end();
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i += 50) {
      channel.advanceTimeBy(50, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
  }

  private GuardedEngine started(List<Connection> opened, List<Throwable> failures) {
    GuardedEngine engine = new GuardedEngine(channel.eventLoop(), failures::add);
    engine.start(
        output -> {},
        new Anonymous(),
        opening ->
            opening
                .setContainerId("device")
                .setIdleTimeout(IDLE_TIMEOUT_MILLIS)
                .openHandler(opened::add)
                .open());
    return engine;
  }

  private static byte[] login() {
    return join(
        header(3),
        frame(1, list(0x40, symbols("PLAIN", "ANONYMOUS"))),
        frame(1, list(0x44, bytes(0x50, 0))),
        header(0));
  }

  private static byte[] open() {
    byte[] none = bytes(0x40);
    byte[] name = join(bytes(0xa1, 4), "peer".getBytes(US_ASCII));
    byte[] capabilities = symbols("first-capability", "second-capability");
    return frame(
        0, list(0x10, name, none, none, bytes(0x60, 0, 9), none, none, none, capabilities));
  }

  private static byte[] symbols(String first, String second) {
    byte[] both =
        join(
            bytes(first.length()),
            first.getBytes(US_ASCII),
            bytes(second.length()),
            second.getBytes(US_ASCII));
    return join(bytes(0xe0, both.length + 2, 2, 0xa3), both);
  }

  private static byte[] header(int protocol) {
    return join("AMQP".getBytes(US_ASCII), bytes(protocol, 1, 0, 0));
  }

  private static byte[] frame(int type, byte[] body) {
    return join(bytes(0, 0, 0, 8 + body.length, 2, type, 0, 0), body);
  }

  private static byte[] list(int descriptor, byte[]... fields) {
    byte[] all = join(fields);
    return join(bytes(0, 0x53, descriptor, 0xc0, all.length + 1, fields.length), all);
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static final class Anonymous implements SaslClientListener {
    @Override
    public void handleSaslMechanisms(SaslClientContext context, Symbol[] offered) {
      context.sendChosenMechanism(Symbol.valueOf("ANONYMOUS"), null, null);
    }

    @Override
    public void handleSaslChallenge(SaslClientContext context, ProtonBuffer challenge) {}

    @Override
    public void handleSaslOutcome(
        SaslClientContext context, SaslOutcome outcome, ProtonBuffer additional) {}
  }
}
