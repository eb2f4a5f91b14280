package dev.reprise.endpoints.amqp;

import dev.reprise.delivery.carrier.SettingCodecs.Address;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Session;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first address that answers. A login that is refused is not tried at the next one:
 * the addresses are those of one broker, and a wrong password locks accounts. Belongs to the loop.
 */
final class Dialer implements BrokerConnection.Listener {
  /** Receives the result, once. */
  interface Listener {
    void ready(BrokerConnection connection, Session first);

    /** No address could be used, for a reason on one line. */
    void failed(String reason);
  }

  private final EventLoop loop;
  private final AmqpCarrierSettings settings;
  private final @Nullable SslContext tls;
  private final String containerId;
  private final Listener listener;
  private final List<String> reasons = new ArrayList<>();
  private int next;
  private @Nullable BrokerConnection connecting;
  private boolean ended;

  Dialer(
      EventLoop loop,
      AmqpCarrierSettings settings,
      @Nullable SslContext tls,
      String containerId,
      Listener listener) {
    this.loop = loop;
    this.settings = settings;
    this.tls = tls;
    this.containerId = containerId;
    this.listener = listener;
  }

  void start() {
    Address address = settings.addresses().get(next++);
    BrokerConnection connection =
        new BrokerConnection(loop, address, settings, tls, containerId, this);
    connecting = connection;
    connection.start();
  }

  /** Gives up; the listener is not called any more. */
  void close() {
    ended = true;
    stop(BrokerConnection::close);
  }

  private void stop(Consumer<BrokerConnection> end) {
    BrokerConnection connection = connecting;
    connecting = null;
    if (connection != null) {
      end.accept(connection);
    }
  }

  @Override
  public void ready(BrokerConnection connection, Session first) {
    if (!ended) {
      ended = true;
      connecting = null;
      listener.ready(connection, first);
    }
  }

  @Override
  public void lost(String reason, boolean login) {
    if (ended) {
      return;
    }
    BrokerConnection failed = connecting;
    reasons.add((failed == null ? "" : failed.address() + ": ") + reason);
    connecting = null;
    if (login || next == settings.addresses().size()) {
      ended = true;
      listener.failed(String.join("; ", login ? reasons.subList(next - 1, next) : reasons));
      return;
    }
    start();
  }
}
