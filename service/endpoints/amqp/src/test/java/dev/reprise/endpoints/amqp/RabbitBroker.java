package dev.reprise.endpoints.amqp;

import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A real RabbitMQ with its plugin for AMQP 1.0, the system's package, with everything that it keeps
 * in one folder, and with a port mapper (epmd) of its own.
 */
final class RabbitBroker implements AutoCloseable {
  // Not the script of the same name in /usr/sbin, which changes the user and the folder.
  private static final Path SERVER = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
  private static final Path PORT_MAPPER = Path.of("/usr/bin/epmd");

  /** Two minutes, 25 ms each: it starts in ten seconds on a machine that has nothing else to do. */
  private static final int MAX_POLLS = 4_800;

  private static final String STARTED = "Server startup complete";

  private final List<RefusingPort> ports = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private final int port;

  private RabbitBroker() {
    port = takePort();
  }

  /**
   * Starts a broker, which lets in {@code guest} with the password {@code guest}.
   *
   * @param folder where it keeps its files
   * @throws org.opentest4j.TestAbortedException when it is not installed
   * @throws IOException when it did not start, with what it said
   */
  static RabbitBroker start(Path folder) throws IOException, InterruptedException {
    for (Path program : List.of(SERVER, PORT_MAPPER)) {
      Assumptions.assumeTrue(
          Files.isExecutable(program),
          "RabbitMQ is not installed (apt-get install rabbitmq-server)");
    }
    RabbitBroker broker = new RabbitBroker();
    try {
      broker.launch(folder);
      return broker;
    } catch (IOException | InterruptedException | RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  int port() {
    return port;
  }

  private int takePort() {
    RefusingPort taken = RefusingPort.take();
    ports.add(taken);
    return taken.number();
  }

  private void launch(Path folder) throws IOException, InterruptedException {
    String mapper = Integer.toString(takePort());
    int distribution = takePort();
    Path output = folder.resolve("output");
    Path plugins = Files.writeString(folder.resolve("plugins"), "[rabbitmq_amqp1_0].\n");
    Path configuration =
        Files.writeString(
            folder.resolve("rabbit.conf"),
            """
            listeners.tcp.default = 127.0.0.1:%d
            vm_memory_high_watermark.absolute = 4GB
            disk_free_limit.absolute = 1MB
            """
                .formatted(port));
    run(
        folder,
        folder.resolve("epmd"),
        Map.of(),
        PORT_MAPPER.toString(),
        "-port",
        mapper,
        "-address",
        "127.0.0.1");
    Process server =
        run(
            folder,
            output,
            Map.ofEntries(
                Map.entry("HOME", folder.toString()),
                Map.entry("ERL_EPMD_PORT", mapper),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODENAME", "test" + port + "@localhost"),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(distribution)),
                Map.entry("RABBITMQ_CONFIG_FILE", configuration.toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
                Map.entry("RABBITMQ_ADVANCED_CONFIG_FILE", folder.resolve("advanced").toString()),
                Map.entry("RABBITMQ_GENERATED_CONFIG_DIR", folder.resolve("generated").toString()),
                Map.entry("RABBITMQ_SCHEMA_DIR", folder.resolve("schema").toString()),
                Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", plugins.toString()),
                Map.entry("RABBITMQ_MNESIA_BASE", folder.resolve("mnesia").toString()),
                Map.entry("RABBITMQ_LOG_BASE", folder.resolve("log").toString()),
                Map.entry("RABBITMQ_LOGS", "-"),
                Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString())),
            SERVER.toString());
    for (int i = 0; i < MAX_POLLS && !server.waitFor(25, TimeUnit.MILLISECONDS); i++) {
      if (Files.readString(output).contains(STARTED)) {
        return;
      }
    }
    throw new IOException("RabbitMQ did not start: " + Files.readString(output));
  }

  private Process run(Path folder, Path output, Map<String, String> environment, String... command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  @Override
  public void close() {
    // The server is a script, which has the broker as its child. Files that are still written would
    // prevent the deletion of the folder.
    for (int i = processes.size() - 1; i >= 0; i--) {
      List<ProcessHandle> children = processes.get(i).descendants().toList();
      processes.get(i).destroyForcibly().onExit().join();
      children.forEach(ProcessHandle::destroyForcibly);
      children.forEach(child -> child.onExit().join());
    }
    ports.forEach(RefusingPort::close);
  }
}
