package dev.reprise.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.broker.ReservedPort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of the demo's cluster: this very program as a process of its own, which ends with it. */
final class DemoNode implements AutoCloseable {
  private static final int ANSWER_MILLIS = 5_000;
  private static final int LINES_OF_A_FAILURE = 10;

  /** The flags of this process that its nodes need as well. */
  private static final List<String> KEPT_FLAGS =
      List.of(
          "--enable-native-access=", "--sun-misc-unsafe-memory-access=", "-Djava.library.path=");

  private final String name;
  private final Path folder;
  private final ReservedPort port = new ReservedPort("127.0.0.1");
  private @Nullable Process process;

  /** A node that keeps its data and its log below a folder; does not run yet. */
  DemoNode(String name, Path folder) {
    this.name = name;
    this.folder = folder;
  }

  String name() {
    return name;
  }

  String url() {
    return "http://127.0.0.1:" + port.number();
  }

  /** Starts the process; does not wait for it. */
  void launch(String brokers, int shards) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (KEPT_FLAGS.stream().anyMatch(flag::startsWith)) {
        command.add(flag);
      }
    }
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dreprise.part=true",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.reprise.cli.Main",
            "serve",
            "--dev",
            "--cluster",
            brokers,
            "--shards",
            Integer.toString(shards),
            "--node",
            name,
            "--port",
            Integer.toString(port.number()),
            "--data",
            folder.resolve(name).toString()));
    // Its input is the pipe that ends with this process.
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    // The settings of another service on this machine are not those of the demo.
    builder.environment().keySet().removeIf(variable -> variable.startsWith("REPRISE_"));
    process = builder.start();
  }

  /** Ends the node as a crash of its process does. */
  void kill() {
    Process running = process;
    process = null;
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
  }

  boolean isReady() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(url() + "/health/ready").toURL().openConnection();
      connection.setConnectTimeout(ANSWER_MILLIS);
      connection.setReadTimeout(ANSWER_MILLIS);
      try {
        return connection.getResponseCode() == 200;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns true if it ended without being killed by the demo. */
  boolean hasEnded() {
    Process running = process;
    return running != null && !running.isAlive();
  }

  /** Returns the last lines of its log. */
  List<String> lastLines() {
    try {
      List<String> lines = Files.readAllLines(log(), UTF_8);
      return lines.subList(Math.max(0, lines.size() - LINES_OF_A_FAILURE), lines.size());
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  private Path log() {
    return folder.resolve(name + ".log");
  }

  @Override
  public void close() {
    kill();
    port.close();
  }
}
