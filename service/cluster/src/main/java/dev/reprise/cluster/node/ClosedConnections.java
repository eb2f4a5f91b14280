package dev.reprise.cluster.node;

import dev.reprise.cluster.base.ClusterSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Finds out whether a broker closes connections as soon as it has accepted them, which Kafka does
 * once an address has as many as {@code max.connections.per.ip} allows. Clients of Kafka report
 * that as a time limit that ran out, if at all.
 */
public final class ClosedConnections {
  private static final int CONNECT_MILLIS = 1_000;

  /** A broker sends nothing unasked: what ends before that was closed. */
  private static final int SILENCE_MILLIS = 1_000;

  /** Of so many addresses; each takes up to two seconds. */
  private static final int MAX_ADDRESSES = 3;

  private ClosedConnections() {}

  /**
   * Returns what to add to a failure, beginning with a semicolon: which of the first three
   * addresses of brokers closed a connection at once, and what may be the reason; empty if none
   * did. Blocks for up to 6 s, and for as long as names are looked up.
   */
  public static String hint(ClusterSettings settings) {
    return hint(settings, Duration.ofMillis(SILENCE_MILLIS));
  }

  /**
   * The same.
   *
   * @param silence for how long a connection has to stay open without a byte, from 1 ms
   */
  static String hint(ClusterSettings settings, Duration silence) {
    String[] addresses = settings.brokers().split(",", -1);
    for (int i = 0; i < Math.min(addresses.length, MAX_ADDRESSES); i++) {
      if (isClosedAtOnce(addresses[i], silence)) {
        return "; "
            + addresses[i]
            + " closes a new connection at once, as a broker does when this machine's address has"
            + " as many as its max.connections.per.ip allows";
      }
    }
    return "";
  }

  private static boolean isClosedAtOnce(String address, Duration silence) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      return false;
    }
    String host = address.substring(0, colon);
    try (Socket socket = new Socket()) {
      int port = Integer.parseInt(address.substring(colon + 1));
      socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
      return ends(socket, silence);
    } catch (IOException | IllegalArgumentException e) {
      // Not reached at all: the failure that this is added to says so.
      return false;
    }
  }

  private static boolean ends(Socket socket, Duration silence) throws IOException {
    socket.setSoTimeout((int) silence.toMillis());
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      // Reset is closed as well.
      return true;
    }
  }
}
