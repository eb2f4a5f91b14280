package dev.reprise.device.transport.mqtt;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.device.fixture.TlsServer;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.device.transport.Transport;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server wants to know before it speaks MQTT on a port that others use, too. */
class MqttOnPort443Test {
  private static TlsSettings tls(TestAuthority authority) throws Exception {
    Identity device = authority.client("device-7");
    return TlsSettings.system()
        .trusting(authority.certificatePem())
        .identifiedBy(device.certificatePem(), device.keyPem());
  }

  private static MqttSettings.Builder settings(int port) {
    return MqttSettings.builder("localhost").port(port).topic("readings");
  }

  @Test
  void theProtocolIsOfferedInTls(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    try (TlsServer server = TlsServer.start(authority, authority.server(), "x-amzn-mqtt-ca");
        RecordingConnection client =
            RecordingConnection.to(
                new MqttTransport(
                    settings(server.port())
                        .tls(tls(authority))
                        .alpn("mqtt", "x-amzn-mqtt-ca")
                        .build()))) {
      assertThat(server.next()).isEqualTo("CN=device-7 x-amzn-mqtt-ca");
      client.awaitLost();
    }
  }

  @Test
  void aUriNamesTheProtocol(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    try (TlsServer server = TlsServer.start(authority, authority.server(), "x-amzn-mqtt-ca");
        RecordingConnection client =
            RecordingConnection.to(
                HubProfiles.fromUri(
                        URI.create("mqtts://localhost:" + server.port() + "?alpn=x-amzn-mqtt-ca"),
                        "device-7",
                        tls(authority))
                    .transport())) {
      assertThat(server.next()).isEqualTo("CN=device-7 x-amzn-mqtt-ca");
      client.awaitLost();
    }
  }

  private static List<String> requestOf(ServerSocket web, Transport transport) throws Exception {
    web.setSoTimeout(300_000);
    try (RecordingConnection client = RecordingConnection.to(transport);
        Socket accepted = web.accept()) {
      BufferedReader request =
          new BufferedReader(new InputStreamReader(accepted.getInputStream(), US_ASCII));
      List<String> lines = new ArrayList<>();
      for (String line = request.readLine(); !line.isEmpty(); line = request.readLine()) {
        lines.add(line);
      }
      accepted.shutdownOutput();
      client.awaitLost();
      return lines;
    }
  }

  @Test
  void aWebSocketHasAQueryAndHeadersOfItsOwn() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<String> lines =
          requestOf(
              web,
              new MqttTransport(
                  settings(web.getLocalPort())
                      .webSocketPath("mqtt")
                      .webSocketQuery("x-amz-customauthorizer-name=a%2Fb&to=x")
                      .webSocketHeader("X-Token", "secret 1")
                      .build()));
      assertThat(lines.get(0))
          .isEqualTo("GET /mqtt?x-amz-customauthorizer-name=a%2Fb&to=x HTTP/1.1");
      assertThat(lines).anyMatch(line -> line.equalsIgnoreCase("X-Token: secret 1"));
    }
  }

  @Test
  void aUriOfAWebSocketPassesOnWhatIsNotOurs() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      URI uri =
          URI.create(
              "ws://localhost:"
                  + web.getLocalPort()
                  + "/mqtt?to=plant&x-amz-customauthorizer-name=a%2Fb&X-Amz-Date=1");
      assertThat(requestOf(web, HubProfiles.fromUri(uri, "device-7").transport()).get(0))
          .isEqualTo("GET /mqtt?x-amz-customauthorizer-name=a%2Fb&X-Amz-Date=1 HTTP/1.1");
    }
  }

  @Test
  void soDoesAUriOfAWebSocketOverTls(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    try (TlsServer server = TlsServer.start(authority, authority.server());
        RecordingConnection client =
            RecordingConnection.to(
                HubProfiles.fromUri(
                        URI.create(
                            "wss://localhost:" + server.port() + "/mqtt?X-Amz-Credential=a%2Fb"),
                        "device-7",
                        tls(authority))
                    .transport())) {
      assertThat(server.next()).isEqualTo("CN=device-7 GET /mqtt?X-Amz-Credential=a%2Fb HTTP/1.1");
      client.awaitLost();
    }
  }

  @Test
  void settingsWithoutWhatTheyNeedAreRefusedByName() {
    assertThatThrownBy(() -> settings(1883).alpn("mqtt").build())
        .hasMessage("alpn is [mqtt]: must be empty without tls");
    assertThatThrownBy(() -> settings(80).webSocketQuery("a=secret").build())
        .hasMessageStartingWith("webSocketPath is not set: must be")
        .hasMessageNotContaining("=secret");
    for (String query : List.of("?a=1", "a=%", "a b", "a#b")) {
      assertThatThrownBy(() -> settings(80).webSocketPath("mqtt").webSocketQuery(query).build())
          .hasMessageStartingWith("webSocketQuery is given: must be percent-encoded");
    }
    assertThatThrownBy(
            () -> settings(80).webSocketPath("mqtt").webSocketHeader("A", "sec\nret").build())
        .hasMessage("webSocketHeaders is A: must have a value of visible ASCII and blanks");
    assertThatThrownBy(
            () -> HubProfiles.fromUri(URI.create("mqtt://localhost?x-other=1"), "device-7"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
