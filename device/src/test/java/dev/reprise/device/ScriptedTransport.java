package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A transport whose every move the test makes. */
final class ScriptedTransport implements Transport {
  final List<Link> links = new ArrayList<>();
  boolean renewsLive;

  /** The methods that throw. */
  final Set<String> broken = new HashSet<>();

  private void breakIn(String method) {
    if (broken.contains(method)) {
      throw new IllegalStateException(method + " is broken");
    }
  }

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public Link connect(ConnectRequest request, ConnectionListener listener) {
    Link link = new Link(request, listener);
    links.add(link);
    return link;
  }

  Link last() {
    return links.get(links.size() - 1);
  }

  /** One message under way. */
  record Sent(Message message, int attempt, SendCallback callback) {}

  /** One attempt, and the connection that came of it. */
  final class Link implements TransportConnection {
    final ConnectRequest request;
    final ConnectionListener listener;
    final List<Sent> sent = new ArrayList<>();
    final List<Credential> renewals = new ArrayList<>();
    int capacity = 100;
    int subscriptions;
    boolean moved;
    boolean closed;
    boolean proven;

    Link(ConnectRequest request, ConnectionListener listener) {
      this.request = request;
      this.listener = listener;
    }

    void ready() {
      if (request.receivesCommands()) {
        listener.onSubscribed(null);
      }
      listener.onReady();
    }

    void lose(TransportException cause) {
      listener.onLost(cause);
    }

    void acknowledge(int index) {
      sent.get(index).callback().onAcknowledged();
    }

    void acknowledgeAll() {
      List.copyOf(sent).forEach(message -> message.callback().onAcknowledged());
    }

    List<String> sentIds() {
      return sent.stream().map(message -> message.message().id()).toList();
    }

    @Override
    public int capacity() {
      breakIn("capacity");
      return capacity;
    }

    @Override
    public void send(Message message, int attempt, SendCallback callback) {
      capacity--;
      sent.add(new Sent(message, attempt, callback));
    }

    @Override
    public boolean hasMoved() {
      boolean result = moved;
      moved = false;
      return result;
    }

    @Override
    public boolean renew(Credential credential) {
      breakIn("renew");
      if (renewsLive) {
        renewals.add(credential);
      }
      return renewsLive;
    }

    @Override
    public void subscribe() {
      subscriptions++;
    }

    @Override
    public boolean isProven() {
      return proven;
    }

    @Override
    public void close() {
      breakIn("close");
      closed = true;
    }
  }
}
