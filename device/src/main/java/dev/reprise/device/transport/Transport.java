package dev.reprise.device.transport;

/**
 * A way to reach the other side. It makes connections and never remakes one: the client decides
 * whether and when. Implementations are thread-safe; one serves one device.
 */
public interface Transport {
  /** Returns the name of the protocol in lower case, such as {@code mqtt}, for texts. */
  String name();

  /**
   * Begins to connect, and never blocks. The result, later events of the connection, and mistakes
   * in the settings are reported to the listener. The client limits the time that it takes.
   *
   * @return the connection in the making, by which the attempt can be ended
   */
  TransportConnection connect(ConnectRequest request, ConnectionListener listener);
}
