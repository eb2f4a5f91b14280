package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** The link to one address of the broker, and the attempts on it. Belongs to the loop. */
final class TargetLink {
  private final Sender sender;
  private final MessageEncoder encoder;
  private final LinkListener listener;
  private final Deque<Outgoing> unsent = new ArrayDeque<>();
  private final Set<Outgoing> unsettled = new LinkedHashSet<>();

  // A message of several frames that waits for the session's window.
  private @Nullable Outgoing begun;
  private @Nullable ProtonBuffer rest;
  private boolean granted;
  private boolean ended;

  TargetLink(Sender sender, MessageEncoder encoder, LinkListener listener) {
    this.sender = sender;
    this.encoder = encoder;
    this.listener = listener;
  }

  void open() {
    sender
        .setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.POOLED.createGenerator())
        // A link that is refused is attached without a target, and detached in the next frame.
        .openHandler(link -> granted = link.getRemoteTarget() != null)
        .creditStateUpdateHandler(link -> onCredit())
        .deliveryStateUpdatedHandler(this::onOutcome)
        // Closed or only detached makes no difference: a new link is needed.
        .closeHandler(link -> onDetached(link.getRemoteCondition()))
        .detachHandler(link -> onDetached(link.getRemoteCondition()))
        .open();
  }

  boolean isIdle() {
    return unsent.isEmpty() && unsettled.isEmpty() && begun == null;
  }

  void send(Outgoing outgoing) {
    outgoing.link = this;
    unsent.add(outgoing);
    send();
  }

  /** Ends a link that is idle, from this side. */
  void detach() {
    ended = true;
    sender.close();
  }

  private void send() {
    while (!ended && sender.isSendable()) {
      Outgoing current = begun;
      ProtonBuffer bytes = rest;
      if (current == null || bytes == null) {
        current = unsent.peek();
        if (current == null) {
          return;
        }
        if (!current.attempt().mayBegin().getAsBoolean()) {
          unsent.remove();
          current.end(AttemptOutcome.MAY_NOT_BEGIN);
          continue;
        }
        bytes = encoded(current);
        if (bytes == null) {
          continue;
        }
        OutgoingDelivery delivery = sender.next();
        unsent.remove();
        delivery.setLinkedResource(current);
        current.delivery = delivery;
        unsettled.add(current);
      }
      OutgoingDelivery delivery = current.delivery;
      if (delivery == null) {
        return;
      }
      delivery.writeBytes(bytes);
      boolean complete = !bytes.isReadable();
      begun = complete ? null : current;
      rest = complete ? null : bytes;
    }
  }

  /** Returns the bytes; null when the message cannot be sent, which ends its attempt. */
  private @Nullable ProtonBuffer encoded(Outgoing outgoing) {
    ProtonBuffer bytes;
    try {
      bytes = encoder.encode(outgoing.attempt());
    } catch (RuntimeException e) {
      // The encoder throws several types. Let through, they would cost the connection.
      unsent.remove();
      outgoing.end(
          CarrierFailure.OF_RECIPIENT,
          Conditions.line("not sent: AMQP cannot say the message", null, e.getMessage()));
      return null;
    }
    outgoing.bytes = bytes.getReadableBytes();
    long max =
        sender.getRemoteMaxMessageSize() == null ? 0 : sender.getRemoteMaxMessageSize().longValue();
    // 0 means without a limit, and so does what only an unsigned number can hold.
    if (max > 0 && outgoing.bytes > max) {
      unsent.remove();
      outgoing.end(
          CarrierFailure.OF_RECIPIENT,
          "not sent: "
              + Conditions.MESSAGE_SIZE_EXCEEDED
              + " ("
              + outgoing.bytes
              + " bytes, the broker takes at most "
              + max
              + ")");
      return null;
    }
    return bytes;
  }

  private void onCredit() {
    send();
    if (!ended && sender.isDraining()) {
      sender.drained();
    }
  }

  /** Ends an attempt whose time is over. */
  void timeOut(Outgoing outgoing) {
    String limit = "within " + outgoing.attempt().timeout().toMillis() + " ms";
    if (unsent.remove(outgoing)) {
      outgoing.end(
          CarrierFailure.TIMEOUT,
          granted
              ? "no credit from the broker " + limit + ": the queue may be full or blocked"
              : "no answer to the link " + limit);
      return;
    }
    unsettled.remove(outgoing);
    OutgoingDelivery delivery = outgoing.delivery;
    if (outgoing == begun) {
      begun = null;
      rest = null;
      outgoing.end(CarrierFailure.TIMEOUT, "not sent as a whole " + limit);
      if (delivery != null) {
        delivery.setLinkedResource(null);
        delivery.abort();
      }
      send();
      return;
    }
    outgoing.end(CarrierFailure.TIMEOUT, "no outcome from the broker " + limit);
    // The broker may still take it; its answer is not needed any more.
    if (delivery != null) {
      delivery.setLinkedResource(null);
      delivery.settle();
    }
  }

  private void onOutcome(OutgoingDelivery delivery) {
    DeliveryState state = delivery.getRemoteState();
    Outgoing outgoing = delivery.getLinkedResource(Outgoing.class);
    // A state before the outcome, such as the receipt of a part, is no outcome.
    boolean arriving = state != null && state.getType() == DeliveryState.DeliveryStateType.Received;
    if (outgoing == null || (arriving && !delivery.isRemotelySettled())) {
      return;
    }
    delivery.setLinkedResource(null);
    unsettled.remove(outgoing);
    if (outgoing == begun) {
      // Refused before its end: the rest is not read.
      begun = null;
      rest = null;
      delivery.abort();
    } else {
      delivery.settle();
    }
    if (state instanceof Accepted) {
      listener.accepted(outgoing);
      outgoing.end(null, "accepted");
    } else {
      refused(outgoing, state);
    }
  }

  private void refused(Outgoing outgoing, @Nullable DeliveryState state) {
    if (state instanceof Rejected rejected) {
      ErrorCondition error = rejected.getError();
      listener.failed(
          outgoing,
          Conditions.ofRejected(Conditions.name(error)),
          Conditions.line("rejected", error),
          false);
      return;
    }
    if (state instanceof Modified modified) {
      boolean forGood = modified.isUndeliverableHere();
      outgoing.end(
          Conditions.ofModified(forGood).failure(),
          forGood ? "modified: undeliverable here" : "modified: delivery failed");
      return;
    }
    boolean released = state != null && state.getType() == DeliveryState.DeliveryStateType.Released;
    // Settled without an outcome: the broker may not have it, so it is sent again.
    outgoing.end(
        Conditions.ofReleased().failure(),
        released ? "released" : "settled by the broker without an outcome");
  }

  private void onDetached(@Nullable ErrorCondition condition) {
    if (ended) {
      return;
    }
    ended = true;
    sender.close();
    listener.ended(this);
    endAll(granted ? "link detached by the broker" : "link refused", condition);
  }

  /** The session of the link was ended by the broker. */
  void sessionEnded(@Nullable ErrorCondition condition) {
    if (!ended) {
      ended = true;
      endAll(
          granted ? "session ended by the broker" : "link refused by the session's end", condition);
    }
  }

  private void endAll(String event, @Nullable ErrorCondition condition) {
    String name = Conditions.name(condition);
    String line = Conditions.line(event, condition);
    Outgoing tooLarge =
        Conditions.MESSAGE_SIZE_EXCEEDED.equals(name)
            ? unsettled.stream().max(Comparator.comparingInt(sent -> sent.bytes)).orElse(null)
            : null;
    for (Outgoing sent : takeUnsettled()) {
      // The broker does not say which message it was; the others have done nothing.
      if (sent == tooLarge) {
        sent.end(CarrierFailure.OF_RECIPIENT, line);
      } else {
        listener.failed(sent, Conditions.ofEndedLink(name), line, true);
      }
    }
    for (Outgoing waiting : takeUnsent()) {
      listener.failed(
          waiting,
          granted ? Conditions.ofEndedLink(name) : Conditions.ofRefusedLink(name),
          line,
          false);
    }
  }

  /** Takes from the link all that was sent, perhaps in part, and has no outcome. */
  List<Outgoing> takeUnsettled() {
    ended = true;
    begun = null;
    rest = null;
    List<Outgoing> taken = new ArrayList<>(unsettled);
    unsettled.clear();
    return taken;
  }

  /** Takes from the link all of which nothing was sent. */
  List<Outgoing> takeUnsent() {
    List<Outgoing> taken = new ArrayList<>(unsent);
    unsent.clear();
    return taken;
  }
}
