package dev.reprise.endpoints.kafka;

import dev.reprise.fixtures.Await;
import dev.reprise.testkit.RefusingPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * One broker of Kafka inside the JVM of the test, its own controller, on ports of loopback that
 * stay the same over {@link #stop} and {@link #start}. Topics are not made when they are asked for.
 */
final class KafkaBroker implements AutoCloseable {
  static final String USER = "app";
  static final String PASSWORD = "cor\"rect horse";
  static final String FORBIDDEN = "forbidden";

  private static final long LIMIT_SECONDS = 60;

  private final RefusingPort port = RefusingPort.take();
  private final RefusingPort loginPort = RefusingPort.take();
  private final RefusingPort controllerPort = RefusingPort.take();
  private final Path folder;
  private @Nullable KafkaRaftServer running;

  /** A broker that keeps its files in a folder. */
  KafkaBroker(Path folder) throws Exception {
    this.folder = folder;
    String log = folder.resolve("log").toString();
    Files.createDirectories(folder.resolve("log"));
    new Formatter()
        .setPrintStream(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()))
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(log)
        .addDirectory(log)
        .run();
  }

  KafkaBroker start() {
    running = new KafkaRaftServer(new KafkaConfig(properties(), false), Time.SYSTEM);
    running.startup();
    return this;
  }

  void stop() {
    KafkaRaftServer server = running;
    running = null;
    if (server != null) {
      server.shutdown();
      server.awaitShutdown();
    }
  }

  /** Returns the port without a login. */
  int port() {
    return port.number();
  }

  /** Returns the port that asks for the {@link #PASSWORD} of {@link #USER}. */
  int loginPort() {
    return loginPort.number();
  }

  /** Makes a topic, and returns when every partition of it answers. */
  void makeTopic(String name, int partitions, Map<String, String> settings) throws Exception {
    try (Admin admin = Admin.create(clients())) {
      admin
          .createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings)))
          .all()
          .get(LIMIT_SECONDS, TimeUnit.SECONDS);
      Map<TopicPartition, OffsetSpec> all = new HashMap<>();
      for (int i = 0; i < partitions; i++) {
        all.put(new TopicPartition(name, i), OffsetSpec.latest());
      }
      Await.until("topic " + name + " is served", () -> isServed(admin, all));
    }
  }

  /** A broker does not know a topic for a while after its controller has made it. */
  private static boolean isServed(Admin admin, Map<TopicPartition, OffsetSpec> partitions)
      throws Exception {
    try {
      var unused = admin.listOffsets(partitions).all().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  /** Makes the topic that only the administrator may use. */
  void makeForbiddenTopic() throws Exception {
    makeTopic(FORBIDDEN, 1, Map.of());
    AclBinding rule =
        new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, FORBIDDEN, PatternType.LITERAL),
            new AccessControlEntry(
                "User:administrator", "*", AclOperation.ALL, AclPermissionType.ALLOW));
    try (Admin admin = Admin.create(clients())) {
      admin.createAcls(List.of(rule)).all().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Returns what is in a topic, which must have this many records. */
  List<ConsumerRecord<byte[], byte[]>> read(String topic, int records) {
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(clients(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      Collection<TopicPartition> all = new ArrayList<>();
      consumer
          .partitionsFor(topic)
          .forEach(each -> all.add(new TopicPartition(topic, each.partition())));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
      while (found.size() < records && System.nanoTime() < limit) {
        consumer.poll(Duration.ofMillis(100)).forEach(found::add);
      }
    }
    return found;
  }

  @Override
  public void close() {
    stop();
    port.close();
    loginPort.close();
    controllerPort.close();
  }

  private Map<String, Object> clients() {
    return new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:" + port()));
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.put("process.roles", "broker,controller");
    properties.put("node.id", "1");
    properties.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort.number());
    String clients = "PLAINTEXT://127.0.0.1:" + port() + ",LOGIN://127.0.0.1:" + loginPort();
    properties.put("listeners", clients + ",CONTROLLER://127.0.0.1:" + controllerPort.number());
    properties.put("advertised.listeners", clients);
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,LOGIN:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
    properties.put("inter.broker.listener.name", "PLAINTEXT");
    properties.put("sasl.enabled.mechanisms", "PLAIN");
    properties.put(
        "listener.name.login.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_"
            + USER
            + "="
            + ClientConfig.quoted(PASSWORD)
            + ";");
    properties.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    properties.put("allow.everyone.if.no.acl.found", "true");
    properties.put("super.users", "User:ANONYMOUS");
    properties.put("log.dirs", folder.resolve("log").toString());
    properties.put("auto.create.topics.enable", "false");
    properties.put("offsets.topic.replication.factor", "1");
    properties.put("controlled.shutdown.enable", "false");
    properties.put("num.network.threads", "2");
    properties.put("num.io.threads", "2");
    properties.put("log.cleaner.enable", "false");
    return properties;
  }
}
