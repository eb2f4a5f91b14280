package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import tools.jackson.databind.json.JsonMapper;

/** A node of a cluster of four shards, whose attempts have the outcomes that a test wants. */
public final class TestNode implements AutoCloseable {
  public static final int SHARDS = 4;

  private static final byte[] NO_RESPONSE = {};

  public final DeliveryEngine engine;
  private final AtomicReference<ClusterHost> host = new AtomicReference<>();

  /** Joins the cluster; {@code endpoint} is told the body of each attempt. */
  public TestNode(
      Brokers brokers,
      String prefix,
      String name,
      Path folder,
      Function<String, AttemptOutcome> endpoint) {
    this(brokers, prefix, name, folder, Duration.ofSeconds(1), endpoint);
  }

  /** Joins the cluster with another lease. */
  public TestNode(
      Brokers brokers,
      String prefix,
      String name,
      Path folder,
      Duration lease,
      Function<String, AttemptOutcome> endpoint) {
    this(brokers, prefix, name, folder, lease, System::currentTimeMillis, endpoint);
  }

  /** Joins the cluster with another clock, too. */
  public TestNode(
      Brokers brokers,
      String prefix,
      String name,
      Path folder,
      Duration lease,
      LongSupplier wall,
      Function<String, AttemptOutcome> endpoint) {
    this(brokers.bootstrap(), prefix, name, folder, lease, wall, endpoint);
  }

  /** Joins the cluster at these addresses of brokers. */
  public TestNode(
      String bootstrap,
      String prefix,
      String name,
      Path folder,
      Duration lease,
      LongSupplier wall,
      Function<String, AttemptOutcome> endpoint) {
    this(settings(bootstrap, prefix, name, lease), folder, wall, System::nanoTime, endpoint);
  }

  /** Joins the cluster, with another time until a shard that takes nothing is told of. */
  public TestNode(
      Brokers brokers,
      String prefix,
      String name,
      Path folder,
      Duration lease,
      Duration standsAfter,
      LongSupplier wall,
      Function<String, AttemptOutcome> endpoint) {
    this(
        standing(settings(brokers.bootstrap(), prefix, name, lease), standsAfter),
        folder,
        wall,
        System::nanoTime,
        endpoint);
  }

  /** Returns settings with another time until a shard that takes nothing is reported. */
  static ClusterSettings standing(ClusterSettings of, Duration standsAfter) {
    return new ClusterSettings(
        of.brokers(),
        of.prefix(),
        of.node(),
        of.url(),
        of.clients(),
        of.shards(),
        of.replication(),
        of.followers(),
        of.session(),
        of.lease(),
        standsAfter);
  }

  private static ClusterSettings settings(
      String bootstrap, String prefix, String name, Duration lease) {
    return new ClusterSettings(
        bootstrap,
        prefix,
        name,
        "http://" + name,
        Map.of(),
        SHARDS,
        (short) 1,
        1,
        Duration.ofSeconds(6),
        lease);
  }

  /**
   * Joins a cluster by settings of its own.
   *
   * @param ofUnused tells for how long a copy was not used
   */
  public TestNode(
      ClusterSettings cluster,
      Path folder,
      LongSupplier wall,
      LongSupplier ofUnused,
      Function<String, AttemptOutcome> endpoint) {
    this(cluster, folder, wall, ofUnused, () -> {}, endpoint);
  }

  /**
   * Joins a cluster in two steps.
   *
   * @param mayJoin is called when it knows the cluster, and before it joins the group
   */
  public TestNode(
      ClusterSettings cluster,
      Path folder,
      LongSupplier wall,
      LongSupplier ofUnused,
      Runnable mayJoin,
      Function<String, AttemptOutcome> endpoint) {
    EngineSettings settings =
        new EngineSettings(
            folder,
            1,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ofSeconds(2));
    this.engine =
        DeliveryEngine.started(
            DataFolder.open(
                settings,
                store -> {
                  host.set(new ClusterHost(cluster, store, wall, ofUnused));
                  mayJoin.run();
                  return host.get();
                }),
            (claim, done) -> done.accept(endpoint.apply(body(claim))));
  }

  private static String body(Attempt claim) {
    return new String(PayloadRecord.decode(claim.payload()).body(), UTF_8);
  }

  public static AttemptOutcome delivered() {
    return new AttemptOutcome(null, 200, "200", "192.0.2.1", NO_RESPONSE, 1_000_000);
  }

  /** An answer after which no attempt is made. */
  public static AttemptOutcome refused() {
    return new AttemptOutcome(
        () -> RetrySafety.NO, 400, "400 \"no\"", "192.0.2.1", NO_RESPONSE, 1_000_000);
  }

  public ClusterHost host() {
    return host.get();
  }

  /** How many shards it owns. */
  public int owned() {
    return engine.readersHere().size();
  }

  public PublishReceipt publish(String topic, String body) {
    return start(topic, body).toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }

  CompletionStage<PublishReceipt> start(String topic, String body) {
    return engine.publish(
        topic,
        new Payload("text/plain", NO_RESPONSE, body.getBytes(UTF_8)),
        JsonMapper.shared().createObjectNode(),
        null);
  }

  @Override
  public void close() {
    engine.close();
  }
}
