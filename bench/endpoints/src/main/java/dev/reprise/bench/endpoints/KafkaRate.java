package dev.reprise.bench.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.endpoints.kafka.KafkaCarrierType;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** Topics of Kafka beside a bare producer with the same settings, to one broker in this process. */
final class KafkaRate extends CarrierRate {
  private static final String TOPIC = "orders";
  private static final int WINDOW = 1_000;
  private static final byte[] BODY = new byte[256];

  KafkaRate() {
    super("kafka", 150_000);
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    Path folder = Files.createTempDirectory("bench-kafka");
    String address = "127.0.0.1:" + Ports.free();
    KafkaRaftServer broker =
        new KafkaRaftServer(new KafkaConfig(broker(folder, address), false), Time.SYSTEM);
    broker.startup();
    try {
      makeTopic(address);
      try (Carrier carrier =
              open(
                  new KafkaCarrierType(),
                  "{\"addresses\": \"" + address + "\"}",
                  new TestContext(WINDOW));
          Producer<byte[], byte[]> producer = producer(address)) {
        CarrierContent content = new CarrierContent("text/plain", BODY);
        return compare(
            effort,
            out,
            sending(
                carrier,
                WINDOW,
                () -> TestAttempts.of(Protocol.QUEUE, TOPIC, content, "{\"kind\":\"gold\"}")),
            messages -> send(producer, messages),
            () -> {});
      }
    } finally {
      broker.shutdown();
      broker.awaitShutdown();
      Folders.delete(folder);
    }
  }

  private static Properties broker(Path folder, String address) throws Exception {
    String log = Files.createDirectories(folder.resolve("log")).toString();
    new Formatter()
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8))
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(log)
        .addDirectory(log)
        .run();
    String controller = "127.0.0.1:" + Ports.free();
    Properties properties = new Properties();
    properties.put("process.roles", "broker,controller");
    properties.put("node.id", "1");
    properties.put("controller.quorum.voters", "1@" + controller);
    properties.put("listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + controller);
    properties.put("advertised.listeners", "PLAINTEXT://" + address);
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    properties.put("log.dirs", log);
    properties.put("offsets.topic.replication.factor", "1");
    properties.put("log.cleaner.enable", "false");
    return properties;
  }

  private static void makeTopic(String address) throws Exception {
    NewTopic topic = new NewTopic(TOPIC, 3, (short) 1);
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", address))) {
      admin
          .createTopics(List.of(topic.configs(Map.of("retention.bytes", "100000000"))))
          .all()
          .get(60, TimeUnit.SECONDS);
    }
  }

  private static Producer<byte[], byte[]> producer(String address) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", address, "acks", "all", "retries", 0, "enable.idempotence", false),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private static void send(Producer<byte[], byte[]> producer, int messages)
      throws InterruptedException {
    Semaphore free = new Semaphore(WINDOW);
    AtomicReference<Exception> failure = new AtomicReference<>();
    for (int i = 0; i < messages; i++) {
      acquire(free, 1);
      byte[] id = bytes("0193fc5e-7b2a-7000-8000-" + (100_000_000_000L + i));
      ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, id, BODY);
      record
          .headers()
          .add("kind", bytes("gold"))
          .add("reprise-message-id", id)
          .add("content-type", bytes("text/plain"))
          .add("reprise-attempt", bytes("1"))
          .add("reprise-topic", bytes("orders"))
          .add("reprise-subscription", bytes("orders-1"));
      var unused =
          producer.send(
              record,
              (metadata, error) -> {
                if (error != null) {
                  failure.set(error);
                }
                free.release();
              });
    }
    acquire(free, WINDOW);
    if (failure.get() != null) {
      throw new IllegalStateException("a record was not taken", failure.get());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
