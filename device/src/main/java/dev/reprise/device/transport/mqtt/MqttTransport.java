package dev.reprise.device.transport.mqtt;

import dev.reprise.device.transport.ConnectRequest;
import dev.reprise.device.transport.ConnectionListener;
import dev.reprise.device.transport.EventLoops;
import dev.reprise.device.transport.ServerAddress;
import dev.reprise.device.transport.Transport;
import dev.reprise.device.transport.TransportConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * MQTT 3.1.1 and 5, over TCP, TLS and WebSocket. Messages are published with QoS 1: an
 * acknowledgement of the server is their outcome. Nothing is kept and nothing is repeated here.
 *
 * <ul>
 *   <li>In MQTT 5 a message carries its id as the user property {@code message-id}, its content
 *       type, and its properties as user properties, and what is left of its time to live as the
 *       Message Expiry Interval. MQTT 3.1.1 carries the body only; what else it must say, the
 *       {@link MqttTopic} can say.
 *   <li>MQTT 3.1.1 cannot refuse a message: a server acknowledges what it then throws away, or
 *       hangs up. Prefer 5.
 *   <li>A command that failed is answered with an error in MQTT 5, and with an acknowledgement in
 *       3.1.1. MQTT repeats neither: a server repeats only what was not answered before the
 *       connection was lost.
 * </ul>
 *
 * <p>All transports of the JVM share a few threads. Thread-safe; belongs to one device.
 */
public final class MqttTransport implements Transport {
  private final MqttSettings settings;
  private final AtomicInteger lookups = new AtomicInteger();
  private final VersionChoice versions;

  /** Creates the transport. Nothing happens before {@link #connect}. */
  public MqttTransport(MqttSettings settings) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.versions = new VersionChoice(settings.version(), settings.host());
  }

  @Override
  public String name() {
    return "mqtt";
  }

  @Override
  public TransportConnection connect(ConnectRequest request, ConnectionListener listener) {
    MqttConnection connection = new MqttConnection(this, request, listener);
    EventLoops.resolvers().execute(connection::start);
    return connection;
  }

  MqttSettings settings() {
    return settings;
  }

  VersionChoice versions() {
    return versions;
  }

  /**
   * Looks up where to connect to. Of several addresses of one name, each attempt gets the next: the
   * first may be one that never answers.
   *
   * @param server the server to go to instead of that of the settings, or null
   */
  InetSocketAddress address(@Nullable String server) throws UnknownHostException {
    ServerAddress chosen = new ServerAddress(settings.host(), settings.port()).redirectedTo(server);
    InetAddress[] found = InetAddress.getAllByName(chosen.host());
    return new InetSocketAddress(
        found[Math.floorMod(lookups.getAndIncrement(), found.length)], chosen.port());
  }
}
