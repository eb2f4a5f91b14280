package dev.reprise.cluster.broker;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.common.file.FolderLock;
import dev.reprise.delivery.pause.Pauses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker of Kafka in this process, for trying a cluster out: alone, on loopback, with one copy of
 * everything, which it acknowledges from the page cache. Its port stays the same when it is started
 * again on its folder, also after the process was killed. If it fails for good, Kafka ends the
 * process.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(10);
  private static final String PORTS_FILE = "ports";
  private static final String LOCK_FILE = "reprise.lock";
  private static final Pattern PORTS = Pattern.compile("[1-9][0-9]{0,4} [1-9][0-9]{0,4}");
  private static final int NUMBER = 1;
  private static final String LOOPBACK = "127.0.0.1";

  /** Below the ports that systems give to outgoing connections: those could take it meanwhile. */
  private static final int MIN_PORT = 20_000;

  private static final int END_OF_PORTS = 32_000;

  private final FolderLock lock;
  private final List<ReservedPort> ports;
  private final KafkaRaftServer server;

  private EmbeddedBroker(FolderLock lock, List<ReservedPort> ports, KafkaRaftServer server) {
    this.lock = lock;
    this.ports = ports;
    this.server = server;
  }

  /**
   * Starts a broker; it serves when this returns.
   *
   * @param folder where it has its files; made if it is absent
   * @throws dev.reprise.common.file.FolderInUseException if another process has the folder
   * @throws IOException if the folder cannot be used, or its port is in use; the message says what
   *     to do
   */
  public static EmbeddedBroker start(Path folder) throws IOException {
    Files.createDirectories(folder);
    FolderLock lock = FolderLock.of(folder, LOCK_FILE);
    List<ReservedPort> ports = new ArrayList<>();
    @Nullable KafkaRaftServer server = null;
    boolean complete = false;
    try {
      reserve(folder, ports);
      server = new KafkaRaftServer(config(folder, ports), Time.SYSTEM);
      server.startup();
      EmbeddedBroker broker = new EmbeddedBroker(lock, ports, server);
      complete = true;
      return broker;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the broker does not start: " + e.getMessage(), e);
    } finally {
      if (!complete) {
        close(server, ports, lock);
      }
    }
  }

  private static KafkaConfig config(Path folder, List<ReservedPort> ports) throws Exception {
    int controllerPort = ports.get(1).number();
    Properties properties =
        BrokerStorage.properties(
            NUMBER,
            LOOPBACK + ":" + ports.get(0).number(),
            controllerPort,
            NUMBER + "@" + LOOPBACK + ":" + controllerPort,
            1,
            folder.resolve("log"));
    BrokerStorage.format(properties, Uuid.randomUuid().toString());
    return new KafkaConfig(properties, false);
  }

  private static void reserve(Path folder, List<ReservedPort> ports) throws IOException {
    Path file = folder.resolve(PORTS_FILE);
    if (!Files.exists(file)) {
      ports.add(anyPort());
      ports.add(anyPort());
      Path next = folder.resolve(PORTS_FILE + ".next");
      Files.writeString(next, ports.get(0).number() + " " + ports.get(1).number() + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    String text = Files.readString(file, US_ASCII).strip();
    if (!PORTS.matcher(text).matches()) {
      throw new IOException(file + " is damaged: it must hold two ports");
    }
    for (String number : text.split(" ", -1)) {
      try {
        ports.add(new ReservedPort(LOOPBACK, Integer.parseInt(number)));
      } catch (IOException e) {
        throw new IOException(
            ("port %s of the broker in this process is in use by another process: end that one, or"
                    + " delete %s for other ports")
                .formatted(number, file),
            e);
      }
    }
  }

  private static ReservedPort anyPort() throws IOException {
    IOException last = new IOException("no port is free");
    for (int i = MIN_PORT; i < END_OF_PORTS; i++) {
      try {
        return new ReservedPort(
            LOOPBACK, ThreadLocalRandom.current().nextInt(MIN_PORT, END_OF_PORTS));
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Returns where it listens, as {@code HOST:PORT}. */
  public String address() {
    return LOOPBACK + ":" + ports.get(0).number();
  }

  /** Stops it. To be called when no client writes any more. */
  @Override
  public void close() {
    try {
      awaitEndsOfTransactions();
    } finally {
      close(server, ports, lock);
    }
  }

  /**
   * Waits until the end of each transaction is written. A broker that is started again may forget
   * to write it: it looks for the leader of the partition while there is none, and takes the topic
   * for a deleted one. What was committed would never be seen then.
   */
  private void awaitEndsOfTransactions() {
    Pauses pauses = Pauses.every(LOOK).within(MAX_WAIT);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      while (!ends(admin, IsolationLevel.READ_COMMITTED)
          .equals(ends(admin, IsolationLevel.READ_UNCOMMITTED))) {
        if (!pauses.next()) {
          LOG.warn("a transaction has not ended within {} s", MAX_WAIT.toSeconds());
          return;
        }
      }
    } catch (ExecutionException | KafkaException e) {
      LOG.warn("the broker does not tell whether transactions have ended: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the end of each partition for readers of this level. */
  private static Map<TopicPartition, Long> ends(Admin admin, IsolationLevel level)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    admin
        .describeTopics(admin.listTopics().names().get())
        .allTopicNames()
        .get()
        .forEach(
            (name, topic) ->
                topic
                    .partitions()
                    .forEach(
                        each ->
                            asked.put(
                                new TopicPartition(name, each.partition()), OffsetSpec.latest())));
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin
        .listOffsets(asked, new ListOffsetsOptions(level))
        .all()
        .get()
        .forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }

  private static void close(
      @Nullable KafkaRaftServer server, List<ReservedPort> ports, FolderLock lock) {
    try {
      if (server != null) {
        server.shutdown();
        server.awaitShutdown();
      }
    } finally {
      ports.forEach(ReservedPort::close);
      lock.close();
    }
  }
}
