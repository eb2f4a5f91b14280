package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.TlsSettings;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.apache.qpid.protonj2.test.driver.codec.security.SaslCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class AmqpConnectionTest {
  @Test
  void namesTheServerThatARedirectedConnectionIsSentTo() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLAnonymousConnect();
      peer.script()
          .expectOpen()
          .reject("amqp:connection:redirect", "go there", ScriptedPeer.redirect());
      try (Device device = Device.connect(peer.start().build())) {
        assertThat(device.lost().serverReference()).isEqualTo("10.0.0.7:5671");
      }
    }
  }

  @Test
  void namesTheServerThatARedirectedLinkIsSentTo() {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script()
          .remoteDetach()
          .withErrorCondition("amqp:link:redirect", "go there", ScriptedPeer.redirect())
          .queue();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertThat(device.lost().serverReference()).isEqualTo("10.0.0.7:5671");
      }
    }
  }

  @Test
  void tellsThePeerOfEachLinkWhatTheSettingsSay() {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().withProperty("vendor:version", "7").respond();
      peer.credit(ScriptedPeer.CREDIT);
      try (Device device =
          Device.connect(peer.start().linkProperty("vendor:version", "7").build())) {
        device.ready();
      }
    }
  }

  @Test
  void asksForTheVirtualHostAndForANodeThatLasts() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLHeader().respondWithSASLHeader();
      peer.script().remoteSaslMechanisms().withMechanisms("ANONYMOUS").queue();
      peer.script().expectSaslInit().withMechanism("ANONYMOUS").withHostname("tenant-7");
      peer.script().remoteSaslOutcome().withCode(SaslCode.OK).queue();
      peer.script().expectAMQPHeader().respondWithAMQPHeader();
      peer.script().expectOpen().withHostname("tenant-7").respond();
      peer.script().expectBegin().respond();
      peer.script()
          .expectAttach()
          .ofSender()
          .withTarget()
          .withDurable(TerminusDurability.CONFIGURATION)
          .also()
          .respond();
      peer.credit(ScriptedPeer.CREDIT);
      try (Device device =
          Device.connect(peer.start().virtualHost("tenant-7").durableTarget(true).build())) {
        device.ready();
      }
    }
  }

  @Test
  void aPeerThatDoesNotProveThatItKnowsThePasswordIsNotBelieved() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLHeader().respondWithSASLHeader();
      peer.script().remoteSaslMechanisms().withMechanisms("PLAIN", "SCRAM-SHA-256").queue();
      peer.script().expectSaslInit().withMechanism("SCRAM-SHA-256");
      peer.script().remoteSaslOutcome().withCode(SaslCode.OK).queue();
      Credential credential = new Credential("dev", "secret", null);
      try (Device device = Device.connect(peer.start().build(), credential, false)) {
        TransportException cause = device.lost();
        assertThat(cause.code()).isEqualTo("malformed-frame");
        assertThat(cause.isRetryable()).isTrue();
      }
    }
  }

  @Test
  void isNotReadyWhileItHasNoCredit() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().attach();
        Device device = Device.connect(peer.start().build())) {
      assertThat(device.hearsNothing(Duration.ofMillis(200))).isTrue();
      assertThat(device.connection().capacity()).isZero();
      Await.until(
          "it knows what it waits for",
          () -> {
            TransportException why = device.connection().whyNotReady();
            return why != null && why.code().equals("no-credit");
          });
    }
  }

  @Test
  void doesNotBlameTheCreditBeforeTheLinkIsAttached() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender();
      try (Device device = Device.connect(peer.start().build())) {
        peer.script().waitForScriptToComplete(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(device.connection().whyNotReady()).isNull();
      }
    }
  }

  @Test
  void isNeverReadyWhenTheLinkIsTakenBackAtOnce() {
    try (ScriptedPeer peer = new ScriptedPeer().attach()) {
      peer.script()
          .remoteDetach()
          .withClosed(true)
          .withErrorCondition("amqp:not-found", "no such node")
          .queue();
      try (Device device = Device.connect(peer.start().build())) {
        assertThat(device.lost().code()).isEqualTo("amqp:not-found");
      }
    }
  }

  @Test
  void hasAsMuchCapacityAsItHasCreditAndLessForEachMessage() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      for (int i = 0; i < ScriptedPeer.CREDIT; i++) {
        peer.script().expectTransfer().accept();
      }
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertThat(device.connection().capacity()).isEqualTo(ScriptedPeer.CREDIT);
        for (int i = 1; i <= ScriptedPeer.CREDIT; i++) {
          CompletableFuture<Optional<TransportException>> outcome = device.send(Message.of("x"));
          assertThat(device.connection().capacity()).isEqualTo(ScriptedPeer.CREDIT - i);
          assertThat(outcome.get(Device.PATIENCE_SECONDS, TimeUnit.SECONDS)).isEmpty();
        }
        assertThat(device.connection().capacity()).isZero();
        peer.script()
            .remoteFlow()
            .withLinkCredit(3)
            .withDeliveryCount(ScriptedPeer.CREDIT)
            .withNextIncomingId(ScriptedPeer.CREDIT)
            .withIncomingWindow(1_000)
            .withOutgoingWindow(1_000)
            .withNextOutgoingId(0)
            .withHandle(0)
            .now();
        device.next(Device.Writable.class);
        assertThat(device.connection().capacity()).isEqualTo(3);
      }
    }
  }

  @Test
  void sendsAMessageOfManyFramesAsTheWindowOfTheSessionOpens() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLAnonymousConnect();
      peer.script().expectOpen().respond().withMaxFrameSize(1_024);
      peer.script().expectBegin().respond().withIncomingWindow(2);
      peer.script().expectAttach().ofSender().respond();
      peer.script()
          .remoteFlow()
          .withLinkCredit(10)
          .withDeliveryCount(0)
          .withNextIncomingId(0)
          .withIncomingWindow(2)
          .withOutgoingWindow(10)
          .withNextOutgoingId(0)
          .withHandle(0)
          .queue();
      peer.script().expectTransfer().withMore(true);
      peer.script().expectTransfer().withMore(true);
      peer.script()
          .remoteFlow()
          .withNullHandle()
          .withIncomingWindow(10)
          .withNextIncomingId(2)
          .withOutgoingWindow(10)
          .withNextOutgoingId(0)
          .queue();
      peer.script().expectTransfer().withMore(true);
      peer.script().expectTransfer().withMore(false).accept();
      peer.script().expectTransfer().withMore(false).accept();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        var large = device.send(Message.of(new byte[3_500]));
        var small = device.send(Message.of("behind it"));
        assertThat(large.get(Device.PATIENCE_SECONDS, TimeUnit.SECONDS)).isEmpty();
        assertThat(small.get(Device.PATIENCE_SECONDS, TimeUnit.SECONDS)).isEmpty();
        assertThat(device.connection().capacity()).isEqualTo(8);
      }
    }
  }

  @Test
  void refusesAMessageThatIsTooLargeForTheLinkByItself() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script()
          .expectAttach()
          .ofSender()
          .respond()
          .withMaxMessageSize(UnsignedLong.valueOf(1_000));
      peer.credit(ScriptedPeer.CREDIT);
      peer.script().expectTransfer().accept();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        TransportException refusal = device.refusal(Message.of(new byte[2_000]));
        assertThat(refusal.code()).isEqualTo("amqp:link:message-size-exceeded");
        assertThat(refusal.scope()).isEqualTo(ErrorScope.OPERATION);
        assertThat(refusal.isRetryable()).isFalse();

        assertThat(device.connection().capacity()).isEqualTo(ScriptedPeer.CREDIT);
        assertThat(device.outcome(Message.of("small"))).isEmpty();
      }
    }
  }

  @Test
  void tellsWhyAMessageWasGivenBack() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectTransfer().release();
      peer.script().expectTransfer().modify(true);
      peer.script().expectTransfer().modify(true, true);
      peer.script().expectTransfer().reject();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        TransportException released = device.refusal(Message.of("x"));
        assertThat(released.code()).isEqualTo("released");
        assertThat(released.isRetryable()).isTrue();

        TransportException modified = device.refusal(Message.of("x"));
        assertThat(modified.code()).isEqualTo("modified");
        assertThat(modified.isRetryable()).isTrue();

        TransportException undeliverable = device.refusal(Message.of("x"));
        assertThat(undeliverable.code()).isEqualTo("undeliverable-here");
        assertThat(undeliverable.isRetryable()).isFalse();

        TransportException rejected = device.refusal(Message.of("x"));
        assertThat(rejected.code()).isEqualTo("rejected");
        assertThat(rejected.isRetryable()).isFalse();
        assertThat(rejected.scope()).isEqualTo(ErrorScope.OPERATION);
      }
    }
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void understandsARejectionWhoseInformationHasTextsForSymbols() throws Exception {
    Map wrong = Map.of("network-host", "10.0.0.7", "port", 5671);
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      var condition =
          new org.apache.qpid.protonj2.test.driver.codec.transport.ErrorCondition(
              org.apache.qpid.protonj2.test.driver.codec.primitives.Symbol.valueOf(
                  "amqp:link:redirect"),
              "there",
              wrong);
      peer.script().expectTransfer().reject(condition);
      peer.script().remoteClose().withErrorCondition(condition).queue();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertThat(device.refusal(Message.of("x")).serverReference()).isEqualTo("10.0.0.7:5671");
        assertThat(device.lost().serverReference()).isEqualTo("10.0.0.7:5671");
      }
    }
  }

  @Test
  void countsTheEndWithoutAConditionAsOne() {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().remoteClose().queue();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        TransportException cause = device.lost();
        assertThat(cause.code()).isEqualTo("no-condition");
        assertThat(cause.isRetryable()).isTrue();
      }
    }
  }

  @Test
  void losesTheConnectionWhenThePeerDropsIt() {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().dropAfterLastHandler();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        TransportException cause = device.lost();
        assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
        assertThat(cause.isRetryable()).isTrue();
      }
    }
  }

  @Test
  void losesTheConnectionWhenThePeerFallsSilent() {
    try (ScriptedPeer peer = new ScriptedPeer().grant();
        Device device = Device.connect(peer.start().idleTimeout(Duration.ofSeconds(1)).build())) {
      Device.Told first = device.next(Device.Told.class);
      // On a machine that stood still for a second, the peer was silent before it was ready.
      TransportException cause = first instanceof Device.Lost lost ? lost.cause() : device.lost();
      assertThat(cause.code()).isEqualTo("idle-timeout");
    }
  }

  @Test
  void rejectsACommandThatCannotBeReadAndKeepsTheConnection() {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().respond();
      peer.script().expectAttach().ofReceiver().respond();
      peer.script().expectFlow();
      peer.credit(ScriptedPeer.CREDIT);
      byte[][] unreadable = {
        {1, 2, 3, 4},
        // Sections of data that are longer than what there is, or than anything can be.
        {0, 0x53, 0x75, (byte) 0xb0, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1},
        {0, 0x53, 0x75, (byte) 0xb0, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1},
        // Cut off.
        {0, 0x53, 0x75, (byte) 0xa0},
      };
      for (int i = 0; i < unreadable.length; i++) {
        peer.script()
            .remoteTransfer()
            .withHandle(1)
            .withDeliveryId(i)
            .withDeliveryTag(new byte[] {(byte) i})
            .withPayload(unreadable[i])
            .queue();
        peer.script()
            .expectDisposition()
            .withSettled(true)
            .withState()
            .rejected("amqp:decode-error");
      }
      peer.script()
          .remoteTransfer()
          .withHandle(1)
          .withDeliveryId(unreadable.length)
          .withDeliveryTag(new byte[] {(byte) unreadable.length})
          .withBody()
          .withString("reboot")
          .and()
          .queue();
      peer.script().expectDisposition().withSettled(true).withState().accepted();
      try (Device device =
          Device.connect(peer.start().commandAddress("commands").build(), Credential.NONE, true)
              .granted()
              .ready()) {
        Device.Received received = device.next(Device.Received.class);
        assertThat(received.command().id()).isEmpty();
        assertThat(received.command().body()).asString(UTF_8).isEqualTo("reboot");
        received.reply().done(true);
        peer.script().waitForScriptToComplete(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void givesAFailedCommandBackToAPeerThatCountsNoFailures() {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().respond();
      peer.script()
          .expectAttach()
          .ofReceiver()
          .respond()
          .withSource()
          .withAddress("commands")
          .withOutcomes("amqp:accepted:list", "amqp:released:list");
      peer.script().expectFlow();
      peer.credit(ScriptedPeer.CREDIT);
      peer.script()
          .remoteTransfer()
          .withHandle(1)
          .withDeliveryId(0)
          .withDeliveryTag(new byte[] {1})
          .withBody()
          .withString("reboot")
          .and()
          .queue();
      peer.script().expectDisposition().withSettled(true).withState().released();
      try (Device device =
          Device.connect(peer.start().commandAddress("commands").build(), Credential.NONE, true)
              .granted()
              .ready()) {
        device.next(Device.Received.class).reply().done(false);
        peer.script().waitForScriptToComplete(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void refusesCommandsWithoutAnAddressAndSendsMessages() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectTransfer().accept();
      try (Device device = Device.connect(peer.start().build(), Credential.NONE, true)) {
        assertThat(device.next(Device.Subscribed.class).refusal())
            .hasMessageContaining("commandAddress is null")
            .matches(refusal -> !refusal.isRetryable());
        assertThat(device.ready().outcome(Message.of("x"))).isEmpty();
      }
    }
  }

  @Test
  void isReadyAfterCommandsAreRefused() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().respond();
      peer.credit(ScriptedPeer.CREDIT);
      peer.script()
          .expectAttach()
          .ofReceiver()
          .reject(true, "amqp:unauthorized-access", "not for you");
      peer.script().expectFlow().optional();
      peer.script().expectDetach().withClosed(true);
      peer.script().expectTransfer().accept();
      try (Device device =
          Device.connect(peer.start().commandAddress("commands").build(), Credential.NONE, true)) {
        assertThat(device.next(Device.Subscribed.class).refusal())
            .extracting(TransportException::code)
            .isEqualTo("amqp:unauthorized-access");
        assertThat(device.ready().outcome(Message.of("x"))).isEmpty();
      }
    }
  }

  @Test
  void refusesAMessageThatAmqpCannotSayAndKeepsTheConnection() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectTransfer().accept();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        Message[] unsayable = {
          Message.builder().body("x").property("room", "\uD800").build(),
          Message.builder().body("x").contentType("text/plain; charset=\u20AC").build()
        };
        for (Message message : unsayable) {
          TransportException refusal = device.refusal(message);
          assertThat(refusal.code()).isEqualTo("invalid-message");
          assertThat(refusal.scope()).isEqualTo(ErrorScope.OPERATION);
          assertThat(refusal.isRetryable()).isFalse();
        }
        assertThat(device.connection().capacity()).isEqualTo(ScriptedPeer.CREDIT);
        assertThat(device.outcome(Message.of("x"))).isEmpty();
      }
    }
  }

  @Test
  void saysGoodbyeAndTellsNothingMore() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectClose();
      peer.script().expectConnectionToDrop();
      Device device = Device.connect(peer.start().build()).ready();
      device.close();
      peer.script().waitForScriptToComplete(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(device.connection().capacity()).isZero();
      assertThat(device.hearsNothing(Duration.ofMillis(100))).isTrue();
    }
  }

  @Test
  void closesTheSocketOfAnAttemptThatGetsNoAnswer() throws Exception {
    AmqpSettings.Builder[] attempts = {
      AmqpSettings.builder("127.0.0.1", "telemetry"),
      AmqpSettings.builder("127.0.0.1", "telemetry").tls(TlsSettings.system())
    };
    for (AmqpSettings.Builder attempt : attempts) {
      try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          Device device = Device.connect(attempt.port(silent.getLocalPort()).build());
          Socket accepted = silent.accept()) {
        accepted.setSoTimeout(Device.PATIENCE_SECONDS * 1_000);
        assertThat(accepted.getInputStream().read()).isNotNegative();

        device.connection().close();

        readToEnd(accepted);
        assertThat(device.hearsNothing(Duration.ofMillis(50))).isTrue();
      }
    }
  }

  @Test
  void isToldThatThePeerSpeaksSomethingElse() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Device device =
            Device.connect(
                AmqpSettings.builder("127.0.0.1", "telemetry").port(web.getLocalPort()).build());
        Socket accepted = web.accept()) {
      accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
      assertThat(device.lost().code()).isEqualTo("malformed-frame");
    }
  }

  private static void readToEnd(Socket socket) throws IOException {
    while (socket.getInputStream().read() >= 0) {
      // Only the end matters.
    }
  }
}
