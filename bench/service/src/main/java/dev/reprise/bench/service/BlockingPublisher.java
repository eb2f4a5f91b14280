package dev.reprise.bench.service;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One keep-alive connection, one request at a time: the least that a publisher can cost. */
final class BlockingPublisher implements AutoCloseable {
  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;
  private final String host;

  BlockingPublisher(String host, int port) throws IOException {
    this.host = host + ":" + port;
    socket = new Socket(host, port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(30_000);
    out = socket.getOutputStream();
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Posts JSON and reads the whole answer. Returns the status. */
  int post(String path, byte[] json) throws IOException {
    byte[] head =
        ("POST "
                + path
                + " HTTP/1.1\r\nHost: "
                + host
                + "\r\nContent-Type: application/json\r\nContent-Length: "
                + json.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[head.length + json.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(json, 0, request, head.length, json.length);
    out.write(request);
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(header.substring(15).trim());
      }
    }
    in.readNBytes(length);
    return status;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the service has closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
