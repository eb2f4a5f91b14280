package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.any;
import static org.hamcrest.CoreMatchers.equalTo;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.matchers.messaging.ApplicationPropertiesMatcher;
import org.apache.qpid.protonj2.test.driver.matchers.messaging.PropertiesMatcher;
import org.apache.qpid.protonj2.test.driver.matchers.transport.TransferPayloadCompositeMatcher;
import org.apache.qpid.protonj2.test.driver.matchers.types.EncodedAmqpValueMatcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
final class AmqpCbsTest {
  private static final CbsSettings CBS =
      new CbsSettings("servicebus.windows.net:sastoken", "hub.example/devices/pump-7");
  private static final Credential FIRST = new Credential(null, "token-1", null);

  @Test
  void putsTheTokenBeforeTheLinksAndAgainOnTheLiveConnection() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      cbsLinks(peer);
      answer(peer, "token-1", 1, 202, "Accepted");
      messageLink(peer);
      peer.script().expectTransfer().withHandle(2).accept();
      try (Device device = Device.connect(peer.start().cbs(CBS).build(), FIRST, false).ready()) {
        assertThat(device.outcome(Message.of("x"))).isEmpty();
        answer(peer, "token-2", 2, 200, "OK");

        assertThat(device.connection().renew(new Credential(null, "token-2", null))).isTrue();

        device.next(Device.Renewed.class);
        peer.script().waitForScriptToComplete(Device.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void isToldThatTheTokenIsRefused(int status) {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      cbsLinks(peer);
      answer(peer, "token-1", 1, status, "expired");
      try (Device device = Device.connect(peer.start().cbs(CBS).build(), FIRST, false)) {
        TransportException cause = device.lost();
        assertThat(cause.kind()).isEqualTo(ErrorKind.CREDENTIAL);
        assertThat(cause.isRetryable()).isFalse();
        assertThat(cause).hasMessageContaining("" + status).hasMessageContaining("expired");
        assertThat(cause.toString()).doesNotContain("token-1");
      }
    }
  }

  @Test
  void losesTheConnectionWhenTheNewTokenIsRefused() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      cbsLinks(peer);
      answer(peer, "token-1", 1, 202, "Accepted");
      messageLink(peer);
      try (Device device = Device.connect(peer.start().cbs(CBS).build(), FIRST, false).ready()) {
        answer(peer, "token-2", 2, 429, "slow down");
        assertThat(device.connection().renew(new Credential(null, "token-2", null))).isTrue();
        TransportException cause = device.lost();
        assertThat(cause.kind()).isEqualTo(ErrorKind.THROTTLE);
        assertThat(cause.isRetryable()).isTrue();
      }
    }
  }

  @Test
  void isToldThatThePeerHasNoSuchNode() {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().reject(true, "amqp:not-found", "no $cbs here");
      try (Device device = Device.connect(peer.start().cbs(CBS).build(), FIRST, false)) {
        assertThat(device.lost().code()).isEqualTo("amqp:not-found");
      }
    }
  }

  @Test
  void cannotRenewAPassword() {
    try (ScriptedPeer peer = new ScriptedPeer().grant();
        Device device = Device.connect(peer.start().build()).ready()) {
      assertThat(device.connection().renew(FIRST)).isFalse();
    }
  }

  private static void cbsLinks(ScriptedPeer peer) {
    peer.begin();
    peer.script().expectAttach().ofSender().withTarget().withAddress("$cbs").also().respond();
    peer.script().expectAttach().ofReceiver().withSource().withAddress("$cbs").also().respond();
    peer.script().expectFlow();
    peer.credit(100);
  }

  private static void messageLink(ScriptedPeer peer) {
    peer.script()
        .expectAttach()
        .ofSender()
        .withHandle(2)
        .withTarget()
        .withAddress("telemetry")
        .also()
        .respond();
    peer.script()
        .remoteFlow()
        .withLinkCredit(10)
        .withDeliveryCount(0)
        .withNextIncomingId(1)
        .withIncomingWindow(1_000)
        .withOutgoingWindow(1_000)
        .withNextOutgoingId(1)
        .withHandle(2)
        .queue();
  }

  private static void answer(
      ScriptedPeer peer, String token, int request, int status, String description) {
    PropertiesMatcher properties = new PropertiesMatcher(true);
    properties.withMessageId("put-token-" + request);
    properties.withTo("$cbs");
    properties.withReplyTo(any(String.class));
    ApplicationPropertiesMatcher application = new ApplicationPropertiesMatcher(true);
    application.withEntry("operation", equalTo("put-token"));
    application.withEntry("type", equalTo(CBS.tokenType()));
    application.withEntry("name", equalTo(CBS.audience()));
    TransferPayloadCompositeMatcher payload = new TransferPayloadCompositeMatcher();
    payload.setPropertiesMatcher(properties);
    payload.setApplicationPropertiesMatcher(application);
    payload.setMessageContentMatcher(new EncodedAmqpValueMatcher(token));
    peer.script().expectTransfer().withHandle(0).withPayload(payload).accept();
    peer.script()
        .remoteTransfer()
        .withHandle(1)
        .withDeliveryId(request - 1)
        .withDeliveryTag(new byte[] {(byte) request})
        .withProperties()
        .withCorrelationId("put-token-" + request)
        .also()
        .withApplicationProperties()
        .withProperty("status-code", status)
        .withProperty("status-description", description)
        .also()
        .withBody()
        .withString("")
        .also()
        .queue();
    peer.script().expectDisposition().withSettled(true).withState().accepted();
    peer.script().expectFlow();
  }
}
