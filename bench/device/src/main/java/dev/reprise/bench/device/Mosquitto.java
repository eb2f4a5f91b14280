package dev.reprise.bench.device;

import dev.reprise.bench.common.Folders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The system's Mosquitto in a process of its own, in memory, which logs nothing but errors. */
final class Mosquitto implements AutoCloseable {
  private final Path folder;
  private final int port;
  private @Nullable Process process;

  private Mosquitto(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  static Mosquitto start() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Mosquitto broker = new Mosquitto(Folders.create("mosquitto"), port);
    Files.writeString(
        broker.folder.resolve("conf"),
        """
        listener %d 127.0.0.1
        allow_anonymous true
        log_dest stderr
        log_type error
        max_inflight_messages 0
        max_queued_messages 0
        user %s
        """
            .formatted(port, System.getProperty("user.name")));
    broker.launch();
    return broker;
  }

  int port() {
    return port;
  }

  /** Starts it, and returns when it listens. */
  void launch() throws IOException {
    Process started =
        new ProcessBuilder(binary(), "-c", folder.resolve("conf").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    process = started;
    for (int i = 0; i < 1200 && started.isAlive(); i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException notYet) {
        Jvm.pause(10);
      }
    }
    throw new IOException("mosquitto did not start: " + Files.readString(folder.resolve("log")));
  }

  /** Ends it with kill -9. */
  void kill() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
  }

  private static String binary() {
    return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/opt/homebrew/sbin")
        .map(bin -> Path.of(bin, "mosquitto"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException("mosquitto is not installed (apt-get install mosquitto)"))
        .toString();
  }

  @Override
  public void close() {
    kill();
    Folders.delete(folder);
  }
}
