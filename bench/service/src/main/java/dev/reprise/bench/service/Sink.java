package dev.reprise.bench.service;

import dev.reprise.bench.common.Folders;
import dev.reprise.fixtures.Nginx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sink from elsewhere: nginx, answering 204 to everything. Its own count of requests is the one
 * that counts.
 */
final class Sink implements AutoCloseable {
  private static final Pattern REQUESTS = Pattern.compile("\\s(\\d+)\\s+(\\d+)\\s+(\\d+)\\s");

  private final Path folder;
  private final int port;
  private final Nginx nginx;
  private final HttpClient client = HttpClient.newHttpClient();

  private Sink(Path folder, int port, Nginx nginx) {
    this.folder = folder;
    this.port = port;
    this.nginx = nginx;
  }

  static Sink start() throws IOException, InterruptedException {
    Path folder = Folders.create("nginx");
    int port = ServiceProcess.freePort();
    // At every address of the loopback network: each endpoint has one of its own.
    return new Sink(
        folder,
        port,
        Nginx.start(
            folder,
            String.format(
                Locale.ROOT,
                """
                keepalive_requests 100000000;
                keepalive_timeout 300s;
                server {
                  listen %d backlog=16384;
                  location /status { stub_status; }
                  location / { return 204; }
                }
                """,
                port)));
  }

  int port() {
    return port;
  }

  /** Returns how many requests have been handled, this question included. */
  long requests() throws IOException, InterruptedException {
    String status =
        client
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/status")).build(),
                BodyHandlers.ofString())
            .body();
    Matcher matcher = REQUESTS.matcher(status);
    if (!matcher.find()) {
      throw new IOException("nginx' status is not understood: " + status);
    }
    return Long.parseLong(matcher.group(3));
  }

  /** Returns the requests per second over a time. */
  double rate(int seconds) throws IOException, InterruptedException {
    long before = requests();
    long start = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    return (requests() - before) / ((System.nanoTime() - start) / 1e9);
  }

  @Override
  public void close() {
    nginx.close();
    Folders.delete(folder);
  }
}
