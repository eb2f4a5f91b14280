package dev.reprise.libraries;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** The other side of a connection, which fails in one way. It listens at a port of its own. */
final class Peer implements AutoCloseable {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final int FILLING_MILLIS = 500;
  private static final int MAX_FILLING = 100;
  private static final String END_OF_HEAD = "\r\n\r\n";

  /** Does with a connection whatever this peer does; the connection is closed after it. */
  interface Behaviour {
    void on(Socket connection) throws IOException;
  }

  private final ServerSocket server;
  private final List<Socket> open = new ArrayList<>();

  private Peer(ServerSocket server) {
    this.server = server;
  }

  /** Does with each connection what it is told. */
  static Peer of(Behaviour behaviour) {
    try {
      Peer peer = new Peer(new ServerSocket(0, 50, LOOPBACK));
      start(() -> peer.accept(behaviour));
      return peer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads, and never answers. */
  static Peer silent() {
    return of(Peer::readToTheEnd);
  }

  /** Closes each connection at once. */
  static Peer hangingUp() {
    return of(connection -> {});
  }

  /** Resets each connection at once. */
  static Peer resettingAtOnce() {
    return of(connection -> connection.setSoLinger(true, 0));
  }

  /** Resets a connection as soon as something has come. */
  static Peer resetting() {
    return of(
        connection -> {
          if (connection.getInputStream().read() >= 0) {
            connection.setSoLinger(true, 0);
          }
        });
  }

  /** Closes a connection as soon as something has come. */
  static Peer hangingUpAtFirstByte() {
    return of(connection -> connection.getInputStream().read(new byte[1024]));
  }

  /** Closes a connection when the head of an HTTP request has come. */
  static Peer hangingUpAfterTheRequest() {
    return of(Peer::readHead);
  }

  /** Answers each request with a status, these lines of a header, and a body, and hangs up. */
  static Peer answering(int status, String header, String body) {
    String answer =
        "HTTP/1.1 %s Scripted\r\n%sContent-Length: %s\r\nConnection: close\r\n\r\n%s"
            .formatted(status, header, body.length(), body);
    return of(
        connection -> {
          readHead(connection);
          connection.getOutputStream().write(answer.getBytes(ISO_8859_1));
          connection.shutdownOutput();
          readToTheEnd(connection);
        });
  }

  /**
   * Takes no connection: what waits to be accepted is full, so that the kernel answers no further
   * SYN, and clients wait until their patience ends.
   */
  static Peer full() {
    try {
      Peer peer = new Peer(new ServerSocket(0, 1, LOOPBACK));
      for (int i = 0; i < MAX_FILLING; i++) {
        Socket socket = new Socket();
        peer.open.add(socket);
        try {
          socket.connect(new InetSocketAddress(LOOPBACK, peer.port()), FILLING_MILLIS);
        } catch (SocketTimeoutException full) {
          return peer;
        }
      }
      peer.close();
      throw new IllegalStateException("a backlog of 1 took " + MAX_FILLING + " connections");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its port, at the loopback address. */
  int port() {
    return server.getLocalPort();
  }

  /** Returns its host and port. */
  String address() {
    return "127.0.0.1:" + port();
  }

  private void accept(Behaviour behaviour) {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        synchronized (open) {
          open.add(connection);
        }
        start(() -> serve(connection, behaviour));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static void serve(Socket connection, Behaviour behaviour) {
    try (connection) {
      behaviour.on(connection);
    } catch (IOException gone) {
      // The client is what is tested, and may hang up when it likes.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "peer");
    thread.setDaemon(true);
    thread.start();
  }

  static void readToTheEnd(Socket connection) throws IOException {
    InputStream in = connection.getInputStream();
    byte[] buffer = new byte[1024];
    while (in.read(buffer) >= 0) {
      // Nothing of it is looked at.
    }
  }

  static void readHead(Socket connection) throws IOException {
    InputStream in = connection.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf(END_OF_HEAD) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the request ended before its head did");
      }
      head.append((char) next);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
      synchronized (open) {
        for (Socket connection : open) {
          connection.close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
