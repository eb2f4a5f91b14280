package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.carrier.CarrierFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * The links of one connection: one for each address in use, and each in a session of its own as
 * long as the broker takes so many, since RabbitMQ ends the session of an address that it does not
 * like. Belongs to the loop.
 */
final class CarrierLinks {
  static final int MAX_LINKS = 1_000;

  private static final Duration UNTIL_A_LINK_IS_FREE = Duration.ofMillis(100);

  private static final Symbol[] OUTCOMES = {
    Accepted.DESCRIPTOR_SYMBOL,
    Rejected.DESCRIPTOR_SYMBOL,
    Released.DESCRIPTOR_SYMBOL,
    Modified.DESCRIPTOR_SYMBOL
  };

  /** A session and the links in it. */
  private record Shared(Session session, List<TargetLink> links) {}

  private final BrokerConnection connection;
  private final MessageEncoder encoder;
  private final LinkListener listener;
  private final int maxLinks;

  /** By address; the least recently used first. */
  private final Map<String, TargetLink> byAddress = new LinkedHashMap<>(16, 0.75f, true);

  private final List<Shared> sessions = new ArrayList<>();
  private long named;

  CarrierLinks(
      BrokerConnection connection,
      Session first,
      MessageEncoder encoder,
      int maxLinks,
      LinkListener listener) {
    this.connection = connection;
    this.encoder = encoder;
    this.maxLinks = maxLinks;
    this.listener = listener;
    watch(first);
  }

  /** Sends a message on the link to its address, which is attached if there is none. */
  void send(Outgoing outgoing) {
    String address = outgoing.attempt().endpoint();
    outgoing.address = connection.address().toString();
    TargetLink known = byAddress.get(address);
    if (known != null) {
      known.send(outgoing);
      return;
    }
    if (byAddress.size() >= maxLinks && !detachIdle()) {
      outgoing.giveBack(
          new Block(UNTIL_A_LINK_IS_FREE, maxLinks + " links are in use, the most there may be"));
      return;
    }
    TargetLink link;
    try {
      link = attach(address);
    } catch (RuntimeException e) {
      // The engine throws several types: too many sessions or links, or it has failed meanwhile.
      outgoing.end(
          CarrierFailure.TRANSIENT, Conditions.line("no link can be made", null, e.getMessage()));
      return;
    }
    byAddress.put(address, link);
    link.send(outgoing);
  }

  /** Gives back all of which nothing was sent. */
  void giveBackUnsent(Block block) {
    byAddress.values().forEach(link -> link.takeUnsent().forEach(unsent -> unsent.giveBack(block)));
  }

  /** Returns all links, which are taken out. */
  List<TargetLink> takeAll() {
    List<TargetLink> all = new ArrayList<>(byAddress.values());
    byAddress.clear();
    return all;
  }

  /** Forgets a link that has ended. */
  void remove(TargetLink link) {
    byAddress.values().remove(link);
    for (Iterator<Shared> each = sessions.iterator(); each.hasNext(); ) {
      Shared shared = each.next();
      if (shared.links.remove(link) && shared.links.isEmpty()) {
        each.remove();
        shared.session.close();
        return;
      }
    }
  }

  private boolean detachIdle() {
    for (TargetLink link : byAddress.values()) {
      if (link.isIdle()) {
        link.detach();
        remove(link);
        return true;
      }
    }
    return false;
  }

  private TargetLink attach(String address) {
    Shared shared = session();
    // Another name at each connection: the broker may still keep the last one's.
    Sender sender = shared.session.sender("reprise-" + System.nanoTime() + "-" + ++named);
    sender
        .setSenderSettleMode(SenderSettleMode.UNSETTLED)
        .setSource(new Source().setAddress(sender.getName()).setOutcomes(OUTCOMES))
        .setTarget(new Target().setAddress(address));
    TargetLink link = new TargetLink(sender, encoder, listener);
    shared.links.add(link);
    link.open();
    return link;
  }

  /** Returns a session without a link, or else the one with the fewest. */
  private Shared session() {
    Shared least =
        sessions.stream().min(Comparator.comparingInt(each -> each.links.size())).orElse(null);
    if (least != null && (least.links.isEmpty() || sessions.size() >= connection.maxSessions())) {
      return least;
    }
    Session opened = connection.session();
    Shared shared = watch(opened);
    opened.open();
    return shared;
  }

  private Shared watch(Session session) {
    Shared shared = new Shared(session, new ArrayList<>());
    sessions.add(shared);
    session.closeHandler(remote -> onEnded(shared));
    return shared;
  }

  private void onEnded(Shared shared) {
    if (!sessions.remove(shared)) {
      return;
    }
    shared.session.close();
    for (TargetLink link : shared.links) {
      byAddress.values().remove(link);
      link.sessionEnded(shared.session.getRemoteCondition());
    }
  }
}
