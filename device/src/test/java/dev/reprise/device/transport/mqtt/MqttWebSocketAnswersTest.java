package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What load balancers, proxies and portals answer who wants a WebSocket. */
class MqttWebSocketAnswersTest {
  private static TransportException lostAfter(String answer) throws IOException {
    try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      web.setSoTimeout(60_000);
      MqttTransport transport =
          new MqttTransport(
              MqttSettings.builder("127.0.0.1")
                  .port(web.getLocalPort())
                  .topic("readings")
                  .webSocketPath("mqtt")
                  .build());
      try (RecordingConnection client = RecordingConnection.to(transport);
          Socket accepted = web.accept()) {
        accepted.setSoTimeout(60_000);
        var request =
            new BufferedReader(new InputStreamReader(accepted.getInputStream(), US_ASCII));
        String line = request.readLine();
        while (line != null && !line.isEmpty()) {
          line = request.readLine();
        }
        accepted.getOutputStream().write(answer.getBytes(US_ASCII));
        accepted.shutdownOutput();
        return client.awaitLost();
      }
    }
  }

  private static TransportException lostAfterStatus(int status, String... headers)
      throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return lostAfter("HTTP/1.1 " + status + " Told\r\n" + more + "Content-Length: 0\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 502, 503, 504})
  void whatHttpRetriesIsRetriedAsAConnection(int status) throws IOException {
    TransportException cause = lostAfterStatus(status, "Retry-After: 7");
    assertThat(cause.protocol()).isEqualTo("http");
    assertThat(cause.code()).isEqualTo("" + status);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(cause.scope()).isEqualTo(ErrorScope.CONNECTION);
    assertThat(cause.retryAfter()).isEqualTo(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 302, 400, 403, 404, 426})
  void whateverElseIsNoWebSocketMayBeThereLater(int status) throws IOException {
    TransportException cause = lostAfterStatus(status, "Location: http://portal.example/login");
    assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(cause.scope()).isEqualTo(ErrorScope.CONNECTION);
    assertThat(cause).hasMessageContaining("" + status);
  }

  @Test
  void aCredentialThatIsRefusedIsNotTriedAgain() throws IOException {
    TransportException cause = lostAfterStatus(401);
    assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
    assertThat(cause.isRetryable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SSH-2.0-OpenSSH_9.6\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
      })
  void noAnswerOrOneWithoutSenseIsRetried(String answer) throws IOException {
    TransportException cause = lostAfter(answer);
    assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
    assertThat(cause.isRetryable()).isTrue();
  }
}
