package dev.reprise.delivery.http;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real nginx on ports that the test holds. Without nginx on the machine the test is skipped,
 * loudly.
 */
final class Nginx implements AutoCloseable {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/sbin/nginx"), Path.of("/usr/bin/nginx"), Path.of("/usr/local/sbin/nginx"));

  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Process process;

  private Nginx(Process process) {
    this.process = process;
  }

  /**
   * Starts nginx and returns once its ports accept connections.
   *
   * @param servers the server blocks of the configuration
   * @param ports the numbers of the held ports that the blocks listen on
   */
  static Nginx start(Path folder, String servers, int... ports)
      throws IOException, InterruptedException {
    Path binary =
        PLACES.stream()
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(
                () -> {
                  System.err.println("SKIPPED: nginx is not installed (apt-get install nginx)");
                  return abort("nginx is not installed (apt-get install nginx)");
                });
    Path configuration = folder.resolve("nginx.conf");
    Files.writeString(
        configuration,
        """
        daemon off;
        master_process off;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log warn;
        worker_rlimit_nofile 16384;
        events { worker_connections 8192; }
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          default_type text/plain;
          %2$s
        }
        """
            .formatted(folder, servers));
    Process process =
        new ProcessBuilder(
                binary.toString(), "-p", folder.toString(), "-c", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("nginx.out").toFile())
            .start();
    Nginx nginx = new Nginx(process);
    for (int port : ports) {
      nginx.awaitListening(port, folder);
    }
    return nginx;
  }

  private void awaitListening(int port, Path folder) throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    while (System.nanoTime() - beganNanos < LIMIT_NANOS) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException notYet) {
        if (process.waitFor(25, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    }
    process.destroy();
    throw new IOException("nginx did not start: " + Files.readString(folder.resolve("nginx.out")));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
