package dev.reprise.examples.device;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.device.DeviceClient;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.hub.GoogleIotCore;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.message.Priority;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Mosquitto;
import dev.reprise.fixtures.TestAuthority;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every example against a server that nobody here wrote. */
@Timeout(300)
class DeviceExamplesTest {
  @TempDir Path folder;

  private static PrivateKey key() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair().getPrivate();
  }

  @Test
  void mqttBridgeReportsObeysAndComesBack() throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity server = authority.server();
    try (Mosquitto broker =
        Mosquitto.configure().tls(server.certificatePem(), server.keyPem()).start()) {
      TlsSettings tls = TlsSettings.system().trusting(authority.certificatePem());
      HubProfile profile =
          GoogleIotCore.builder("plant", "us-central1", "pumps", "pump-7")
              .key(key())
              .tls(tls)
              .mqttServer("localhost", broker.port())
              .build()
              .mqtt();
      try (MqttBridge pump = new MqttBridge(profile)) {
        pump.start();
        pump.report(21.5);
        String name = "projects/plant/locations/us-central1/registries/pumps/devices/pump-7";
        Await.until(
            "the broker has the first reading",
            () -> broker.log().contains("Sending PUBACK to " + name));

        broker.kill();
        pump.report(22.5);
        broker.restart();
        Await.until(
            "it has the second one too",
            () -> broker.log().split("Sending PUBACK to " + name, -1).length > 2);

        command(broker.port(), tls, "30");
        Await.until("the pump has obeyed", () -> pump.interval().equals(Duration.ofSeconds(30)));
      }
    }
  }

  /** Sends a command as the hub does. */
  private static void command(int port, TlsSettings tls, String body) throws Exception {
    URI hub = URI.create("mqtts://localhost:" + port + "?to=/devices/pump-7/commands/interval");
    try (DeviceClient client =
        DeviceClient.builder(HubProfiles.fromUri(hub, "the-hub", tls)).build()) {
      client.open();
      client.send(Message.of(body)).toCompletableFuture().get(300, TimeUnit.SECONDS);
    }
  }

  @Test
  void httpBridgeWaitsForABusyServer() throws Exception {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            seen.add(exchange.getRequestURI().getPath());
            if (seen.size() == 1) {
              exchange.getResponseHeaders().add("Retry-After", "1");
              exchange.sendResponseHeaders(429, -1);
            } else {
              exchange.sendResponseHeaders(200, -1);
            }
          }
        });
    server.start();
    try {
      HubProfile profile =
          GoogleIotCore.builder("plant", "us-central1", "pumps", "pump-7")
              .key(key())
              .build()
              .http(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1"));

      MessageOutcome outcome =
          HttpBridge.publishEvent(profile, "{\"celsius\": 21.5}", Duration.ofMinutes(2));

      assertThat(outcome.isAcknowledged()).isTrue();
      assertThat(outcome.attempts()).isEqualTo(2);
      assertThat(seen)
          .hasSize(2)
          .allMatch(path -> path.endsWith("/registries/pumps/devices/pump-7:publishEvent"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void httpBridgeSaysWhyAnEventIsRefused() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            // What is not read may turn the end of the connection into a reset.
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(400, -1);
          }
        });
    server.start();
    try {
      URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());

      MessageOutcome outcome =
          HttpBridge.publishEvent(
              HubProfiles.fromUri(uri, "pump-7"), "no JSON", Duration.ofMinutes(2));

      assertThat(outcome.kind()).isEqualTo(Kind.REJECTED);
      assertThat(outcome.cause()).hasMessageContaining("400");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void amqpDeviceSendsAndIsCommanded() throws Exception {
    Queue<String> commands = new ConcurrentLinkedQueue<>();
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry", "orders")) {
      URI server = URI.create("amqp://127.0.0.1:" + broker.amqpPort());
      AmqpDevice.sendAll(
          URI.create(server + "?to=orders&commands=answers"), "office", List.of("open"), c -> {});

      List<MessageOutcome> outcomes = new ArrayList<>();
      // The device leaves when its readings are there. A command that was still on its way waits
      // for its next visit.
      while (commands.isEmpty()) {
        outcomes.addAll(
            AmqpDevice.sendAll(
                URI.create(server + "?to=telemetry&commands=orders"),
                "pump-7",
                List.of("{\"celsius\": 21.5}", "{\"celsius\": 21.6}"),
                command -> commands.add(new String(command.body(), UTF_8))));
      }

      assertThat(outcomes).hasSizeGreaterThan(1).allMatch(MessageOutcome::isAcknowledged);
      assertThat(broker.read("telemetry"))
          .hasSameSizeAs(outcomes)
          .allSatisfy(stored -> assertThat(stored.properties()).containsEntry("firmware", "1.4.2"));
      assertThat(commands).contains("open");
    }
  }

  /**
   * Waits until a client that was closed has left its queue, which a disk may hold up for longer
   * than {@code close} waits: what it is asked after its end, it answers only then.
   */
  private static void awaitTheEndOf(DeviceClient client) {
    assertThatThrownBy(() -> client.open().toCompletableFuture().get(300, TimeUnit.SECONDS))
        .hasCauseExactlyInstanceOf(IllegalStateException.class);
  }

  @Test
  void offlineQueueSurvivesARestart() throws Exception {
    Queue<MessageOutcome> ends = new ConcurrentLinkedQueue<>();
    try (Mosquitto broker = Mosquitto.anonymous()) {
      URI hub = URI.create("mqtt://127.0.0.1:" + broker.port());
      broker.stop();
      DeviceClient first = OfflineQueue.device(hub, "pump-7", folder, ends::add);
      try (first) {
        for (int i = 0; i < 100; i++) {
          OfflineQueue.keep(first, "reading " + i, Priority.LOW);
        }
      }
      assertThat(ends).isEmpty();
      awaitTheEndOf(first);

      broker.restart();
      DeviceClient second = OfflineQueue.device(hub, "pump-7", folder, ends::add);
      try (second) {
        assertThat(second.counters().recovered()).isEqualTo(100);
        Await.until("all readings have ended", () -> ends.size() == 100);
      }

      assertThat(ends).allMatch(MessageOutcome::isAcknowledged);
      awaitTheEndOf(second);
      OfflineQueue.main(new String[] {hub.toString(), folder.toString()});
      assertThat(broker.log().split("Received PUBLISH from pump-7", -1)).hasSize(103);
    }
  }
}
