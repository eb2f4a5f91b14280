package dev.reprise.device;

import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.SendCallback;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A hub that answers each message by a rule, in the order of arrival, in virtual time. */
final class RuledHub implements Transport {
  /** Decides about a message. */
  interface Rule {
    /** Returns why it is refused, or null when it is taken. */
    @Nullable TransportException refusal(String id);
  }

  private final VirtualTime time;
  private final int window;
  private final Duration latency;

  Rule rule = id -> null;

  /** How often each message arrived. */
  final Map<String, Integer> arrived = new LinkedHashMap<>();

  final List<String> taken = new ArrayList<>();

  /** The size of the body of each message that was taken. */
  final List<Integer> takenBytes = new ArrayList<>();

  int attempts;
  int connections;
  private @Nullable Link last;

  /**
   * Creates the hub.
   *
   * @param window how many messages may be under way
   */
  RuledHub(VirtualTime time, int window, Duration latency) {
    this.time = time;
    this.window = window;
    this.latency = latency;
  }

  @Override
  public String name() {
    return "ruled";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    connections++;
    Link link = new Link(listener);
    last = link;
    after(
        link,
        () -> {
          link.isReady = true;
          listener.onReady();
        });
    return link;
  }

  /** Ends the present connection. */
  void lose(TransportException cause) {
    Link link = last;
    if (link != null) {
      link.isOver = true;
      link.listener.onLost(cause);
    }
  }

  private void after(Link link, Runnable event) {
    var unused =
        time.schedule(
            latency.toNanos(),
            () -> {
              if (!link.isOver) {
                event.run();
              }
            });
  }

  private final class Link implements TransportConnection {
    private final ConnectionListener listener;
    private boolean isReady;
    private boolean isOver;
    private int underWay;

    Link(ConnectionListener listener) {
      this.listener = listener;
    }

    @Override
    public int capacity() {
      return isReady && !isOver ? window - underWay : 0;
    }

    @Override
    public void send(Message message, int attempt, SendCallback callback) {
      underWay++;
      attempts++;
      arrived.merge(message.id(), 1, Integer::sum);
      TransportException refusal = rule.refusal(message.id());
      if (refusal == null) {
        taken.add(message.id());
        takenBytes.add(message.body().length);
      }
      after(
          this,
          () -> {
            if (refusal == null) {
              callback.onAcknowledged();
            } else {
              callback.onFailed(refusal);
            }
            underWay--;
          });
    }

    @Override
    public boolean renew(Credential credential) {
      return false;
    }

    @Override
    public void subscribe() {
      listener.onSubscribed(null);
    }

    @Override
    public void close() {
      isOver = true;
    }
  }
}
