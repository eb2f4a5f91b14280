package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every condition of the table, at every place where a peer can put it. */
@Tag("slow")
final class AmqpConditionTest {
  static Stream<ErrorRow> conditions() {
    return DeviceErrors.rows().stream()
        .filter(row -> row.protocol().equals("amqp") && row.code().contains(":"))
        // The engine's own, which no peer sends.
        .filter(row -> !row.code().equals("proton:io"));
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void endsTheConnectionBeforeItIsReady(ErrorRow row) {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLAnonymousConnect();
      peer.script().expectOpen().reject(row.code(), "not now");
      try (Device device = Device.connect(peer.start().build())) {
        assertTells(device.lost(), row);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void endsTheConnectionLater(ErrorRow row) {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().remoteClose().withErrorCondition(row.code(), "not now").queue();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertTells(device.lost(), row);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void endsTheSession(ErrorRow row) {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().remoteEnd().withErrorCondition(row.code(), "not now").queue();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertTells(device.lost(), row);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void refusesTheLink(ErrorRow row) {
    try (ScriptedPeer peer = new ScriptedPeer().begin()) {
      peer.script().expectAttach().ofSender().reject(true, row.code(), "not now");
      try (Device device = Device.connect(peer.start().build())) {
        assertTells(device.lost(), row);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void endsTheLinkLater(ErrorRow row) {
    for (boolean closed : new boolean[] {true, false}) {
      try (ScriptedPeer peer = new ScriptedPeer().grant()) {
        peer.script()
            .remoteDetach()
            .withClosed(closed)
            .withErrorCondition(row.code(), "not now")
            .queue();
        try (Device device = Device.connect(peer.start().build()).ready()) {
          assertTells(device.lost(), row);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void rejectsAMessageAndKeepsTheConnection(ErrorRow row) throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectTransfer().reject(row.code(), "not this one");
      peer.script().expectTransfer().accept();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        TransportException refusal = device.refusal(Message.of("rejected"));
        assertThat(refusal.code()).isEqualTo(row.code());
        assertThat(refusal.kind()).isEqualTo(row.kind());
        assertThat(refusal.isRetryable()).isEqualTo(row.retryable());
        assertThat(refusal.scope()).isEqualTo(ErrorScope.OPERATION);
        assertThat(refusal).hasMessageContaining("not this one");

        assertThat(device.outcome(Message.of("accepted"))).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(bytes = {1, 2, 3, 4})
  void refusesTheLogin(byte code) {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectFailingSASLPlainConnect(code);
      try (Device device =
          Device.connect(peer.start().build(), new Credential("dev", "secret", null), false)) {
        assertTells(device.lost(), DeviceErrors.row("amqp-sasl", code));
      }
    }
  }

  @Test
  void offersNoLoginThatTheDeviceHas() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSaslMechanismNegotiationFailure("CRAM-MD5", "GSSAPI");
      try (Device device =
          Device.connect(peer.start().build(), new Credential("dev", "secret", null), false)) {
        TransportException cause = device.lost();
        assertTells(cause, DeviceErrors.row("amqp-sasl", "no-mechanism"));
        assertThat(cause).hasMessageContaining("GSSAPI").hasMessageContaining("PLAIN");
        assertThat(cause.toString()).doesNotContain("secret");
      }
    }
  }

  private static void assertTells(TransportException cause, ErrorRow row) {
    assertThat(cause.protocol()).isEqualTo(row.protocol());
    assertThat(cause.code()).isEqualTo(row.code());
    assertThat(cause.kind()).isEqualTo(row.kind());
    assertThat(cause.isRetryable()).isEqualTo(row.retryable());
  }
}
