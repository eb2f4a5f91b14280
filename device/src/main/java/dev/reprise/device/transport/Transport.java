package dev.reprise.device.transport;

/**
 * A way to reach the other side. It makes connections and never remakes one: the client decides
 * whether and when. Implementations are thread-safe; one serves one device.
 */
public interface Transport {
  /** Returns the name of the protocol in lower case, such as {@code mqtt}, for texts. */
  String name();

  /**
   * Begins to connect, and never blocks. What becomes of it, and of the connection afterwards, is
   * told to the listener; a mistake in the settings too. The client limits the time that it takes.
   *
   * @return what ends the attempt, or the connection that comes of it
   */
  TransportConnection connect(ConnectRequest request, ConnectionListener listener);
}
