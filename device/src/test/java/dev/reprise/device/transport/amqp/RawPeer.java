package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * An AMQP peer made of bytes: it answers each step of one connection as it should, up to the one
 * where the test has it say something else. It reads only as much as it needs to find the next
 * step.
 */
final class RawPeer implements Closeable {
  /** What the device says, and this peer answers. */
  enum Step {
    HEADER,
    LOGIN,
    PROTOCOL,
    OPEN,
    BEGIN,
    ATTACH,
    TRANSFER
  }

  /** How the connection goes on after the step that the test has chosen. */
  enum Then {
    /** The peer keeps it open: it is the device that has to end it. */
    WAIT,
    HANG_UP
  }

  private static final int HEADER_BYTES = 8;

  private final ServerSocket listening;

  /** Completed when the device has closed the connection. */
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  private volatile byte[] attached = {};

  private RawPeer(ServerSocket listening) {
    this.listening = listening;
  }

  /** Starts a peer that serves one connection, and says this instead of the answer to the step. */
  static RawPeer saying(Step step, byte[] nonsense, Then then) throws IOException {
    RawPeer peer = new RawPeer(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    Thread thread = new Thread(() -> peer.serve(step, nonsense, then), "raw-peer");
    thread.setDaemon(true);
    thread.start();
    return peer;
  }

  AmqpSettings.Builder settings() {
    return AmqpSettings.builder("127.0.0.1", "telemetry").port(listening.getLocalPort());
  }

  /** Waits until the device has closed its socket. */
  void awaitReleased() throws Exception {
    released.get(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }

  private void serve(Step last, byte[] nonsense, Then then) {
    try (Socket socket = listening.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      for (Step step : Step.values()) {
        read(step, in);
        socket.getOutputStream().write(step == last ? nonsense : answer(step));
        if (step == last) {
          break;
        }
      }
      if (then == Then.HANG_UP) {
        socket.shutdownOutput();
      }
      readToEnd(in);
      released.complete(null);
    } catch (IOException reset) {
      // A device that hangs up on bytes that it has not read resets the connection.
      released.complete(null);
    }
  }

  private void read(Step step, DataInputStream in) throws IOException {
    if (step == Step.HEADER || step == Step.PROTOCOL) {
      in.readNBytes(HEADER_BYTES);
      return;
    }
    byte[] frame = in.readNBytes(in.readInt() - Integer.BYTES);
    if (step == Step.ATTACH) {
      attached = frame;
    }
  }

  private static void readToEnd(DataInputStream in) throws IOException {
    while (in.read() >= 0) {
      // Only the end matters.
    }
  }

  private byte[] answer(Step step) {
    return step == Step.ATTACH ? join(attach(name()), flow()) : rightAnswer(step);
  }

  /** Returns the right answer to a step, but to that which has a name to be repeated. */
  static byte[] rightAnswer(Step step) {
    return switch (step) {
      case HEADER -> join(header(3), sasl(0x40, symbols("ANONYMOUS")));
      case LOGIN -> sasl(0x44, bytes(0x50, 0));
      case PROTOCOL -> header(0);
      case OPEN -> open(bytes(0x40));
      case BEGIN -> amqp(0x11, bytes(0x60, 0, 0), uint(0), uint(100), uint(100));
      case ATTACH -> throw new IllegalArgumentException("step is ATTACH: its answer has a name");
      case TRANSFER -> disposition(bytes(0, 0x53, 0x24, 0x45));
    };
  }

  static byte[] open(byte[] maxFrameSize) {
    return amqp(0x10, text("peer"), bytes(0x40), maxFrameSize);
  }

  static byte[] close(String condition, String description) {
    return amqp(0x18, list(0x1d, symbol(condition), text(description)));
  }

  static byte[] attach(byte[] name) {
    return amqp(
        0x12,
        name,
        uint(0),
        bytes(0x41),
        bytes(0x40),
        bytes(0x40),
        list(0x28, text("device")),
        list(0x29, text("telemetry")));
  }

  static byte[] flow() {
    return amqp(0x13, uint(0), uint(100), uint(0), uint(100), uint(0), uint(0), uint(10));
  }

  static byte[] disposition(byte[] state) {
    return amqp(0x15, bytes(0x41), uint(0), uint(0), bytes(0x41), state);
  }

  /** Returns the name that the device gave its link, which the answer must repeat. */
  private byte[] name() {
    // Behind the rest of the head (4), the descriptor (3), the size and the count of the list.
    int at = attached[7] == (byte) 0xd0 ? 16 : 10;
    ByteBuffer text = ByteBuffer.wrap(attached).position(at + 1);
    int length = attached[at] == (byte) 0xb1 ? text.getInt() : text.get();
    return Arrays.copyOfRange(attached, at, text.position() + length);
  }

  static byte[] header(int protocol) {
    return join("AMQP".getBytes(US_ASCII), bytes(protocol, 1, 0, 0));
  }

  static byte[] amqp(int descriptor, byte[]... fields) {
    return frame(0, list(descriptor, fields));
  }

  static byte[] sasl(int descriptor, byte[]... fields) {
    return frame(1, list(descriptor, fields));
  }

  static byte[] frame(int type, byte[] body) {
    int size = HEADER_BYTES + body.length;
    return join(bytes(size >> 24, size >> 16, size >> 8, size, 2, type, 0, 0), body);
  }

  static byte[] list(int descriptor, byte[]... fields) {
    byte[] all = join(fields);
    int size = all.length + Integer.BYTES;
    return join(
        bytes(0, 0x53, descriptor, 0xd0, size >> 24, size >> 16, size >> 8, size),
        bytes(0, 0, 0, fields.length),
        all);
  }

  static byte[] uint(int value) {
    return bytes(0x70, value >> 24, value >> 16, value >> 8, value);
  }

  static byte[] text(String text) {
    return join(bytes(0xa1, text.length()), text.getBytes(US_ASCII));
  }

  static byte[] symbol(String text) {
    return join(bytes(0xa3, text.length()), text.getBytes(US_ASCII));
  }

  static byte[] symbols(String text) {
    return join(bytes(0xe0, text.length() + 3, 1, 0xa3, text.length()), text.getBytes(US_ASCII));
  }

  static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
