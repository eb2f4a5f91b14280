package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.ArtemisBroker;
import dev.reprise.device.fixture.FaultProxy;
import dev.reprise.device.fixture.UnknownHost;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestAuthority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
final class AmqpArtemisTest {
  private static final Credential DEV = new Credential("dev", "secret", null);

  @Test
  void sendsDurableMessagesWithTheirIdBodyAndProperties() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device device = Device.connect(settings(broker).build()).ready()) {
      Message message = Message.builder().id("m-1").body("21.5").property("room", "12").build();

      assertThat(device.outcome(message)).isEmpty();

      assertThat(broker.read("telemetry"))
          .singleElement()
          .satisfies(
              stored -> {
                assertThat(stored.id()).isEqualTo("m-1");
                assertThat(stored.durable()).isTrue();
                assertThat(stored.body()).asString(UTF_8).isEqualTo("21.5");
                assertThat(stored.properties()).containsEntry("room", "12");
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-256", "SCRAM-SHA-512"})
  void logsInWithoutTellingThePassword(String mechanism, @TempDir Path folder) throws Exception {
    try (ArtemisBroker broker =
        ArtemisBroker.builder()
            .queue("telemetry")
            .scram(mechanism, folder, "dev", "secret")
            .start()) {
      try (Device device = Device.connect(settings(broker).build(), DEV, false).ready()) {
        assertThat(device.outcome(Message.of("x"))).isEmpty();
      }
      Credential wrong = new Credential("dev", "wrong", null);
      try (Device device = Device.connect(settings(broker).build(), wrong, false)) {
        TransportException cause = device.lost();
        assertThat(cause.protocol()).isEqualTo("amqp-sasl");
        assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
      }
      AmqpSettings plainOnly = settings(broker).sasl(SaslMechanism.PLAIN).build();
      try (Device device = Device.connect(plainOnly, DEV, false)) {
        assertThat(device.lost().code()).isEqualTo("no-mechanism");
      }
    }
  }

  @Test
  void keepsTheOrderOfManyMessages() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device device = Device.connect(settings(broker).build()).ready()) {
      List<CompletableFuture<Optional<TransportException>>> outcomes = new ArrayList<>();
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        Await.until("it may send", () -> device.connection().capacity() > 0);
        ids.add("m-" + i);
        outcomes.add(device.send(Message.builder().id("m-" + i).body("x").build()));
      }
      for (CompletableFuture<Optional<TransportException>> outcome : outcomes) {
        assertThat(outcome.get(Device.PATIENCE_SECONDS, TimeUnit.SECONDS)).isEmpty();
      }
      assertThat(broker.read("telemetry")).extracting(ArtemisBroker.Stored::id).isEqualTo(ids);
    }
  }

  @Test
  void sendsMessagesLargerThanAFrame() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device device = Device.connect(settings(broker).build()).ready()) {
      byte[] body = new byte[1_000_000];
      for (int i = 0; i < body.length; i++) {
        body[i] = (byte) (i * 31 + i / 251);
      }

      assertThat(device.outcome(Message.builder().id("large").body(body).build())).isEmpty();
      assertThat(device.outcome(Message.of("small"))).isEmpty();

      assertThat(broker.read("telemetry").get(0).body()).isEqualTo(body);
    }
  }

  @Test
  void readsCommandsAndReplies() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry", "commands");
        Device device =
            Device.connect(
                    settings(broker).commandAddress("commands").build(), Credential.NONE, true)
                .granted()
                .ready();
        Device hub =
            Device.connect(
                    AmqpSettings.builder("127.0.0.1", "commands").port(broker.amqpPort()).build())
                .ready()) {
      assertThat(
              hub.outcome(Message.builder().id("c-1").body("reboot").property("in", "5 s").build()))
          .isEmpty();

      Device.Received first = device.next(Device.Received.class);
      Command command = first.command();
      assertThat(command.name()).isEqualTo("commands");
      assertThat(command.id()).isEqualTo("c-1");
      assertThat(command.body()).asString(UTF_8).isEqualTo("reboot");
      assertThat(command.properties()).containsEntry("in", "5 s");

      first.reply().done(false);
      Device.Received again = device.next(Device.Received.class);
      assertThat(again.command().id()).isEqualTo("c-1");
      again.reply().done(true);
      Await.until("the replies have arrived", () -> broker.count("commands") == 0);
    }
  }

  @Test
  void asksForCommandsLater() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry", "commands");
        Device device =
            Device.connect(settings(broker).commandAddress("commands").build()).ready();
        Device hub =
            Device.connect(
                    AmqpSettings.builder("127.0.0.1", "commands").port(broker.amqpPort()).build())
                .ready()) {
      device.connection().subscribe();
      assertThat(device.next(Device.Subscribed.class).refusal()).isNull();

      // More than the link has credit for: it grants more as they are replied to.
      for (int i = 0; i < 100; i++) {
        assertThat(hub.outcome(Message.builder().id("c-" + i).body("x").build())).isEmpty();
      }
      for (int i = 0; i < 100; i++) {
        Device.Received received = device.next(Device.Received.class);
        assertThat(received.command().id()).isEqualTo("c-" + i);
        received.reply().done(true);
      }
      Await.until("the replies have arrived", () -> broker.count("commands") == 0);
    }
  }

  @Test
  void isToldThatThePasswordIsWrong() {
    try (ArtemisBroker broker =
        ArtemisBroker.builder().user("dev", "secret").queue("telemetry").start()) {
      try (Device refused =
          Device.connect(settings(broker).build(), new Credential("dev", "wrong", null), false)) {
        TransportException cause = refused.lost();
        assertThat(cause.protocol()).isEqualTo("amqp-sasl");
        assertThat(cause.code()).isEqualTo("1");
        assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
        assertThat(cause.isRetryable()).isFalse();
      }
      try (Device accepted = Device.connect(settings(broker).build(), DEV, false)) {
        assertThat(accepted.ready().connection().capacity()).isPositive();
      }
    }
  }

  @Test
  void isToldThatTheBrokerStopsAndConnectsToTheNextOne() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry")) {
      try (Device device = Device.connect(settings(broker).build()).ready()) {
        broker.stop();
        TransportException cause = device.lost();
        // A busy broker ends its sockets before the farewell is written.
        assertThat(cause.code())
            .isIn("amqp:connection:forced", "connection-closed", "connection-reset");
        assertThat(cause.isRetryable()).isTrue();
        assertThat(device.connection().capacity()).isZero();
      }
      try (Device device = Device.connect(settings(broker).build())) {
        TransportException cause = device.lost();
        assertThat(cause.protocol()).isEqualTo("network");
        assertThat(cause.code()).isEqualTo("connection-refused");
      }
      broker.start();
      try (Device device = Device.connect(settings(broker).build())) {
        assertThat(device.ready().outcome(Message.of("again"))).isEmpty();
      }
    }
  }

  @Test
  void hasNoCapacityWhileTheQueueIsFull() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.builder().fullWith(10, "telemetry").start();
        Device device = Device.connect(settings(broker).build()).ready()) {
      fill(broker, 10, device);
      broker.purge("telemetry");

      Await.until("it may send", () -> device.connection().capacity() > 0);
      assertThat(device.outcome(Message.of("room again"))).isEmpty();
    }
  }

  @Test
  void isNotReadyBeforeItMaySend() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.builder().fullWith(1, "telemetry").start()) {
      try (Device filling = Device.connect(settings(broker).build()).ready()) {
        fill(broker, 1, filling);
      }
      try (Device waiting = Device.connect(settings(broker).build())) {
        assertThat(waiting.hearsNothing(Duration.ofMillis(300))).isTrue();
        assertThat(waiting.connection().capacity()).isZero();
        broker.purge("telemetry");
        waiting.ready();
      }
    }
  }

  /** Sends until the broker, full, grants no more, and nothing is on its way to it. */
  private static void fill(ArtemisBroker broker, long messages, Device device) {
    List<CompletableFuture<?>> sent = new ArrayList<>();
    Await.until(
        "the broker is full",
        () -> {
          while (device.connection().capacity() > 0) {
            sent.add(device.send(Message.of("x")));
          }
          return broker.count("telemetry") >= messages
              && sent.stream().allMatch(CompletableFuture::isDone);
        });
  }

  @Test
  void isToldThatAnAddressDoesNotExist() {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device sending =
            Device.connect(
                AmqpSettings.builder("127.0.0.1", ArtemisBroker.NEVER_MADE)
                    .port(broker.amqpPort())
                    .build());
        Device receiving =
            Device.connect(
                settings(broker).commandAddress(ArtemisBroker.NEVER_MADE).build(),
                Credential.NONE,
                true);
        Device asking =
            Device.connect(settings(broker).commandAddress(ArtemisBroker.NEVER_MADE).build())) {
      assertThat(sending.lost().code()).isEqualTo("amqp:not-found");
      assertThat(receiving.next(Device.Subscribed.class).refusal())
          .extracting(TransportException::code)
          .isEqualTo("amqp:not-found");
      receiving.ready();

      asking.ready().connection().subscribe();
      TransportException refusal = asking.next(Device.Subscribed.class).refusal();
      assertThat(refusal).isNotNull();
      assertThat(refusal.code()).isEqualTo("amqp:not-found");
      assertThat(asking.connection().capacity()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isKnownByItsCertificate(boolean withPassword, @TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    ArtemisBroker.Builder builder = tls(authority, authority.server(), true);
    if (withPassword) {
      builder.user("dev", "secret");
    }
    TestAuthority.Identity identity = authority.client("pump-7");
    TlsSettings tls =
        TlsSettings.system()
            .trusting(authority.certificatePem())
            .identifiedBy(identity.certificatePem(), identity.keyPem());
    try (ArtemisBroker broker = builder.start();
        Device device =
            Device.connect(
                    localhost(broker).tls(tls).build(), withPassword ? DEV : Credential.NONE, false)
                .ready()) {
      assertThat(device.outcome(Message.of("encrypted"))).isEmpty();
      assertThat(device.outcome(Message.of(new byte[300_000]))).isEmpty();
    }
  }

  @Test
  void isToldThatItsCertificateIsRefused(@TempDir Path folder, @TempDir Path elsewhere)
      throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority.Identity stranger = TestAuthority.strangerIn(elsewhere).client("pump-7");
    TlsSettings trusting = TlsSettings.system().trusting(authority.certificatePem());
    TlsSettings strange = trusting.identifiedBy(stranger.certificatePem(), stranger.keyPem());
    try (ArtemisBroker broker = tls(authority, authority.server(), true).start();
        Device unknown = Device.connect(localhost(broker).tls(strange).build());
        Device without = Device.connect(localhost(broker).tls(trusting).build())) {
      for (TransportException cause : List.of(unknown.lost(), without.lost())) {
        assertThat(cause.code()).isEqualTo("tls-handshake-certificate");
        assertThat(cause.isRetryable()).isFalse();
      }
    }
  }

  @Test
  void refusesServersThatItCannotTrust(@TempDir Path folder, @TempDir Path elsewhere)
      throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    TestAuthority stranger = TestAuthority.strangerIn(elsewhere);
    TlsSettings trusting = TlsSettings.system().trusting(authority.certificatePem());
    try (ArtemisBroker expired = tls(authority, authority.expiredServer(), false).start();
        ArtemisBroker strange = tls(stranger, stranger.server(), false).start();
        ArtemisBroker misnamed = tls(authority, authority.client("other.example"), false).start();
        Device atMisnamed = Device.connect(localhost(misnamed).tls(trusting).build());
        Device atExpired = Device.connect(localhost(expired).tls(trusting).build());
        Device atStrange = Device.connect(localhost(strange).tls(trusting).build())) {
      assertThat(atMisnamed.lost().code()).isEqualTo("tls-server-certificate");
      assertThat(atExpired.lost().code()).isEqualTo("tls-server-certificate");
      assertThat(atStrange.lost().code()).isEqualTo("tls-server-certificate");
    }
  }

  @Test
  void noticesAHalfOpenLink() throws Exception {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        FaultProxy proxy = FaultProxy.to(broker.amqpPort())) {
      AmqpSettings settings =
          AmqpSettings.builder("127.0.0.1", "telemetry")
              .port(proxy.port())
              .idleTimeout(Duration.ofSeconds(1))
              .build();
      boolean lived = false;
      // A machine that stood still for a second has found the link dead, rightly: then once more.
      for (int i = 0; i < 10 && !lived; i++) {
        try (Device device = Device.connect(settings)) {
          // Alive for several times its idle timeout, by heartbeats alone.
          lived =
              device.next(Device.Told.class) instanceof Device.Ready
                  && device.hearsNothing(Duration.ofSeconds(3));
          if (lived) {
            proxy.blackHole();
            TransportException cause = device.lost();
            assertThat(cause.code()).isEqualTo("idle-timeout");
            assertThat(cause.isRetryable()).isTrue();
          }
        }
      }
      assertThat(lived).as("lived by heartbeats alone").isTrue();
    }
  }

  @Test
  void goesToTheServerThatItIsSentTo() {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        Device device =
            Device.connect(
                AmqpSettings.builder("nowhere.invalid", "telemetry").build(),
                new ConnectRequest(Credential.NONE, false, "127.0.0.1:" + broker.amqpPort()))) {
      device.ready();
    }
  }

  @Test
  void isToldThatTheNameOfTheServerIsUnknown() {
    try (Device device =
        Device.connect(AmqpSettings.builder(UnknownHost.NAME, "telemetry").build())) {
      assertThat(device.lost().code()).isEqualTo("unknown-host");
    }
  }

  @Test
  void losesTheConnectionWhenTheLinkIsCut() {
    try (ArtemisBroker broker = ArtemisBroker.withQueues("telemetry");
        FaultProxy proxy = FaultProxy.to(broker.amqpPort());
        Device device =
            Device.connect(
                    AmqpSettings.builder("127.0.0.1", "telemetry").port(proxy.port()).build())
                .ready()) {
      proxy.cut(FaultProxy.Cut.RST);
      TransportException cause = device.lost();
      assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
      assertThat(cause.isRetryable()).isTrue();
    }
  }

  private static ArtemisBroker.Builder tls(
      TestAuthority authority, TestAuthority.Identity server, boolean clientsAreKnown) {
    return ArtemisBroker.builder()
        .queue("telemetry")
        .tls(
            server.keyStore(),
            TestAuthority.KEY_STORE_PASSWORD,
            clientsAreKnown ? authority.trustStore() : null);
  }

  private static AmqpSettings.Builder localhost(ArtemisBroker broker) {
    return AmqpSettings.builder("localhost", "telemetry").port(broker.amqpPort());
  }

  private static AmqpSettings.Builder settings(ArtemisBroker broker) {
    return AmqpSettings.builder("127.0.0.1", "telemetry").port(broker.amqpPort());
  }
}
