package dev.reprise.chaos;

import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Faults of brokers and topics, by those who run them and by applications that use them. */
final class BrokerFaults {
  private static final int AWAY_MILLIS = 120_000;
  private static final int HANGING_MILLIS = 20_000;

  private BrokerFaults() {}

  /** Returns all of them, always in the same order. */
  static List<Fault> all() {
    return List.of(
        BrokerFaults::allAway,
        BrokerFaults::hangingApplication,
        BrokerFaults::strayRecords,
        BrokerFaults::shortenedRetention,
        BrokerFaults::deletedCatalog);
  }

  /** All brokers end by kill -9, and are away for two minutes. */
  static void allAway(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.struck("kill -9 of all brokers", "");
    int[] all = new int[scene.brokerCount()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i + 1;
      scene.brokers().kill(i + 1);
    }
    Scene.sleep(AWAY_MILLIS);
    scene.say("restart");
    scene.brokers().restart(all);
    for (NodeProcess each : scene.nodes().all()) {
      each.awaitReady();
    }
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** An application opens a transaction on every partition of its topic, and stands still. */
  static void hangingApplication(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.say("an application hangs in a transaction");
    Properties config = config(scene);
    config.put("transactional.id", scene.nodes().spec().name() + "-application");
    config.put("transaction.timeout.ms", "60000");
    try (KafkaProducer<byte[], byte[]> application = producer(config)) {
      application.initTransactions();
      application.beginTransaction();
      for (int i = 0; i < scene.nodes().spec().shards(); i++) {
        var unused =
            application.send(
                new ProducerRecord<>(
                    scene.nodes().spec().topic("open"), i, null, new byte[] {'x'}));
      }
      application.flush();
      long before = delivered(scene);
      Scene.sleep(HANGING_MILLIS);
      requireMore(scene, before, "while an application hung in a transaction");
      application.abortTransaction();
    }
  }

  /** Bytes that are no messages, and one that names a catalog to come, in every partition. */
  static void strayRecords(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.say("stray records");
    byte[] ofTheFuture = new byte[64];
    ofTheFuture[0] = 1;
    ofTheFuture[1] = 1;
    ofTheFuture[2] = Byte.MAX_VALUE;
    long before = delivered(scene);
    try (KafkaProducer<byte[], byte[]> application = producer(config(scene))) {
      for (String topic : List.of("in", "open")) {
        for (int i = 0; i < scene.nodes().spec().shards(); i++) {
          for (byte[] each : List.of(new byte[] {2, -1, -2, -3}, ofTheFuture, new byte[0])) {
            var unused =
                application.send(
                    new ProducerRecord<>(scene.nodes().spec().topic(topic), i, null, each));
          }
        }
      }
      application.flush();
    }
    Scene.sleep(3_000);
    awaitMore(scene, before, "behind stray records");
    scene.nodes().awaitShards();
  }

  /** The records of the intake would be deleted by size, as brokers' defaults often want. */
  static void shortenedRetention(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.say("retention.bytes of the intake is shortened");
    ConfigResource in =
        new ConfigResource(ConfigResource.Type.TOPIC, scene.nodes().spec().topic("in"));
    try (Admin admin = Admin.create(config(scene))) {
      // More than the load of a trial.
      ConfigEntry shortened = new ConfigEntry("retention.bytes", "1073741824");
      change(admin, in, new AlterConfigOp(shortened, AlterConfigOp.OpType.SET));
      awaitTold(scene, true);
      scene.say("the cluster names it");
      ConfigEntry unbounded = new ConfigEntry("retention.bytes", "-1");
      change(admin, in, new AlterConfigOp(unbounded, AlterConfigOp.OpType.SET));
      awaitTold(scene, false);
    }
  }

  private static void change(Admin admin, ConfigResource topic, AlterConfigOp change)
      throws InterruptedException {
    try {
      var unused = admin.incrementalAlterConfigs(Map.of(topic, List.of(change))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void awaitTold(Scene scene, boolean told) {
    Await.value(
        told ? "retention.bytes is named" : "retention.bytes is no longer named",
        () -> scene.nodes().any().send("GET", "/v1/cluster", ""),
        cluster -> cluster.contains("retention.bytes") == told);
  }

  /** The topic of the catalog is deleted while all nodes are down, and restored from a copy. */
  static void deletedCatalog(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.struck("the topic of the catalog is deleted", "");
    ClusterSpec spec = scene.nodes().spec();
    scene.nodes().terminateAll();
    try (Admin admin = Admin.create(config(scene))) {
      var unused = admin.deleteTopics(List.of(spec.topic("catalog"))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    NodeProcess first = scene.nodes().get(0);
    first.launch();
    requireRefused(first, spec.topic("catalog"));
    scene.say("nodes refuse to start");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("cluster", "restore-topic", "catalog"));
    command.addAll(List.of("--data", first.data().toString()));
    command.addAll(List.of("--cluster", spec.brokers(), "--cluster-name", spec.name()));
    command.addAll(List.of("--replication", Integer.toString(spec.replication())));
    first.command(command);
    scene.say("restored from the copy of " + first);
    scene.nodes().startAll();
    scene.mended();
  }

  /** Waits until a node that was launched has ended by itself, with an error that names why. */
  static void requireRefused(NodeProcess node, String reason)
      throws IOException, InterruptedException {
    int exit = node.awaitEnd();
    if (exit == 0 || !node.said().contains(reason)) {
      throw new IllegalStateException(
          node + " ended with " + exit + ", and was to name " + reason + "; " + node.said());
    }
  }

  /** Returns how many deliveries were made. */
  static long delivered(Scene scene) throws IOException, InterruptedException {
    return Checker.ledger(scene.nodes(), false).total().delivered();
  }

  /** Waits until more deliveries were made than before. */
  static void awaitMore(Scene scene, long before, String when) {
    Await.value("deliveries " + when, () -> delivered(scene), now -> now > before);
  }

  private static void requireMore(Scene scene, long before, String when)
      throws IOException, InterruptedException {
    long now = delivered(scene);
    if (now <= before) {
      throw new IllegalStateException("nothing was delivered " + when + ": " + now);
    }
    scene.say((now - before) + " deliveries " + when);
  }

  private static Properties config(Scene scene) {
    Properties config = new Properties();
    config.put("bootstrap.servers", scene.nodes().spec().brokers());
    return config;
  }

  private static KafkaProducer<byte[], byte[]> producer(Properties config) {
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
