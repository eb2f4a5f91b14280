package dev.reprise.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.pause.Pauses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of Kafka, each broker a process of its own that is controller as well, on ports of
 * loopback that stay the same over {@link #restart}, unless it is moved. Brokers are numbered from
 * 1. Topics are not made when they are asked for. Not for several threads at once.
 */
public final class Brokers implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final int LINES_OF_A_FAILURE = 50;

  /** Little memory, and quick to start. */
  private static final List<String> SMALL =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Path folder;
  private final String host;
  private final String cluster = Uuid.randomUuid().toString();
  private final List<Broker> brokers = new ArrayList<>();
  private final List<String> jvmFlags;
  private final Map<String, String> settings;
  private final Map<String, String> clientSettings;

  private Brokers(
      Path folder,
      int count,
      String host,
      List<String> jvmFlags,
      Map<String, String> settings,
      Map<String, String> clientSettings) {
    this.folder = folder;
    this.host = host;
    this.jvmFlags = jvmFlags;
    this.settings = settings;
    this.clientSettings = clientSettings;
    for (int i = 1; i <= count; i++) {
      brokers.add(new Broker(i));
    }
  }

  /**
   * Starts brokers that keep their files and their logs, {@code broker-1.log} and so on, in a
   * folder; returns when all of them serve.
   */
  public static Brokers start(Path folder, int count) throws IOException, InterruptedException {
    return start(folder, count, LOOPBACK, SMALL, Map.of(), Map.of());
  }

  /** Starts brokers as {@link #start(Path, int)} does, on another address of this machine. */
  public static Brokers start(Path folder, int count, String host)
      throws IOException, InterruptedException {
    return start(folder, count, host, SMALL, Map.of(), Map.of());
  }

  /** Starts brokers as {@link #start(Path, int)} does, in virtual machines with other flags. */
  public static Brokers start(Path folder, int count, List<String> jvmFlags)
      throws IOException, InterruptedException {
    return start(folder, count, LOOPBACK, jvmFlags, Map.of(), Map.of());
  }

  /**
   * Starts brokers as {@link #start(Path, int)} does, with more settings, such as those of
   * authorization. The listener of clients is {@code PLAINTEXT} by its name, whatever its protocol
   * is.
   *
   * @param settings of the brokers; they count before those that are usual here
   * @param clientSettings of a client that may make topics and describe the cluster
   */
  public static Brokers start(
      Path folder, int count, Map<String, String> settings, Map<String, String> clientSettings)
      throws IOException, InterruptedException {
    return start(folder, count, LOOPBACK, SMALL, settings, clientSettings);
  }

  private static Brokers start(
      Path folder,
      int count,
      String host,
      List<String> jvmFlags,
      Map<String, String> settings,
      Map<String, String> clientSettings)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Brokers started =
        new Brokers(
            folder, count, host, jvmFlags, Map.copyOf(settings), Map.copyOf(clientSettings));
    boolean complete = false;
    try {
      int[] all = IntStream.rangeClosed(1, count).toArray();
      started.restart(all);
      started.probe();
      complete = true;
    } finally {
      if (!complete) {
        started.close();
      }
    }
    return started;
  }

  /** Returns the folder with the files of a broker, of brokers in a folder. */
  public static Path files(Path folder, int broker) {
    return folder.resolve("broker-" + broker);
  }

  /** Returns the addresses of all of them, those that are down included. */
  public String bootstrap() {
    return brokers.stream().map(Broker::address).collect(Collectors.joining(","));
  }

  /** Returns the addresses at which {@link #move} has them serve. */
  public String movedBootstrap() {
    return brokers.stream().map(Broker::movedAddress).collect(Collectors.joining(","));
  }

  /** From its next start on the clock of a broker is ahead; behind, if that is less than 0. */
  public void setClock(int broker, Duration ahead) {
    broker(broker).ahead = ahead;
  }

  /**
   * Ends all brokers as kill -9 does, and starts them on their files at other ports, as if other
   * machines had got their disks.
   */
  public void move() throws IOException, InterruptedException {
    brokers.forEach(Broker::kill);
    brokers.forEach(each -> each.moved = true);
    restart(brokers.stream().mapToInt(each -> each.number).toArray());
  }

  /** Returns the number of a broker's process; empty if it does not run. */
  public OptionalLong pid(int broker) {
    Process running = broker(broker).process;
    return running == null ? OptionalLong.empty() : OptionalLong.of(running.pid());
  }

  /** Returns whether a broker was started and has not ended, not even by itself. */
  public boolean isRunning(int broker) {
    Process running = broker(broker).process;
    return running != null && running.isAlive();
  }

  /** Ends a broker as kill -9 does; returns when its process is gone. */
  public void kill(int broker) {
    broker(broker).kill();
  }

  /** Stops a broker in the middle of what it does; its connections stay open. */
  public void pause(int broker) throws IOException {
    broker(broker).pause();
  }

  /** Lets a paused broker go on. */
  public void resume(int broker) {
    broker(broker).resume();
  }

  /**
   * Starts brokers again on their files and ports, killing those that still run; returns when each
   * of them serves. Without a majority of the brokers none does, so start as many at once.
   */
  public void restart(int... restarted) throws IOException, InterruptedException {
    for (int each : restarted) {
      broker(each).kill();
    }
    for (int each : restarted) {
      broker(each).launch();
    }
    Set<Integer> wanted = IntStream.of(restarted).boxed().collect(Collectors.toSet());
    for (int each : restarted) {
      Broker broker = broker(each);
      await(broker + " to start", () -> Files.exists(broker.ready()));
      try (Admin admin = admin(broker.address())) {
        await(
            broker + " to know " + wanted,
            () ->
                admin.describeCluster().nodes().get().stream()
                    .map(Node::id)
                    .collect(Collectors.toSet())
                    .containsAll(wanted));
      }
    }
  }

  @Override
  public void close() {
    brokers.forEach(Broker::kill);
    brokers.forEach(Broker::release);
  }

  /** Makes a topic that is on every broker, asks it, and deletes it. */
  private void probe() throws InterruptedException {
    String topic = "probe";
    try (Admin admin = admin(bootstrap())) {
      await("a topic to be made", () -> isMade(admin, topic));
      await(
          "a topic to answer",
          () ->
              admin
                      .listOffsets(Map.of(new TopicPartition(topic, 0), OffsetSpec.latest()))
                      .all()
                      .get()
                      .size()
                  == 1);
      await(
          "a topic to go",
          () -> {
            if (!admin.listTopics().names().get().contains(topic)) {
              return true;
            }
            admin.deleteTopics(List.of(topic)).all().get();
            return false;
          });
    }
  }

  private boolean isMade(Admin admin, String topic)
      throws ExecutionException, InterruptedException {
    try {
      NewTopic wanted = new NewTopic(topic, 1, (short) brokers.size());
      admin.createTopics(List.of(wanted)).all().get();
      return true;
    } catch (ExecutionException e) {
      // A try before this one that got no answer in time.
      if (e.getCause() instanceof TopicExistsException) {
        return true;
      }
      throw e;
    }
  }

  private Admin admin(String bootstrap) {
    Map<String, Object> config = new HashMap<>(clientSettings);
    config.put("bootstrap.servers", bootstrap);
    config.put("request.timeout.ms", "5000");
    config.put("default.api.timeout.ms", "10000");
    return Admin.create(config);
  }

  private Broker broker(int number) {
    return brokers.get(number - 1);
  }

  private void await(String what, Check check) throws InterruptedException {
    Pauses pauses = Pauses.every(LOOK).within(LIMIT);
    ExecutionException last = null;
    while (true) {
      try {
        if (check.holds()) {
          return;
        }
        last = null;
      } catch (ExecutionException e) {
        last = e;
      }
      if (brokers.stream().anyMatch(Broker::hasEnded)) {
        throw new IllegalStateException("waiting for " + what + ", one ended" + logs(), last);
      }
      if (!pauses.next()) {
        throw new IllegalStateException("waited in vain for " + what + logs(), last);
      }
    }
  }

  private String logs() {
    StringBuilder all = new StringBuilder();
    for (Broker broker : brokers) {
      all.append('\n').append(broker).append(":\n").append(broker.lastLines());
    }
    return all.toString();
  }

  private interface Check {
    boolean holds() throws ExecutionException, InterruptedException;
  }

  /** One of the brokers, running or not. */
  private final class Broker {
    private final int number;
    private final ReservedPort port = new ReservedPort(host);
    private final ReservedPort movedPort = new ReservedPort(host);
    private final ReservedPort controllerPort = new ReservedPort(LOOPBACK);
    private @Nullable Process process;
    private @Nullable Process pause;
    private Duration ahead = Duration.ZERO;
    private boolean moved;

    Broker(int number) {
      this.number = number;
    }

    String address() {
      return moved ? movedAddress() : host + ":" + port.number();
    }

    String movedAddress() {
      return host + ":" + movedPort.number();
    }

    String voter() {
      return number + "@" + LOOPBACK + ":" + controllerPort.number();
    }

    Path ready() {
      return folder.resolve("broker-" + number + ".ready");
    }

    void launch() throws IOException {
      Files.deleteIfExists(ready());
      Path settings = folder.resolve("broker-" + number + ".properties");
      try (Writer writer = Files.newBufferedWriter(settings, UTF_8)) {
        properties().store(writer, null);
      }
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmFlags);
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(BrokerProcess.class.getName());
      command.addAll(
          List.of(
              settings.toString(), cluster, ready().toString(), Long.toString(ahead.toMillis())));
      // Its input is the pipe that ends with this JVM.
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
              .start();
    }

    void kill() {
      Process running = process;
      process = null;
      if (running != null) {
        running.destroyForcibly().onExit().join();
      }
      resume();
    }

    /**
     * Leaves it to a shell, which lets the broker go on when its input ends: a stopped process does
     * not see that its own has ended, and would outlive a test that was killed.
     */
    void pause() throws IOException {
      Process running = process;
      if (running == null || pause != null) {
        throw new IllegalStateException(this + " does not run");
      }
      String script = "/bin/kill -STOP $0 && echo done; read line; /bin/kill -CONT $0";
      Process shell =
          new ProcessBuilder("/bin/sh", "-c", script, Long.toString(running.pid()))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      pause = shell;
      if (shell.getInputStream().read() < 0) {
        throw new IOException(this + " could not be paused");
      }
    }

    void resume() {
      Process shell = pause;
      pause = null;
      if (shell != null) {
        try {
          shell.getOutputStream().close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        shell.onExit().join();
      }
    }

    void release() {
      port.close();
      movedPort.close();
      controllerPort.close();
    }

    /** Whether it ended by itself. */
    boolean hasEnded() {
      Process running = process;
      return running != null && !running.isAlive();
    }

    String lastLines() {
      try {
        List<String> lines = Files.readAllLines(log(), UTF_8);
        return String.join(
            "\n", lines.subList(Math.max(0, lines.size() - LINES_OF_A_FAILURE), lines.size()));
      } catch (IOException e) {
        return e.toString();
      }
    }

    @Override
    public String toString() {
      return "broker " + number;
    }

    private Path log() {
      return folder.resolve("broker-" + number + ".log");
    }

    private Properties properties() {
      Properties properties =
          BrokerStorage.properties(
              number,
              address(),
              controllerPort.number(),
              brokers.stream().map(Broker::voter).collect(Collectors.joining(",")),
              brokers.size(),
              files(folder, number));
      properties.putAll(settings);
      return properties;
    }
  }
}
