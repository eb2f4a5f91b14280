package dev.reprise.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A TCP port of the loopback address that refuses connections: a server that is down. It is
 * reserved, and nothing listens on it. A port that is merely free may be taken by another process
 * by the time a test uses it.
 *
 * <p>On Linux, a server that is told its number and sets {@code SO_REUSEADDR}, as servers do, can
 * listen on it all the same: the server that comes up later.
 */
public final class RefusingPort implements AutoCloseable {
  private final Socket holder = new Socket();

  private RefusingPort() throws IOException {
    holder.setReuseAddress(true);
    holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /**
   * Takes a port.
   *
   * @throws UncheckedIOException if there is none left
   */
  public static RefusingPort take() {
    try {
      return new RefusingPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its number, 1 to 65535. */
  public int number() {
    return holder.getLocalPort();
  }

  /** Gives the port back. */
  @Override
  public void close() {
    try {
      holder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
