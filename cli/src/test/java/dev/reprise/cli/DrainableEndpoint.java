package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.fixtures.Await;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * An endpoint on bare sockets, which can tell when it has read everything that clients sent before
 * they died. A thread for each connection.
 */
final class DrainableEndpoint implements AutoCloseable {
  private static final String MARKER = "/marker";

  private final ServerSocket listening;
  private final Subscriber subscriber;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  /** Takes a request, and says with which status it is answered. */
  interface Subscriber {
    int answer(String path, String body);
  }

  DrainableEndpoint(Subscriber subscriber) throws IOException {
    this.subscriber = subscriber;
    this.listening = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Returns when every connection was read to its end; all clients must have died before. */
  void awaitAllRead() throws IOException {
    // Connections are accepted in their order: with this one, all earlier ones are.
    try (Socket marker = new Socket(InetAddress.getLoopbackAddress(), port())) {
      marker.getOutputStream().write(("GET " + MARKER + " HTTP/1.1\r\n\r\n").getBytes(US_ASCII));
      if (marker.getInputStream().read() < 0) {
        throw new IOException("the marker was not answered");
      }
    }
    Await.value("open connections of a dead client", connections::size, open -> open == 0);
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = listening.accept();
        connections.add(connection);
        try {
          threads.execute(() -> serve(connection));
        } catch (RejectedExecutionException e) {
          // It came while this was closed, perhaps after all that were known had been.
          connection.close();
        }
      }
    } catch (IOException e) {
      if (!listening.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      while (true) {
        String path = line(in).split(" ", 3)[1];
        byte[] body = new byte[bodyLength(in)];
        if (in.readNBytes(body, 0, body.length) < body.length) {
          throw new EOFException();
        }
        int status = path.equals(MARKER) ? 200 : subscriber.answer(path, new String(body, UTF_8));
        connection
            .getOutputStream()
            .write(("HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n").getBytes(US_ASCII));
      }
    } catch (IOException e) {
      // The client has ended: all whole requests were read.
    } finally {
      connections.remove(connection);
    }
  }

  /** Reads the headers. */
  private static int bodyLength(InputStream in) throws IOException {
    int length = 0;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      String[] parts = header.toLowerCase(Locale.ROOT).split(":", 2);
      if (parts[0].equals("content-length")) {
        length = Integer.parseInt(parts[1].strip());
      }
    }
    return length;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket connection : connections) {
      connection.close();
    }
    threads.shutdownNow();
  }
}
