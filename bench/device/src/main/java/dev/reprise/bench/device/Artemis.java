package dev.reprise.bench.device;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ActiveMQ Artemis in a JVM of its own, with one queue for messages that speaks MQTT and AMQP. It
 * can be killed and started again on the same ports.
 */
final class Artemis implements AutoCloseable {
  /** The one queue, which is its own address. */
  static final String QUEUE = "telemetry";

  private static final String IN_MEMORY = "-";

  private final @Nullable Path journal;
  private final List<String> flags;
  private @Nullable Jvm jvm;
  private int mqttPort;
  private int amqpPort;

  private Artemis(@Nullable Path journal, String maxHeap) {
    this.journal = journal;
    this.flags = List.of("-Xmx" + maxHeap, "-XX:+UseParallelGC");
  }

  /** Starts a broker in memory. */
  static Artemis inMemory() throws IOException {
    return started(new Artemis(null, "1g"));
  }

  /** Starts a broker that syncs acknowledged messages into a journal in this folder. */
  static Artemis withJournal(Path folder) throws IOException {
    return started(new Artemis(folder, "2g"));
  }

  private static Artemis started(Artemis broker) throws IOException {
    broker.launch();
    return broker;
  }

  /** Starts it, and returns when it listens. */
  void launch() throws IOException {
    Jvm started =
        Jvm.start(
            flags,
            ArtemisServer.class,
            journal == null ? IN_MEMORY : journal.toString(),
            "" + mqttPort,
            "" + amqpPort);
    jvm = started;
    String[] ports = started.line().split(" ", -1);
    mqttPort = Integer.parseInt(ports[0]);
    amqpPort = Integer.parseInt(ports[1]);
  }

  static @Nullable Path journal(String argument) {
    return argument.equals(IN_MEMORY) ? null : Path.of(argument);
  }

  int mqttPort() {
    return mqttPort;
  }

  int amqpPort() {
    return amqpPort;
  }

  /** Empties the queue. */
  void purge() throws IOException {
    if (jvm != null) {
      String unused = jvm.ask("purge");
    }
  }

  /** Returns how many messages are in the queue. */
  long count() throws IOException {
    return jvm == null ? 0 : Long.parseLong(jvm.ask("count"));
  }

  /** Ends it with kill -9. */
  void kill() {
    if (jvm != null) {
      jvm.kill();
    }
  }

  @Override
  public void close() {
    kill();
  }
}
