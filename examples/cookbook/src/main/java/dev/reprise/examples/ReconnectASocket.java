package dev.reprise.examples;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Opens a connection again that breaks. */
public final class ReconnectASocket {
  private ReconnectASocket() {}

  /** Reads a line from a server that hangs up twice. */
  public static void main(String[] args) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread serving = new Thread(() -> serve(server), "line-server");
      serving.setDaemon(true);
      serving.start();
      System.out.println(readLine(server.getInetAddress(), server.getLocalPort()));
    }
  }

  private static String readLine(InetAddress address, int port) throws IOException {
    // @start region=reconnect
    Retry retry =
        Retry.builder()
            .maxAttempts(10)
            .backoff(
                Backoff.exponential(Duration.ofMillis(10), Duration.ofSeconds(30))
                    .withFullJitter()) // all clients lose their connections at once
            .idempotent(true) // reading twice does no harm
            .build();
    return retry.call(
        () -> {
          try (Socket socket = new Socket(address, port)) { // a new one: the old one is dead
            return readLine(socket);
          }
        });
    // @end
  }

  private static String readLine(Socket socket) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    String line = reader.readLine();
    if (line == null) {
      throw new EOFException("the server hung up");
    }
    return line;
  }

  private static void serve(ServerSocket server) {
    try {
      for (int connection = 1; connection <= 3; connection++) {
        try (Socket socket = server.accept()) {
          if (connection == 3) {
            socket.getOutputStream().write("connected at last\n".getBytes(StandardCharsets.UTF_8));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
