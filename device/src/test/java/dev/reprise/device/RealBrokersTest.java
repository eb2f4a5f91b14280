package dev.reprise.device;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.fixture.FaultProxy;
import dev.reprise.device.fixture.FaultProxy.Cut;
import dev.reprise.device.hub.HubProfile;
import dev.reprise.device.hub.HubProfiles;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.message.MessageOutcome;
import dev.reprise.device.message.MessageOutcome.Kind;
import dev.reprise.device.queue.QueueSettings;
import dev.reprise.device.retry.RetryPolicies;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.Mosquitto;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole client against servers that others wrote, with everything that happens to them. */
@Tag("slow")
class RealBrokersTest {
  private static final String QUEUE = "readings";

  private final Queue<ConnectionStatus> statuses = new ConcurrentLinkedQueue<>();
  private final Queue<MessageOutcome> outcomes = new ConcurrentLinkedQueue<>();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closed(T resource) {
    opened.add(resource);
    return resource;
  }

  private DeviceClient client(HubProfile profile, UnaryOperator<DeviceClientBuilder> settings)
      throws IOException {
    DeviceClientBuilder builder =
        DeviceClient.builder(profile)
            .firstReconnectSpread(ofMillis(50))
            .connectionRetryPolicy(
                RetryPolicies.of(
                    Backoff.exponential(ofMillis(50), ofMillis(500)).withEqualJitter()))
            .messageRetryPolicy(RetryPolicies.fixed(ofMillis(50)))
            .onStatus((status, previous) -> statuses.add(status))
            .onOutcome(outcomes::add);
    return closed(settings.apply(builder).build());
  }

  private DeviceClient client(String uri) throws IOException {
    return client(HubProfiles.fromUri(URI.create(uri), "device-1"), builder -> builder);
  }

  private boolean was(ConnectionState state, StatusReason reason) {
    return statuses.stream()
        .anyMatch(status -> status.state() == state && status.reason() == reason);
  }

  private void untilItWas(ConnectionState state, StatusReason reason) {
    Await.until("it was " + state + ", " + reason, () -> was(state, reason));
  }

  private static void untilItIs(DeviceClient client, ConnectionState state) {
    Await.until("it is " + state, () -> client.status().state() == state);
  }

  private static List<String> ids(int messages) {
    return IntStream.range(0, messages).mapToObj(i -> "m" + i).toList();
  }

  private static void enqueue(DeviceClient client, List<String> ids) {
    ids.forEach(id -> client.enqueue(Message.builder().id(id).body(id).build()));
  }

  private void untilAllAreAcknowledged(int messages) {
    Await.until(messages + " messages have ended", () -> outcomes.size() >= messages);
    assertThat(outcomes).extracting(MessageOutcome::kind).containsOnly(Kind.ACKNOWLEDGED);
    assertThat(outcomes).extracting(MessageOutcome::messageId).doesNotHaveDuplicates();
  }

  /** Another device, connected without any fault, that sees what the broker passes on. */
  private Queue<String> receiver(int port) throws Exception {
    Queue<String> received = new ConcurrentLinkedQueue<>();
    URI uri = URI.create("mqtt://localhost:" + port + "?commands=devices/device-1/messages");
    DeviceClient receiver =
        closed(DeviceClient.builder(HubProfiles.fromUri(uri, "receiver")).build());
    receiver.open();
    receiver
        .subscribe((Command command) -> received.add(new String(command.body(), UTF_8)))
        .toCompletableFuture()
        .get(300, TimeUnit.SECONDS);
    return received;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.1.1", "5"})
  void mqttThroughManyCutsArrivesCompletelyAndInOrder(String version) throws Exception {
    // A subscriber may be slow: by default the broker drops what it has to wait with.
    Mosquitto broker = closed(Mosquitto.configure().line("max_queued_messages 0").start());
    FaultProxy proxy = closed(FaultProxy.to(broker.port()));
    Queue<String> received = receiver(broker.port());
    DeviceClient client = client("mqtt://localhost:" + proxy.port() + "?version=" + version);
    client.open();
    List<String> ids = ids(2_000);
    for (int chunk = 0; chunk < 10; chunk++) {
      enqueue(client, ids.subList(chunk * 200, chunk * 200 + 200));
      int enough = chunk * 200 + 50;
      Await.until(enough + " messages have ended", () -> outcomes.size() >= enough);
      proxy.cut(chunk % 2 == 0 ? Cut.RST : Cut.FIN);
    }
    untilAllAreAcknowledged(ids.size());
    Await.until(
        "the other device has them all", () -> received.stream().distinct().count() == ids.size());
    assertThat(received.stream().distinct().toList()).isEqualTo(ids);
    // All may have been acknowledged when the last cut came.
    Await.until("every cut is noticed", () -> client.counters().losses() >= 10);
  }

  @Test
  void theBrokerIsKilledAndComesBack() throws Exception {
    Mosquitto broker = closed(Mosquitto.anonymous());
    DeviceClient client = client("mqtt://localhost:" + broker.port());
    client.open().toCompletableFuture().get(300, TimeUnit.SECONDS);
    for (int kill = 0; kill < 3; kill++) {
      statuses.clear();
      broker.kill();
      untilItWas(ConnectionState.RETRYING, StatusReason.NETWORK);
      enqueue(client, List.of("a" + kill, "b" + kill));
      broker.restart();
      untilAllAreAcknowledged(2 * kill + 2);
      assertThat(client.status().state()).isEqualTo(ConnectionState.CONNECTED);
    }
    assertThat(outcomes)
        .extracting(MessageOutcome::messageId)
        .containsExactly("a0", "b0", "a1", "b1", "a2", "b2");
  }

  @Test
  void aLinkThatIsHalfOpenIsNoticedByTheAckTimeout() throws Exception {
    Mosquitto broker = closed(Mosquitto.anonymous());
    FaultProxy proxy = closed(FaultProxy.to(broker.port()));
    DeviceClient client =
        client(
            HubProfiles.fromUri(URI.create("mqtt://localhost:" + proxy.port()), "device-1"),
            builder -> builder.ackTimeout(ofSeconds(2)));
    client.open().toCompletableFuture().get(300, TimeUnit.SECONDS);
    proxy.blackHole();
    enqueue(client, List.of("a"));
    untilItWas(ConnectionState.RETRYING, StatusReason.TIMEOUT);
    proxy.heal();
    untilAllAreAcknowledged(1);
  }

  @Test
  void aServerWithAnExpiredCertificateIsAskedAgain(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity expired = authority.expiredServer();
    TestAuthority.Identity valid = authority.server();
    Path certificate = Files.copy(expired.certificatePem(), folder.resolve("shown.pem"));
    Path key = Files.copy(expired.keyPem(), folder.resolve("shown.key"));
    Mosquitto broker = closed(Mosquitto.configure().tls(certificate, key).start());
    DeviceClient client =
        client(
            HubProfiles.fromUri(
                URI.create("mqtts://localhost:" + broker.port()),
                "device-1",
                TlsSettings.system().trusting(authority.certificatePem())),
            builder -> builder);
    CompletableFuture<?> open = client.open().toCompletableFuture();
    assertThatThrownBy(() -> open.get(300, TimeUnit.SECONDS))
        .cause()
        .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
        .extracting(TransportException::name)
        .isEqualTo("TlsServerCertificateRejected");
    assertThat(client.status().state()).isEqualTo(ConnectionState.RETRYING);
    assertThat(client.status().reason()).isEqualTo(StatusReason.CREDENTIAL);

    Files.copy(valid.certificatePem(), certificate, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(valid.keyPem(), key, StandardCopyOption.REPLACE_EXISTING);
    broker.restart();
    // Not to wait for the minute.
    Await.until(
        "it is connected",
        () -> {
          client.reconnectNow();
          return client.status().state() == ConnectionState.CONNECTED;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mqtt", "amqp"})
  void aPasswordThatIsWrongForAWhileDoesNotEndTheDevice(String scheme) throws Exception {
    ArtemisBroker broker =
        closed(ArtemisBroker.builder().user("device", "secret").queue(QUEUE).start());
    int port = scheme.equals("mqtt") ? broker.mqttPort() : broker.amqpPort();
    DeviceClient client = client(scheme + "://device:secret@localhost:" + port + "?to=" + QUEUE);
    client.open().toCompletableFuture().get(300, TimeUnit.SECONDS);
    broker.setPassword("device", "another");
    broker.stop();
    // Who comes back before the broker has gone is refused at once.
    Await.until("it is lost", () -> client.status().state() != ConnectionState.CONNECTED);
    broker.start();
    Await.until("it is refused", () -> client.status().reason() == StatusReason.CREDENTIAL);
    assertThat(client.status().state()).isEqualTo(ConnectionState.RETRYING);
    broker.setPassword("device", "secret");
    broker.stop();
    broker.start();
    Await.until(
        "it is back",
        () -> {
          client.reconnectNow();
          return client.status().state() == ConnectionState.CONNECTED;
        });
  }

  @Test
  void amqpThroughManyCutsArrivesCompletely() throws Exception {
    ArtemisBroker broker = closed(ArtemisBroker.withQueues(QUEUE));
    FaultProxy proxy = closed(FaultProxy.to(broker.amqpPort()));
    DeviceClient client = client("amqp://localhost:" + proxy.port() + "?to=" + QUEUE);
    client.open();
    List<String> ids = ids(2_000);
    for (int chunk = 0; chunk < 10; chunk++) {
      enqueue(client, ids.subList(chunk * 200, chunk * 200 + 200));
      int enough = chunk * 200 + 50;
      Await.until(enough + " messages have ended", () -> outcomes.size() >= enough);
      proxy.cut(chunk % 2 == 0 ? Cut.RST : Cut.FIN);
    }
    untilAllAreAcknowledged(ids.size());
    List<String> stored =
        broker.read(QUEUE).stream().map(message -> new String(message.body(), UTF_8)).toList();
    assertThat(stored.stream().distinct().toList()).isEqualTo(ids);
  }

  @Test
  void amqpOutlivesTheBroker() throws Exception {
    ArtemisBroker broker = closed(ArtemisBroker.withQueues(QUEUE));
    DeviceClient client = client("amqp://localhost:" + broker.amqpPort() + "?to=" + QUEUE);
    client.open().toCompletableFuture().get(300, TimeUnit.SECONDS);
    broker.stop();
    untilItIs(client, ConnectionState.RETRYING);
    enqueue(client, ids(100));
    broker.start();
    untilAllAreAcknowledged(100);
    assertThat(broker.count(QUEUE)).isEqualTo(100);
  }

  @Test
  void anAmqpAddressThatIsFullIsAThrottleAndNoTimeout() throws Exception {
    ArtemisBroker broker = closed(ArtemisBroker.builder().fullWith(1, QUEUE).start());
    String uri = "amqp://localhost:" + broker.amqpPort() + "?to=" + QUEUE;
    DeviceClient client =
        client(
            HubProfiles.fromUri(URI.create(uri), "device-1"),
            builder -> builder.ackTimeout(ofSeconds(1)).connectTimeout(ofSeconds(1)));
    client.open();
    // The broker grants a thousand at a time, and takes them even when it is full.
    enqueue(client, ids(3_000));
    untilItWas(ConnectionState.RETRYING, StatusReason.THROTTLED);
    assertThat(was(ConnectionState.RETRYING, StatusReason.NETWORK)).isFalse();
    for (int messages = 300; messages <= 3_000; messages += 300) {
      int enough = messages;
      Await.until(
          "the broker, emptied again and again, has taken " + enough,
          () -> {
            broker.purge(QUEUE);
            return outcomes.size() >= enough;
          });
    }
    untilAllAreAcknowledged(3_000);
  }

  @Test
  void whatIsOnDiskIsSentByTheNextClientInTheSameOrder(@TempDir Path folder) throws Exception {
    Mosquitto broker = closed(Mosquitto.anonymous());
    Queue<String> received = receiver(broker.port());
    HubProfile profile =
        HubProfiles.fromUri(URI.create("mqtt://localhost:" + broker.port()), "device-1");
    QueueSettings onDisk = QueueSettings.defaults().inFolder(folder.resolve("queue"));
    List<CompletableFuture<MessageOutcome>> stages = new ArrayList<>();
    try (DeviceClient offline = DeviceClient.builder(profile).queue(onDisk).build()) {
      for (String id : ids(500)) {
        stages.add(offline.send(Message.builder().id(id).body(id).build()).toCompletableFuture());
      }
      Await.until("all are accepted", () -> offline.counters().accepted() == 500);
    }
    Await.until(
        "all stages know that their messages are stored",
        () -> stages.stream().allMatch(CompletableFuture::isCompletedExceptionally));

    DeviceClient online = client(profile, builder -> builder.queue(onDisk));
    assertThat(online.counters().recovered()).isEqualTo(500);
    online.open();
    untilAllAreAcknowledged(500);
    Await.until("the other device has them all", () -> received.stream().distinct().count() == 500);
    assertThat(received.stream().distinct().toList()).isEqualTo(ids(500));
  }

  @Test
  void anHttpHubThatThrottlesSlowsTheClientDownAndLosesNothing() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          boolean throttles = requests.incrementAndGet() % 20 == 7;
          if (throttles) {
            exchange.getResponseHeaders().add("Retry-After", "1");
          }
          exchange.sendResponseHeaders(throttles ? 429 : 204, -1);
          exchange.close();
        });
    server.start();
    opened.add(() -> server.stop(0));
    DeviceClient client = client("http://localhost:" + server.getAddress().getPort() + "/readings");
    client.open();
    enqueue(client, ids(50));
    untilAllAreAcknowledged(50);
    Await.until("it flows", () -> client.status().reason() == StatusReason.OK);
    assertThat(was(ConnectionState.CONNECTED, StatusReason.THROTTLED)).isTrue();
    assertThat(was(ConnectionState.RETRYING, StatusReason.NETWORK)).isFalse();
  }

  @Test
  void closeWaitsForNoServerInAnyState() throws Exception {
    Mosquitto broker = closed(Mosquitto.anonymous());
    ServerSocket silent = closed(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    FaultProxy halfOpen = closed(FaultProxy.to(broker.port()));
    int nobody = closed(RefusingPort.take()).number();
    for (int port : List.of(broker.port(), silent.getLocalPort(), halfOpen.port(), nobody)) {
      // Whoever waited for a server would wait for longer than the test does.
      DeviceClient client =
          client(
              HubProfiles.fromUri(URI.create("mqtt://localhost:" + port), "device-1"),
              builder -> builder.connectTimeout(ofMinutes(10)).ackTimeout(ofMinutes(10)));
      client.open();
      enqueue(client, ids(10));
      if (port == broker.port() || port == halfOpen.port()) {
        untilItIs(client, ConnectionState.CONNECTED);
        if (port == halfOpen.port()) {
          halfOpen.blackHole();
        }
      } else if (port == nobody) {
        untilItIs(client, ConnectionState.RETRYING);
      }
      CompletableFuture.runAsync(client::close).get(300, TimeUnit.SECONDS);
      Await.until("it is closed", () -> client.status().reason() == StatusReason.CLOSED);
    }
  }
}
