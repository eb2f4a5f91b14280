package dev.reprise.device.transport.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.fixtures.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What counts as a message that moves. */
@Tag("slow")
final class AmqpProgressTest {
  @Test
  void framesWithoutAPartOfAMessageDoNotCount() {
    try (ScriptedPeer peer = new ScriptedPeer()) {
      peer.script().expectSASLAnonymousConnect();
      peer.script().expectOpen().respond().withIdleTimeOut(200);
      peer.script().expectBegin().respond();
      peer.script().expectAttach().ofSender().respond();
      peer.credit(ScriptedPeer.CREDIT);
      peer.script().expectEmptyFrame();
      peer.script().expectEmptyFrame();
      peer.script().expectEmptyFrame();
      // A fourth, sent before this test goes on, would fail the script.
      peer.script().dropAfterLastHandler();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        assertThat(device.lost().code()).isEqualTo("connection-closed");
        assertThat(device.connection().hasMoved()).isFalse();
      }
    }
  }

  @Test
  void aTransferCountsOnceAndTheMessageHasLeft() {
    try (ScriptedPeer peer = new ScriptedPeer().grant()) {
      peer.script().expectTransfer().accept();
      try (Device device = Device.connect(peer.start().build()).ready()) {
        List<String> told = new CopyOnWriteArrayList<>();
        device
            .connection()
            .send(
                Message.of("x"),
                1,
                new SendCallback() {
                  @Override
                  public void onLeft() {
                    told.add("left");
                  }

                  @Override
                  public void onAcknowledged() {
                    told.add("acknowledged");
                  }

                  @Override
                  public void onFailed(TransportException cause) {
                    told.add(cause.code());
                  }
                });
        Await.until("it is acknowledged", () -> told.contains("acknowledged"));
        assertThat(told).containsExactly("left", "acknowledged");
        assertThat(device.connection().hasMoved()).isTrue();
        assertThat(device.connection().hasMoved()).isFalse();
      }
    }
  }
}
