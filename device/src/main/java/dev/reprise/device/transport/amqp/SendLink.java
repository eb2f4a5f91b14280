package dev.reprise.device.transport.amqp;

import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.SendBuffer;
import dev.reprise.device.transport.SendCallback;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * The link that messages are sent on. Messages are handed over by any thread and sent by the loop,
 * as many as there are in one go. {@link #hand}, {@link #free} and {@link #isGranted} are
 * thread-safe; all else belongs to the loop.
 */
final class SendLink {
  private record Outgoing(
      Message message, SendCallback callback, SendBuffer.Entry entry, long handedNanos) {}

  private final Executor loop;
  private final Sender sender;
  private final Runnable onFree;
  private final SendBuffer buffer;
  private final Runnable onWritten;
  private final Queue<Outgoing> handedOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  // The credit of the peer less the messages handed over: below 0 when the peer takes credit back.
  private final AtomicInteger free = new AtomicInteger();
  private int creditSeen;

  // A message of several frames that waits for the session's window.
  private @Nullable OutgoingDelivery begun;
  private @Nullable ProtonBuffer rest;
  private boolean ended;
  private volatile boolean granted;

  /**
   * Opens the link.
   *
   * @param onFree called when there is room after there was none
   * @param buffer the messages that have not left
   * @param onWritten called when the last byte of a message was handed to the socket
   */
  SendLink(Executor loop, Sender sender, Runnable onFree, SendBuffer buffer, Runnable onWritten) {
    this.buffer = buffer;
    this.onWritten = onWritten;
    this.loop = loop;
    this.sender = sender;
    this.onFree = onFree;
    sender
        .setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.POOLED.createGenerator())
        .openHandler(link -> granted = link.getRemoteTarget() != null)
        .creditStateUpdateHandler(link -> onCredit())
        .deliveryStateUpdatedHandler(SendLink::onOutcome)
        .open();
  }

  /** Returns how many messages may be handed over. */
  int free() {
    return Math.max(0, free.get());
  }

  /** Returns whether the peer attached the link; one that it refuses has no target. */
  boolean isGranted() {
    return granted;
  }

  /** Takes a message to be sent. */
  void hand(Message message, SendCallback callback) {
    free.decrementAndGet();
    SendBuffer.Entry entry = buffer.add(callback, message.sizeBytes());
    handedOver.add(new Outgoing(message, callback, entry, System.nanoTime()));
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      loop.execute(this::sendHandedOver);
    }
  }

  /** Drops messages that were not sent. */
  void end() {
    ended = true;
    handedOver.clear();
  }

  private void sendHandedOver() {
    scheduled.set(false);
    send();
  }

  private void send() {
    while (!ended && sender.isSendable()) {
      OutgoingDelivery delivery = begun;
      ProtonBuffer bytes = rest;
      if (delivery == null || bytes == null) {
        Outgoing next = handedOver.poll();
        if (next == null) {
          return;
        }
        bytes = encoded(next);
        if (bytes == null || isTooLarge(bytes, next)) {
          continue;
        }
        delivery = sender.next();
        delivery.setLinkedResource(next.callback());
      }
      delivery.writeBytes(bytes);
      boolean complete = !bytes.isReadable();
      begun = complete ? null : delivery;
      rest = complete ? null : bytes;
      if (complete) {
        creditSeen--;
        onWritten.run();
      }
    }
  }

  /** Returns the bytes, or null when there is no way to say the message, which is told. */
  private @Nullable ProtonBuffer encoded(Outgoing message) {
    try {
      return MessageCodec.ofThisLoop()
          .encode(message.message(), System.nanoTime() - message.handedNanos());
    } catch (RuntimeException e) {
      // The encoder throws several types. Let through, they would cost the connection.
      unsent(message);
      message.callback().onFailed(AmqpErrors.notSayable(e));
      return null;
    }
  }

  private void unsent(Outgoing message) {
    free.incrementAndGet();
    // Its outcome is told, which tells of the room, too.
    boolean unused = buffer.remove(message.entry());
  }

  private boolean isTooLarge(ProtonBuffer bytes, Outgoing message) {
    long max =
        sender.getRemoteMaxMessageSize() == null ? 0 : sender.getRemoteMaxMessageSize().longValue();
    int size = bytes.getReadableBytes();
    // 0 means without a limit, and so does what only an unsigned number can hold.
    if (max <= 0 || size <= max) {
      return false;
    }
    unsent(message);
    message
        .callback()
        .onFailed(
            AmqpErrors.ofMessage(
                "amqp:link:message-size-exceeded",
                "the message has " + size + " bytes: the peer takes at most " + max,
                null));
    return true;
  }

  private void onCredit() {
    takeCredit();
    send();
    if (!ended && sender.isDraining()) {
      sender.drained();
      takeCredit();
    }
  }

  private void takeCredit() {
    int credit = sender.getCredit();
    int before = free.getAndAdd(credit - creditSeen);
    int after = before + credit - creditSeen;
    creditSeen = credit;
    if (before <= 0 && after > 0) {
      onFree.run();
    }
  }

  private static void onOutcome(OutgoingDelivery delivery) {
    DeliveryState state = delivery.getRemoteState();
    SendCallback callback = delivery.getLinkedResource(SendCallback.class);
    // A state before the outcome, such as the receipt of a part, is no outcome.
    boolean arriving = state != null && state.getType() == DeliveryState.DeliveryStateType.Received;
    if (callback == null || (arriving && !delivery.isRemotelySettled())) {
      return;
    }
    delivery.setLinkedResource(null);
    delivery.settle();
    if (state instanceof Accepted) {
      callback.onAcknowledged();
      return;
    }
    callback.onFailed(refusal(state));
  }

  private static TransportException refusal(@Nullable DeliveryState state) {
    TransportException refusal = state == null ? null : AmqpErrors.refused(state);
    // Settled without an outcome: the peer may not have it, so it is sent again.
    return refusal == null
        ? AmqpErrors.ofMessage("released", "the peer reported no outcome", null)
        : refusal;
  }
}
