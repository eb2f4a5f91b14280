package dev.reprise.cluster.base;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes the clients of Kafka that a node uses. */
public final class KafkaClients {
  private static final int MAX_REQUEST_BYTES = 4 << 20;
  private static final String MEMBER = "member";

  private final ClusterSettings settings;

  public KafkaClients(ClusterSettings settings) {
    this.settings = settings;
  }

  private Map<String, Object> common(String name) {
    Map<String, Object> config = new HashMap<>(settings.clients());
    config.remove(ClusterSettings.CLIENTS_FILE);
    config.put("bootstrap.servers", settings.brokers());
    config.put("client.id", id(settings.prefix(), settings.node(), name));
    if (config.getOrDefault("security.protocol", "").toString().endsWith("SSL")) {
      config.putIfAbsent("ssl.engine.factory.class", RenewedSslEngines.class.getName());
    }
    // A broker that is back is to be found soon.
    config.put("reconnect.backoff.ms", "50");
    config.put("reconnect.backoff.max.ms", "1000");
    return config;
  }

  private static String id(String prefix, String node, String name) {
    return prefix + "-" + node + "-" + name;
  }

  /** Returns the node whose member of the group has an id as client. */
  public static String nodeOfMember(String prefix, String clientId) {
    String around = id(prefix, "", MEMBER);
    return clientId.length() > around.length()
        ? clientId.substring(prefix.length() + 1, clientId.length() - MEMBER.length() - 1)
        : clientId;
  }

  /** Returns the pauses of a thread between tries at brokers that are out of reach. */
  public static Pauses pauses() {
    return Pauses.of(
        Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(1)).withEqualJitter());
  }

  public Admin admin() {
    return Admin.create(common("admin"));
  }

  /** A producer whose sends are on all in-sync replicas, each once, in order. */
  public KafkaProducer<byte[], byte[]> producer(String name, long bufferBytes) {
    Map<String, Object> config = producing(name);
    config.put("buffer.memory", bufferBytes);
    // While a request is under way the next gathers: the busier, the fewer of them for a message.
    config.put("max.in.flight.requests.per.connection", "1");
    config.put("linger.ms", "1");
    config.put("delivery.timeout.ms", "30000");
    config.put("request.timeout.ms", "10000");
    // The sender must not be held up; what does not fit is refused.
    config.put("max.block.ms", "100");
    // A topic that is known stays known while all brokers are away, or all sends would be refused.
    config.put("metadata.recovery.strategy", "none");
    // The leader of a partition that had none is found out also if nothing is published there.
    config.put("metadata.max.age.ms", "30000");
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** A producer of transactions under an id. */
  public KafkaProducer<byte[], byte[]> fenced(String id) {
    Map<String, Object> config = producing(id);
    config.put("transactional.id", id);
    config.put("transaction.timeout.ms", "20000");
    // A turn is one request: its commit sends what has gathered, and waits for nothing more.
    config.put("linger.ms", "1000");
    config.put("delivery.timeout.ms", "15000");
    config.put("request.timeout.ms", "10000");
    config.put("max.block.ms", "10000");
    config.put("buffer.memory", 4L * MAX_REQUEST_BYTES);
    config.put("retry.backoff.ms", "5");
    config.put("retry.backoff.max.ms", "100");
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private Map<String, Object> producing(String name) {
    Map<String, Object> config = common(name);
    config.put("acks", "all");
    config.put("enable.idempotence", "true");
    config.put("batch.size", "65536");
    config.put("compression.type", "lz4");
    config.put("max.request.size", MAX_REQUEST_BYTES);
    return config;
  }

  /** A consumer of what is committed, of partitions that it is given. */
  public KafkaConsumer<byte[], byte[]> consumer(String name) {
    return new LogConsumer(consuming(name));
  }

  /** A consumer of everything that is there, committed or not, of partitions that it is given. */
  public KafkaConsumer<byte[], byte[]> consumerOfAll(String name) {
    Map<String, Object> config = consuming(name);
    config.put("isolation.level", "read_uncommitted");
    return new LogConsumer(config);
  }

  /** A consumer that is a member of the cluster's group. */
  public KafkaConsumer<byte[], byte[]> member(Class<?> assignor, Object membership) {
    Map<String, Object> config = consuming(MEMBER);
    config.put("group.id", settings.prefix());
    config.put("partition.assignment.strategy", assignor.getName());
    config.put("session.timeout.ms", Math.toIntExact(settings.session().toMillis()));
    config.put("heartbeat.interval.ms", Math.toIntExact(settings.session().toMillis() / 6));
    config.put("max.poll.interval.ms", "60000");
    // It fetches nothing, and needs no places.
    config.put("auto.offset.reset", "earliest");
    config.put("reprise.membership", membership);
    config.put("reprise.followers", settings.followers());
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private Map<String, Object> consuming(String name) {
    Map<String, Object> config = common(name);
    config.put("isolation.level", "read_committed");
    config.put("enable.auto.commit", "false");
    // The reader knows the place: one that is not there any more must not be passed over.
    config.put("auto.offset.reset", "none");
    config.put("allow.auto.create.topics", "false");
    config.put("fetch.max.wait.ms", "500");
    config.put("max.poll.records", "2000");
    return config;
  }
}
