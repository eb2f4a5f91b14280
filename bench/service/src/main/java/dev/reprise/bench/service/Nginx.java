package dev.reprise.bench.service;

import dev.reprise.bench.common.Folders;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sink that nobody here wrote: nginx with one worker, answering 204 to everything. Its own count
 * of requests is what is believed.
 */
final class Nginx implements AutoCloseable {
  private static final Pattern REQUESTS = Pattern.compile("\\s(\\d+)\\s+(\\d+)\\s+(\\d+)\\s");

  private final Process process;
  private final Path folder;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  private Nginx(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  static Nginx start() throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path folder = Files.createTempDirectory("reprise-nginx");
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        """
        daemon off;
        worker_processes 1;
        worker_rlimit_nofile 65536;
        pid %1$s/pid;
        error_log stderr error;
        events { worker_connections 16384; }
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          keepalive_requests 100000000;
          keepalive_timeout 300s;
          server {
            listen %2$d backlog=16384;
            location /status { stub_status; }
            location / { return 204; }
          }
        }
        """
            .formatted(folder, port));
    Process process =
        new ProcessBuilder(
                "nginx", "-e", "stderr", "-p", folder.toString(), "-c", config.toString())
            .inheritIO()
            .start();
    Nginx nginx = new Nginx(process, folder, port);
    for (int i = 0; ; i++) {
      try {
        nginx.requests();
        return nginx;
      } catch (IOException e) {
        if (i == 100 || !process.isAlive()) {
          throw new IOException("nginx does not start", e);
        }
        Thread.sleep(50);
      }
    }
  }

  int port() {
    return port;
  }

  /** How many requests have been handled, this question included. */
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

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
    Folders.delete(folder);
  }
}
