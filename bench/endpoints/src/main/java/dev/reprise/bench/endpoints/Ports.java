package dev.reprise.bench.endpoints;

import java.io.IOException;
import java.net.ServerSocket;

/** Ports for servers that cannot choose one themselves. */
final class Ports {
  private Ports() {}

  /** Returns a port that nobody listens at now. */
  static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
