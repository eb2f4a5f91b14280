package dev.reprise.device.transport.amqp;

import dev.reprise.device.error.TransportException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.EventHandler;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Makes the links of a session, not open yet, with their addresses and the listeners for their end.
 */
final class Links {
  private static final Symbol[] OUTCOMES = {
    Accepted.DESCRIPTOR_SYMBOL,
    Rejected.DESCRIPTOR_SYMBOL,
    Released.DESCRIPTOR_SYMBOL,
    Modified.DESCRIPTOR_SYMBOL
  };

  private final Session session;
  private final AmqpSettings settings;

  Links(Session session, AmqpSettings settings) {
    this.session = session;
    this.settings = settings;
  }

  /**
   * Returns a name that the last connection did not have, because the peer may still keep that one.
   */
  String newName(String purpose) {
    return settings.containerId() + "-" + purpose + "-" + UUID.randomUUID();
  }

  Sender toMessages(Consumer<TransportException> onEnd) {
    Sender sender = session.sender(newName("messages"));
    sender
        .setSenderSettleMode(SenderSettleMode.UNSETTLED)
        .setSource(new Source().setAddress(sender.getName()).setOutcomes(OUTCOMES))
        .setTarget(
            new Target()
                .setAddress(settings.address())
                .setDurable(
                    settings.durableTarget()
                        ? TerminusDurability.CONFIGURATION
                        : TerminusDurability.NONE))
        .setProperties(properties());
    watch(sender, "link to " + settings.address(), onEnd);
    return sender;
  }

  Receiver fromCommands(String address, Consumer<TransportException> onEnd) {
    Receiver receiver = session.receiver(newName("commands"));
    receiver
        .setSource(new Source().setAddress(address).setOutcomes(OUTCOMES))
        .setTarget(new Target().setAddress(receiver.getName()))
        .setProperties(properties());
    watch(receiver, "link from " + address, onEnd);
    return receiver;
  }

  Sender toCbs(String replyTo, Consumer<TransportException> onEnd) {
    Sender sender = session.sender(replyTo + "-put");
    sender
        .setSource(new Source().setAddress(replyTo))
        .setTarget(new Target().setAddress(CbsLink.NODE));
    watch(sender, "link to " + CbsLink.NODE, onEnd);
    return sender;
  }

  Receiver fromCbs(String replyTo, Consumer<TransportException> onEnd) {
    Receiver receiver = session.receiver(replyTo + "-answer");
    receiver
        .setSource(new Source().setAddress(CbsLink.NODE))
        .setTarget(new Target().setAddress(replyTo));
    watch(receiver, "link from " + CbsLink.NODE, onEnd);
    return receiver;
  }

  /** Whether it is closed for good or only detached makes no difference: it takes a new one. */
  private static <L extends Link<L>> void watch(
      L link, String what, Consumer<TransportException> onEnd) {
    EventHandler<L> handler =
        remote -> onEnd.accept(AmqpErrors.ended(what, remote.getRemoteCondition()));
    link.closeHandler(handler);
    link.detachHandler(handler);
  }

  private Map<Symbol, Object> properties() {
    Map<Symbol, Object> properties = new LinkedHashMap<>();
    settings.linkProperties().forEach((name, value) -> properties.put(Symbol.valueOf(name), value));
    return properties;
  }
}
