package dev.reprise.cli.base;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command through a SOCKS proxy of version 5 (RFC 1928), which answers as the service does. */
class SocksCommandTest {
  private static final int VERSION = 5;
  private static final int CONNECT = 1;
  private static final int IPV4 = 1;
  private static final int REFUSED = 5;

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private ServerSocket proxy;
  private volatile int reply;

  @BeforeEach
  void listen() throws IOException {
    proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
  }

  /** Takes one connection, and answers its request with a topic. */
  private void serve() {
    try (Socket socket = proxy.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      assertThat(in.readUnsignedByte()).isEqualTo(VERSION);
      in.readNBytes(in.readUnsignedByte());
      out.write(new byte[] {VERSION, 0});
      assertThat(in.readNBytes(4)).containsExactly(VERSION, CONNECT, 0, IPV4);
      asked.add(
          InetAddress.getByAddress(in.readNBytes(4)).getHostAddress()
              + ":"
              + in.readUnsignedShort());
      out.write(new byte[] {VERSION, (byte) reply, 0, IPV4, 0, 0, 0, 0, 0, 0});
      if (reply != 0) {
        return;
      }
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.readUnsignedByte());
      }
      asked.add(head.substring(0, head.indexOf("\r\n")));
      out.write(
          "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{\"name\":\"a\"}"
              .getBytes(US_ASCII));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private CommandRun.Result run() throws Exception {
    CompletableFuture<Void> served = CompletableFuture.runAsync(this::serve);
    CommandRun.Result result =
        new CommandRun()
            .with("REPRISE_URL", "http://192.0.2.7:8080")
            .with("all_proxy", "socks5://127.0.0.1:" + proxy.getLocalPort())
            .execute("topic", "create", "a");
    served.get(5, TimeUnit.MINUTES);
    return result;
  }

  @Test
  void aServiceIsAskedThroughIt() throws Exception {
    CommandRun.Result result = run();

    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
    assertThat(asked).containsExactly("192.0.2.7:8080", "PUT /v1/topics/a HTTP/1.1");
  }

  @Test
  void theProxyThatDoesNotConnectIsNamed() throws Exception {
    reply = REFUSED;

    CommandRun.Result result = run();

    assertThat(result.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(result.err())
        .startsWith("reprise: cannot reach http://192.0.2.7:8080 through the proxy 127.0.0.1:")
        .contains("of all_proxy");
    assertThat(asked).containsExactly("192.0.2.7:8080");
  }
}
