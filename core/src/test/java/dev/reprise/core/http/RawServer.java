package dev.reprise.core.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Does with each connection what a server should not do. The connections get the scripts in their
 * order, further ones the last script.
 */
final class RawServer implements AutoCloseable {
  private final ServerSocket server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Socket> connections = new CopyOnWriteArrayList<>();

  /** Talks to one client; the connection is closed afterwards. */
  interface Script {
    void talk(Socket connection) throws IOException;

    /** Reads a request without a body and answers with these bytes. */
    static Script says(String answer) {
      return connection -> {
        readHead(connection);
        send(connection, answer);
      };
    }
  }

  RawServer(Script... scripts) throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(() -> accept(List.of(scripts)));
  }

  private void accept(List<Script> scripts) {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        Script script = scripts.get(Math.min(connections.size(), scripts.size() - 1));
        connections.add(connection);
        threads.execute(() -> talk(script, connection));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static void talk(Script script, Socket connection) {
    try (connection) {
      script.talk(connection);
    } catch (IOException brokenAsScripted) {
      // The client is what is tested.
      return;
    }
  }

  /** Reads up to the empty line, and returns it all. */
  static String readHead(Socket connection) throws IOException {
    InputStream in = connection.getInputStream();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the client hung up");
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  static void send(Socket connection, String text) throws IOException {
    connection.getOutputStream().write(text.getBytes(ISO_8859_1));
    connection.getOutputStream().flush();
  }

  /** Lets the other side get an RST. */
  static void reset(Socket connection) throws IOException {
    connection.setSoLinger(true, 0);
    connection.close();
  }

  /** Returns how many connections were made. */
  int connections() {
    return connections.size();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket connection : connections) {
      connection.close();
    }
    threads.shutdownNow();
  }
}
