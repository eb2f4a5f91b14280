package dev.reprise.cli.demo;

import dev.reprise.cli.base.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server on a socket that the demo starts in its own process, and what it was sent. Speaks only
 * as much of its protocol as the demo needs.
 */
abstract class DemoServer implements AutoCloseable {
  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<String> received = new CopyOnWriteArrayList<>();

  /** Listens at a free port of this machine; connections wait until {@link #start}. */
  DemoServer() {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw CommandFailure.failed("the demo's server cannot listen: " + e.getMessage());
    }
  }

  /** Serves one connection until it ends. */
  abstract void serve(Socket socket) throws IOException;

  /** Begins to serve. */
  final void start() {
    thread(this::accept).start();
  }

  /** The address of the server, such as {@code 127.0.0.1:2775}. */
  final String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Returns the messages that it was sent so far. */
  final List<String> received() {
    return received;
  }

  final void took(String message) {
    received.add(message);
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        open.add(socket);
        thread(() -> serveAndClose(socket)).start();
      }
    } catch (IOException closed) {
      // The demo has ended.
    }
  }

  private void serveAndClose(Socket socket) {
    try (socket) {
      serve(socket);
    } catch (IOException gone) {
      // The client has closed the connection.
    } finally {
      open.remove(socket);
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "demo-server");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      // The process ends next.
    }
  }
}
