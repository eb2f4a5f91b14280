package dev.reprise.endpoints.email;

import dev.reprise.delivery.carrier.SettingCodecs.Address;
import jakarta.mail.Session;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLongArray;

/** The relays of a carrier, and connecting to the first of them that can be used. Thread-safe. */
final class Relays {
  /** One that failed is tried after the others for this time. */
  private static final long AVOIDED_NANOS = Duration.ofSeconds(30).toNanos();

  private static final Duration MAX_CONNECT = Duration.ofSeconds(10);

  private final SmtpSettings settings;
  private final List<Address> relays;
  private final RelayTls tls;
  private final Session session;
  private final AtomicLongArray avoidedUntil;

  Relays(SmtpSettings settings) {
    this.settings = settings;
    relays = settings.relays();
    tls = new RelayTls(settings.authority());
    session = Session.getInstance(properties(settings, tls));
    avoidedUntil = new AtomicLongArray(relays.size());
    long now = System.nanoTime();
    for (int i = 0; i < relays.size(); i++) {
      avoidedUntil.set(i, now);
    }
  }

  private static Properties properties(SmtpSettings settings, RelayTls tls) {
    Properties properties = new Properties();
    boolean startTls = settings.security() == SmtpSecurity.STARTTLS;
    properties.setProperty("mail.smtp.starttls.required", String.valueOf(startTls));
    properties.setProperty("mail.smtp.ssl.checkserveridentity", "true");
    properties.put("mail.smtp.ssl.socketFactory", tls.sockets());
    properties.setProperty("mail.smtp.auth.mechanisms", "PLAIN LOGIN");
    return properties;
  }

  /** Returns the library's settings. */
  Session session() {
    return session;
  }

  /** Returns a connection that a message can be sent over. */
  SmtpConnection open(Opening opening) throws RelayException {
    List<String> reasons = new ArrayList<>();
    List<Integer> order = order();
    for (int i = 0; i < order.size() && !opening.isOver(); i++) {
      int relay = order.get(i);
      Duration share = opening.left().dividedBy(order.size() - i);
      try {
        SmtpConnection connection = open(relays.get(relay), share, opening);
        avoidedUntil.set(relay, System.nanoTime());
        return connection;
      } catch (RelayException e) {
        if (e.loginRefused()) {
          throw e;
        }
        avoidedUntil.set(relay, System.nanoTime() + AVOIDED_NANOS);
        reasons.add(e.reason());
      }
    }
    throw new RelayException(
        SmtpReply.line(reasons.isEmpty() ? "no time is left" : String.join("; ", reasons)), false);
  }

  private List<Integer> order() {
    List<Integer> order = new ArrayList<>();
    List<Integer> avoided = new ArrayList<>();
    long now = System.nanoTime();
    for (int i = 0; i < relays.size(); i++) {
      (avoidedUntil.get(i) - now > 0 ? avoided : order).add(i);
    }
    order.addAll(avoided);
    return order;
  }

  private SmtpConnection open(Address relay, Duration share, Opening opening)
      throws RelayException {
    SmtpConnection connection =
        SmtpConnection.over(connect(relay, share, opening), session, settings, relay);
    opening.use(connection);
    connection.open(tls, share);
    return connection;
  }

  private static RelaySocket connect(Address relay, Duration share, Opening opening)
      throws RelayException {
    String reason = "";
    InetAddress[] addresses = resolve(relay);
    Duration each = share.dividedBy(addresses.length);
    Duration limit = each.compareTo(MAX_CONNECT) < 0 ? each : MAX_CONNECT;
    for (InetAddress address : addresses) {
      RelaySocket socket = new RelaySocket();
      opening.hold(socket);
      try {
        socket.setTcpNoDelay(true);
        socket.connect(
            new InetSocketAddress(address, relay.port()), (int) Math.max(1, limit.toMillis()));
        return socket;
      } catch (IOException e) {
        close(socket);
        reason = reason(e);
      }
    }
    throw new RelayException(SmtpReply.line(relay + ": " + reason), false);
  }

  /**
   * Looks the host up. Each address keeps the name as it was set: certificates are checked against
   * it, and no name is looked up for an address.
   */
  private static InetAddress[] resolve(Address relay) throws RelayException {
    try {
      InetAddress[] addresses = InetAddress.getAllByName(relay.host());
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = InetAddress.getByAddress(relay.host(), addresses[i].getAddress());
      }
      return addresses;
    } catch (UnknownHostException e) {
      throw new RelayException(relay + ": unknown host", false);
    }
  }

  private static String reason(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.startsWith("Connection refused") ? "connection refused" : message;
  }

  private static void close(RelaySocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // A socket that does not close is no use either.
    }
  }
}
