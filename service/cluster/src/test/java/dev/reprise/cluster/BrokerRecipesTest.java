package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Recipes of OPERATIONS.md for which brokers must be set up in a way of their own: they have lost
 * records, have limits of their own, or have another password for the node.
 */
@Tag("slow")
class BrokerRecipesTest {
  private static final String PREFIX = "reprise";
  private static final int CUT = 1;
  private static final int BATCH_HEADER_BYTES = 12;

  @TempDir Path folder;
  private final List<TestNode> nodes = new ArrayList<>();
  private final Queue<String> arrived = new ConcurrentLinkedQueue<>();
  private final Topics topics = new Topics(PREFIX);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  @BeforeEach
  void listen() {
    told.start();
    logger().addAppender(told);
  }

  @AfterEach
  void close() {
    logger().detachAppender(told);
    nodes.forEach(TestNode::close);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("dev.reprise.cluster");
  }

  private void awaitTold(String words) throws Exception {
    Await.until(
        words,
        () ->
            List.copyOf(told.list).stream().anyMatch(e -> e.getFormattedMessage().contains(words)));
  }

  private static ClusterSettings settings(
      Brokers brokers, String node, Map<String, String> clients) {
    return new ClusterSettings(
        brokers.bootstrap(),
        PREFIX,
        node,
        "http://" + node,
        clients,
        TestNode.SHARDS,
        (short) 1,
        0,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }

  private TestNode node(ClusterSettings settings) {
    TestNode node =
        new TestNode(
            settings,
            folder.resolve(settings.node()),
            System::currentTimeMillis,
            System::nanoTime,
            this::attempt);
    nodes.add(node);
    return node;
  }

  private void stop(TestNode node) {
    nodes.remove(node);
    node.close();
  }

  private AttemptOutcome attempt(String body) {
    arrived.add(body);
    return TestNode.delivered();
  }

  private void awaitArrived(String body) throws Exception {
    Await.until(
        body + " at each subscription",
        () -> arrived.stream().filter(body::equals).count() >= TestNode.SHARDS);
  }

  private static void subscribe(TestNode node) {
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
  }

  // --- brokers have lost records -------------------------------------------------------------

  @Test
  void recordsThatBrokersHaveLostAreNotCutFromTheCopy() throws Exception {
    Path files = folder.resolve("brokers");
    try (Brokers brokers = Brokers.start(files, 1)) {
      TestNode one = node(settings(brokers, "one", Map.of()));
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      subscribe(one);
      one.publish("orders", "a");
      awaitArrived("a");
      Await.until("the ledger", () -> one.engine.ledger().delivered() == TestNode.SHARDS);
      stop(one);
      brokers.kill(1);
      // What the owner said at its end, which no copy has, and two turns; a commit is a batch, too.
      cutLastBatches(logOf(files, topics.shards() + "-" + CUT), 6);
      brokers.restart(1);

      TestNode again = node(settings(brokers, "one", Map.of()));

      awaitTold("the copy of " + topics.shards() + "-" + CUT + " here goes up to ");
      Await.until("the others", () -> again.owned() == TestNode.SHARDS - 1);
      again.publish("orders", "b");
      Await.until("what is of others", () -> arrived.stream().filter("b"::equals).count() >= 3);
      stop(again);

      // What only that copy has is given up: another folder.
      TestNode other = node(settings(brokers, "other", Map.of()));
      Await.until("shards", () -> other.owned() == TestNode.SHARDS);
      awaitArrived("b");
      other.publish("orders", "c");
      awaitArrived("c");
    }
  }

  private static Path logOf(Path brokerFiles, String partition) throws IOException {
    try (Stream<Path> all = Files.walk(brokerFiles)) {
      return all.filter(file -> file.getParent().endsWith(partition))
          .filter(file -> file.toString().endsWith(".log"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** A batch begins with its offset and the number of bytes that follow. */
  private static void cutLastBatches(Path log, int count) throws IOException {
    List<Long> begins = new ArrayList<>();
    ByteBuffer stored = ByteBuffer.wrap(Files.readAllBytes(log));
    int at = 0;
    while (at + BATCH_HEADER_BYTES <= stored.limit() && stored.getInt(at + Long.BYTES) > 0) {
      begins.add((long) at);
      at += BATCH_HEADER_BYTES + stored.getInt(at + Long.BYTES);
    }
    assertThat(begins).hasSizeGreaterThan(count);
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      file.truncate(begins.get(begins.size() - count));
    }
    try (Stream<Path> beside = Files.list(log.getParent())) {
      for (Path file : beside.filter(each -> each.toString().endsWith("index")).toList()) {
        Files.delete(file);
      }
    }
  }

  // --- brokers have limits of their own ------------------------------------------------------

  @Test
  void theCommandThatIsNamedMendsALimitOfTheBrokers() throws Exception {
    Map<String, String> limits = Map.of("log.retention.bytes", "1073741824");
    try (Brokers brokers = Brokers.start(folder.resolve("brokers"), 1, limits, Map.of());
        Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      topics.ensure(admin, TestNode.SHARDS, (short) 1);
      // As older nodes have made them.
      set(admin, topics.in(), "retention.bytes", "", OpType.DELETE);
      set(admin, topics.open(), "retention.bytes", "", OpType.DELETE);
      for (String topic : List.of(topics.in(), topics.open())) {
        String command =
            "--alter --entity-type topics --entity-name %s --add-config retention.bytes=-1"
                .formatted(topic);
        assertThatExceptionOfType(ClusterException.class)
            .isThrownBy(() -> node(settings(brokers, "one", Map.of())))
            .withMessageContaining("retention.bytes is 1073741824, and must be -1")
            .withMessageContaining(command);

        set(admin, topic, "retention.bytes", "-1", OpType.SET);
      }

      TestNode one = node(settings(brokers, "one", Map.of()));
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      assertThat(one.host().topicFaults()).isEmpty();
    }
  }

  private static void set(Admin admin, String topic, String setting, String value, OpType how)
      throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(new AlterConfigOp(new ConfigEntry(setting, value), how))))
        .all()
        .get();
  }

  // --- brokers have another password ---------------------------------------------------------

  @Test
  void aNodeWhosePasswordWasChangedEndsAndStartsWithTheNewFile() throws Exception {
    Path file = folder.resolve("kafka.properties");
    try (Brokers brokers =
            Brokers.start(folder.resolve("brokers"), 1, withPasswords(), login("PLAIN", "admin"));
        Admin admin = Admin.create(clients(brokers, login("PLAIN", "admin")))) {
      setPassword(admin, "before");
      TestNode one = node(settings(brokers, "one", read(file, "before")));
      Await.until("shards", () -> one.owned() == TestNode.SHARDS);
      subscribe(one);
      one.publish("orders", "a");
      awaitArrived("a");
      setPassword(admin, "after");
      // Connections that hold need no password.
      brokers.kill(1);
      brokers.restart(1);

      awaitTold("the cluster does not admit this node");
      assertThat(one.engine.failure()).isNull();
      Map<String, String> changed = read(file, "after");

      Await.until("the end", () -> one.engine.failure() != null);
      assertThat(one.engine.failure())
          .contains("the brokers refuse this node")
          .contains("the file of --cluster-properties, " + file + ", has changed");
      stop(one);

      TestNode again = node(settings(brokers, "one", changed));
      Await.until("shards", () -> again.owned() == TestNode.SHARDS);
      again.publish("orders", "b");
      awaitArrived("b");
    }
  }

  private static Map<String, String> withPasswords() {
    return Map.of(
        "listener.security.protocol.map",
        "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms",
        "PLAIN,SCRAM-SHA-256",
        "sasl.mechanism.inter.broker.protocol",
        "PLAIN",
        "listener.name.plaintext.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"admin\" password=\"admin\" user_admin=\"admin\";",
        "listener.name.plaintext.scram-sha-256.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
  }

  private static Map<String, String> login(String mechanism, String password) {
    boolean isPlain = mechanism.equals("PLAIN");
    return Map.of(
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        mechanism,
        "sasl.jaas.config",
        "org.apache.kafka.common.security.%s required username=\"%s\" password=\"%s\";"
            .formatted(
                isPlain ? "plain.PlainLoginModule" : "scram.ScramLoginModule",
                isPlain ? "admin" : "node",
                password));
  }

  private static Map<String, Object> clients(Brokers brokers, Map<String, String> login) {
    Map<String, Object> all = new HashMap<>(login);
    all.put("bootstrap.servers", brokers.bootstrap());
    return all;
  }

  private static void setPassword(Admin admin, String password) throws Exception {
    admin
        .alterUserScramCredentials(
            List.of(
                new UserScramCredentialUpsertion(
                    "node", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
        .all()
        .get();
  }

  /** Writes the file of {@code --cluster-properties}, and reads it as the command does. */
  private static Map<String, String> read(Path file, String password) throws IOException {
    Map<String, String> login = login("SCRAM-SHA-256", password);
    List<String> lines = new ArrayList<>();
    login.forEach((name, value) -> lines.add(name + "=" + value));
    Files.write(file, lines);
    Map<String, String> settings = new HashMap<>(login);
    settings.put(ClusterSettings.CLIENTS_FILE, file.toString());
    return settings;
  }
}
