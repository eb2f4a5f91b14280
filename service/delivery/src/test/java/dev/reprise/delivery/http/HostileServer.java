package dev.reprise.delivery.http;

import dev.reprise.fixtures.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;

/** A bare socket that does to each connection what no HTTP server would do. */
final class HostileServer implements AutoCloseable {
  /** What happens to a connection; it is closed when this returns. */
  interface Conversation {
    void with(Peer peer) throws IOException, InterruptedException;
  }

  /** One connection. */
  final class Peer {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Peer(Socket socket) throws IOException {
      this.socket = socket;
      this.in = socket.getInputStream();
      this.out = socket.getOutputStream();
    }

    /** Reads one request with a Content-Length, and returns its head. */
    String readRequest() throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) {
          throw new IOException("end of stream in the request");
        }
        head.write(b);
      }
      String text = head.toString(StandardCharsets.ISO_8859_1);
      int length =
          text.lines()
              .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
              .mapToInt(line -> Integer.parseInt(line.substring(15).trim()))
              .findFirst()
              .orElse(0);
      if (in.readNBytes(length).length < length) {
        throw new IOException("end of stream in the body");
      }
      requests.add(text);
      return text;
    }

    void write(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }

    /** Writes bytes, given as hexadecimal digits. */
    void writeHex(String digits) throws IOException {
      out.write(HexFormat.of().parseHex(digits));
      out.flush();
    }

    /** Reads so many bytes. */
    byte[] read(int bytes) throws IOException {
      byte[] read = in.readNBytes(bytes);
      if (read.length < bytes) {
        throw new IOException("end of stream");
      }
      return read;
    }

    /** Waits until the client closes the connection. */
    void awaitClose() throws IOException {
      while (in.read() >= 0) {
        // What the client still sends is of no interest.
      }
      closedByClient.countDown();
    }

    /** Closes with RST instead of FIN. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  /** More connections than any test makes at once: beyond it the kernel drops and tries again. */
  private static final int BACKLOG = 256;

  final Queue<String> requests = new ConcurrentLinkedQueue<>();
  final CountDownLatch closedByClient = new CountDownLatch(1);
  private final ServerSocket listener;
  private final Conversation conversation;
  private final Thread acceptor;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  HostileServer(Conversation conversation) throws IOException {
    this(conversation, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
  }

  HostileServer(Conversation conversation, InetAddress address) throws IOException {
    this(conversation, address, 0);
  }

  HostileServer(Conversation conversation, InetAddress address, int port) throws IOException {
    this.conversation = conversation;
    this.listener = new ServerSocket(port, BACKLOG, address);
    this.acceptor = daemon(this::accept);
  }

  /** One that speaks TLS and has agreed on a protocol before the conversation begins. */
  HostileServer(Conversation conversation, TestCertificate certificate, String protocol)
      throws IOException, GeneralSecurityException {
    this.conversation = conversation;
    SSLServerSocket tls =
        (SSLServerSocket)
            certificate
                .serverTls()
                .getServerSocketFactory()
                .createServerSocket(
                    0, BACKLOG, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    tls.setSSLParameters(parameters);
    this.listener = tls;
    this.acceptor = daemon(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  List<String> requests() {
    return List.copyOf(requests);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        daemon(() -> talk(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void talk(Socket socket) {
    try (socket) {
      conversation.with(new Peer(socket));
    } catch (IOException clientGone) {
      closedByClient.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "hostile-server");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Closes all connections; from before the first of them is closed, new ones are refused. */
  @Override
  public void close() throws IOException {
    listener.close();
    try {
      // The kernel goes on listening, and takes one more, until the thread has left its accept().
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Socket socket : open) {
      socket.close();
    }
  }
}
