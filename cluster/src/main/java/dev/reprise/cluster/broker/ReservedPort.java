package dev.reprise.cluster.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of loopback that nobody else gets, on which a process can listen all the same, again and
 * again.
 */
public final class ReservedPort implements AutoCloseable {
  private final Socket holder = new Socket();

  /**
   * Reserves a port that is free.
   *
   * @throws UncheckedIOException if there is none
   */
  public ReservedPort() {
    try {
      bind(0);
    } catch (IOException e) {
      throw new UncheckedIOException("no port of 127.0.0.1 is free: " + e.getMessage(), e);
    }
  }

  /**
   * A certain port.
   *
   * @throws IOException if another process has it
   */
  ReservedPort(int number) throws IOException {
    try {
      bind(number);
    } catch (IOException e) {
      holder.close();
      throw e;
    }
  }

  private void bind(int number) throws IOException {
    holder.setReuseAddress(true);
    holder.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), number));
  }

  /** Returns its number. */
  public int number() {
    return holder.getLocalPort();
  }

  @Override
  public void close() {
    try {
      holder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
