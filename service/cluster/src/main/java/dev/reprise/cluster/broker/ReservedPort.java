package dev.reprise.cluster.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of an address of this machine that no other process gets, on which a process can listen
 * all the same, again and again: what is bound to it here never listens.
 */
public final class ReservedPort implements AutoCloseable {
  private final Socket holder = new Socket();

  /**
   * Reserves a port that is free.
   *
   * @param host a numeric address of this machine
   * @throws UncheckedIOException if there is none
   */
  public ReservedPort(String host) {
    try {
      bind(host, 0);
    } catch (IOException e) {
      throw new UncheckedIOException("no port of " + host + " is free: " + e.getMessage(), e);
    }
  }

  /**
   * Reserves a certain port of an address.
   *
   * @throws IOException if another process has it
   */
  ReservedPort(String host, int number) throws IOException {
    try {
      bind(host, number);
    } catch (IOException e) {
      holder.close();
      throw e;
    }
  }

  private void bind(String host, int number) throws IOException {
    holder.setReuseAddress(true);
    holder.bind(new InetSocketAddress(host, number));
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
