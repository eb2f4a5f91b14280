package dev.reprise.device.hub;

import static dev.reprise.device.fixture.RecordingDevice.credential;
import static dev.reprise.device.fixture.RecordingDevice.within;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.credential.PemFile;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Mosquitto;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.Signature;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each profile against a server that checks what a hub would check. */
@Tag("slow")
class HubEndToEndTest {
  private static final String KEY = Base64.getEncoder().encodeToString("key".getBytes(UTF_8));

  @TempDir Path folder;

  private TestAuthority authority;
  private TlsSettings tls;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = TestAuthority.in(folder);
    tls = TlsSettings.system().trusting(authority.certificatePem());
  }

  @Test
  void azureDeviceIsLetInByItsSignatureOverMqtt() throws Exception {
    AzureIotHub.Builder device = AzureIotHub.builder("hub.example", "pump-7").key(KEY).tls(tls);
    Credential credential = credential(device.build().mqtt());
    Identity server = authority.server();
    try (Mosquitto broker =
        Mosquitto.configure()
            .tls(server.certificatePem(), server.keyPem())
            .user(String.valueOf(credential.username()), String.valueOf(credential.secret()))
            .start()) {
      HubProfile profile = device.gateway("127.0.0.1", broker.port()).build().mqtt();
      RecordingDevice connected = RecordingDevice.wantingCommands(profile.transport(), credential);
      within(connected.ready);

      assertThat(within(connected.send(Message.builder().id("m 1").property("a", "b+c").build())))
          .isEmpty();

      assertThat(broker.log())
          .contains("pump-7 1 devices/pump-7/messages/devicebound/#")
          .contains("'devices/pump-7/messages/events/%24.mid=m%201&a=b%2Bc'");
    }
  }

  @Test
  void azureDeviceIsLetInByItsCertificateOverMqtt() throws Exception {
    Identity server = authority.server();
    Identity identity = authority.client("pump-7");
    try (Mosquitto broker =
        Mosquitto.configure()
            .tls(server.certificatePem(), server.keyPem())
            .clientCertificates(authority.certificatePem())
            .start()) {
      HubProfile profile =
          AzureIotHub.builder("hub.example", "pump-7")
              .tls(tls.identifiedBy(identity.certificatePem(), identity.keyPem()))
              .gateway("127.0.0.1", broker.port())
              .build()
              .mqtt();

      assertThat(within(RecordingDevice.ready(profile).send(Message.of("x")))).isEmpty();
    }
  }

  @Test
  void azureDeviceSendsOverHttps() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(serverContext()));
    server.createContext(
        "/devices/pump-7/messages/events",
        exchange -> {
          seen.complete(
              exchange.getRequestURI().getQuery()
                  + " "
                  + exchange.getRequestHeaders().getFirst("iothub-app-room")
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    try {
      HubProfile profile =
          AzureIotHub.builder("hub.example", "pump-7")
              .key(KEY)
              .tls(tls)
              .gateway("localhost", server.getAddress().getPort())
              .build()
              .http();
      RecordingDevice device = RecordingDevice.ready(profile);

      assertThat(within(device.send(Message.builder().property("room", "12").build()))).isEmpty();
      assertThat(within(seen))
          .startsWith(
              "api-version=2021-04-12 12 SharedAccessSignature sr=hub.example%2Fdevices%2Fpump-7");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void googleDeviceIsLetInByItsTokenOverMqtt() throws Exception {
    Identity identity = authority.client("pump-7");
    Identity server = authority.server();
    GoogleIotCore.Builder device =
        GoogleIotCore.builder("p", "l", "r", "pump-7").key(identity.keyPem()).tls(tls);
    Credential credential = credential(device.build().mqtt());
    try (Mosquitto broker =
        Mosquitto.configure()
            .tls(server.certificatePem(), server.keyPem())
            .user("unused", String.valueOf(credential.secret()))
            .start()) {
      HubProfile profile = device.mqttServer("127.0.0.1", broker.port()).build().mqtt();
      RecordingDevice connected = RecordingDevice.wantingCommands(profile.transport(), credential);
      within(connected.ready);
      assertThat(within(connected.send(Message.of("x")))).isEmpty();
      assertThat(broker.log())
          .contains("Received PUBLISH from projects/p/locations/l/registries/r/devices/pump-7")
          .contains("'/devices/pump-7/events'");

      // Another token, of another time, is a wrong password for this server.
      TransportException refusal =
          within(
              RecordingDevice.connect(profile.transport(), new Credential("unused", "old", null))
                  .lost);
      assertThat(refusal.kind()).isEqualTo(ErrorKind.CREDENTIAL);
    }
  }

  @Test
  void googleDevicePublishesEventsOverTheHttpBridge() throws Exception {
    Identity identity = authority.client("pump-7", "RSA");
    CompletableFuture<String> body = new CompletableFuture<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/projects/p/locations/l/registries/r/devices/pump-7:publishEvent",
        exchange -> {
          String authorization = exchange.getRequestHeaders().getFirst("Authorization");
          boolean known = isSigned(authorization.replace("Bearer ", ""), identity);
          body.complete(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          exchange.sendResponseHeaders(known ? 200 : 401, -1);
          exchange.close();
        });
    server.start();
    try {
      GoogleIotCore device =
          GoogleIotCore.builder("p", "l", "r", "pump-7").key(identity.keyPem()).build();
      URI bridge = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");

      assertThat(within(RecordingDevice.ready(device.http(bridge)).send(Message.of("21.5 °C"))))
          .isEmpty();
      assertThat(within(body)).isEqualTo("{\"binaryData\":\"MjEuNSDCsEM=\"}");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void plainMqttReachesMosquitto() throws Exception {
    try (Mosquitto broker = Mosquitto.configure().user("me", "a/@b").start()) {
      HubProfile profile =
          HubProfiles.fromUri(
              URI.create("mqtt://me:a%2F%40b@127.0.0.1:" + broker.port() + "?to=readings"),
              "pump-7");

      assertThat(within(RecordingDevice.ready(profile).send(Message.of("x")))).isEmpty();
      assertThat(broker.log()).contains("Received PUBLISH from pump-7").contains("'readings'");
    }
  }

  @Test
  void plainMqttGoesThroughAWebSocket() throws Exception {
    // The acceptor tells a WebSocket from plain MQTT by its first bytes.
    try (ArtemisBroker broker = ArtemisBroker.builder().user("me", "secret").start()) {
      HubProfile profile =
          HubProfiles.fromUri(
              URI.create("ws://me:secret@127.0.0.1:" + broker.mqttPort()), "pump-7");

      assertThat(within(RecordingDevice.ready(profile).send(Message.of("x")))).isEmpty();
    }
  }

  @Test
  void plainAmqpReachesArtemis() throws Exception {
    try (ArtemisBroker broker =
        ArtemisBroker.builder().user("me", "secret").queue("devices/pump-7/messages").start()) {
      HubProfile profile =
          HubProfiles.fromUri(
              URI.create("amqp://me:secret@127.0.0.1:" + broker.amqpPort()), "pump-7");

      assertThat(within(RecordingDevice.ready(profile).send(Message.builder().id("m-1").build())))
          .isEmpty();
      assertThat(broker.read("devices/pump-7/messages"))
          .extracting(ArtemisBroker.Stored::id)
          .containsExactly("m-1");
    }
  }

  private SSLContext serverContext() throws Exception {
    Identity identity = authority.server();
    TlsSettings settings =
        TlsSettings.system().identifiedBy(identity.certificatePem(), identity.keyPem());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(settings.keys() == null ? null : settings.keys().getKeyManagers(), null, null);
    return context;
  }

  private static boolean isSigned(String token, Identity identity) {
    try {
      int end = token.lastIndexOf('.');
      Signature verifier = Signature.getInstance("SHA256withRSA");
      verifier.initVerify(
          PemFile.read(identity.certificatePem()).certificates().get(0).getPublicKey());
      verifier.update(token.substring(0, end).getBytes(US_ASCII));
      return verifier.verify(Base64.getUrlDecoder().decode(token.substring(end + 1)));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
