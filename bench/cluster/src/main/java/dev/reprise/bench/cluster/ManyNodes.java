package dev.reprise.bench.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/**
 * Thirty nodes in this process over brokers in their own: they join, five leave, five others join.
 * How long until every shard has an owner, and whether everything that was published is delivered.
 */
final class ManyNodes implements Benchmark {
  private static final int NODES = 30;
  private static final int MOVING = 5;
  private static final int SHARDS = 128;
  private static final int SUBSCRIPTIONS = 256;

  /** Nodes that start or close at a time: more would only take the processor from each other. */
  private static final int AT_ONCE = 6;

  private static final byte[] NOTHING = {};
  private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(15);

  private final List<DeliveryEngine> nodes = new ArrayList<>();
  private int started;
  private int published;

  @Override
  public String name() {
    return "cluster-nodes";
  }

  @Override
  public String goal() {
    return "lost<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int count = effort.choose(NODES / 3, NODES);
    Path folder = Folders.create("cluster-nodes");
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try (Brokers brokers = Brokers.start(folder.resolve("brokers"), effort.choose(1, 3))) {
      long beganNanos = System.nanoTime();
      start(brokers, folder, count, threads);
      double joined = awaitOwned(beganNanos);
      out.printf(
          Locale.ROOT, "%d nodes own all of %d shards after %.1f s%n", count, SHARDS, joined);
      subscribe();
      publish();

      beganNanos = System.nanoTime();
      closeFirst(MOVING, threads);
      double left = awaitOwned(beganNanos);
      out.printf(Locale.ROOT, "%d nodes have left: all shards owned after %.1f s%n", MOVING, left);
      publish();

      beganNanos = System.nanoTime();
      start(brokers, folder, MOVING, threads);
      double back = awaitOwned(beganNanos);
      out.printf(
          Locale.ROOT, "%d nodes have joined: all shards owned after %.1f s%n", MOVING, back);
      publish();

      long lost = awaitDelivered();
      closeFirst(nodes.size(), threads);
      return String.format(
          Locale.ROOT,
          "joined=%.1f s left=%.1f s back=%.1f s lost=%d nodes=%d shards=%d",
          joined,
          left,
          back,
          lost,
          count,
          SHARDS);
    } finally {
      closeFirst(nodes.size(), threads);
      threads.shutdown();
      Folders.delete(folder);
    }
  }

  private static DeliveryEngine open(Brokers brokers, Path folder, String name) {
    ClusterSettings cluster =
        new ClusterSettings(
            brokers.bootstrap(),
            "many",
            name,
            "http://" + name + ".example:8080",
            Map.of(),
            SHARDS,
            (short) 1,
            1,
            Duration.ofSeconds(6),
            Duration.ofSeconds(1));
    EngineSettings settings =
        new EngineSettings(
            folder.resolve(name),
            1,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ofSeconds(2));
    return DeliveryEngine.started(
        DataFolder.open(settings, store -> new ClusterHost(cluster, store)),
        (claim, done) -> done.accept(delivered()));
  }

  private static AttemptOutcome delivered() {
    return new AttemptOutcome(null, 200, "200", "192.0.2.1", NOTHING, 1_000_000);
  }

  private void start(Brokers brokers, Path folder, int count, ExecutorService threads)
      throws Exception {
    List<Future<DeliveryEngine>> opening = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "node-" + ++started;
      opening.add(threads.submit(() -> open(brokers, folder, name)));
    }
    for (Future<DeliveryEngine> each : opening) {
      nodes.add(each.get());
    }
  }

  private void closeFirst(int count, ExecutorService threads) throws Exception {
    List<Future<?>> closing = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      DeliveryEngine node = nodes.remove(0);
      closing.add(threads.submit(node::close));
    }
    for (Future<?> each : closing) {
      each.get();
    }
  }

  /** Returns after how many seconds every node has its share of the shards at work. */
  private double awaitOwned(long beganNanos) throws InterruptedException {
    int share = SHARDS / nodes.size();
    while (nodes.stream().mapToInt(node -> node.readersHere().size()).sum() < SHARDS
        || nodes.stream().anyMatch(node -> node.readersHere().size() < share)) {
      pauseUntil(beganNanos + MAX_WAIT_NANOS, "not all shards are owned");
    }
    return (System.nanoTime() - beganNanos) / 1e9;
  }

  private static void pauseUntil(long endNanos, String why) throws InterruptedException {
    if (System.nanoTime() - endNanos > 0) {
      throw new IllegalStateException(why);
    }
    Thread.sleep(20);
  }

  private DeliveryEngine writer() throws InterruptedException {
    long endNanos = System.nanoTime() + MAX_WAIT_NANOS;
    while (true) {
      for (DeliveryEngine node : nodes) {
        if (node.isWritable()) {
          return node;
        }
      }
      pauseUntil(endNanos, "nobody writes the catalog");
    }
  }

  private void subscribe() throws InterruptedException {
    DeliveryEngine writer = writer();
    writer.addTopic("orders");
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
      writer.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
  }

  private void publish() throws Exception {
    writer()
        .publish(
            "orders",
            new Payload("text/plain", NOTHING, "a".getBytes(UTF_8)),
            JsonMapper.shared().createObjectNode(),
            null)
        .toCompletableFuture()
        .get(1, TimeUnit.MINUTES);
    published++;
  }

  private long awaitDelivered() throws InterruptedException {
    long expected = (long) SUBSCRIPTIONS * published;
    long endNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    long delivered = 0;
    while (delivered < expected && System.nanoTime() - endNanos < 0) {
      Thread.sleep(100);
      delivered =
          nodes.stream().map(DeliveryEngine::ledger).reduce(Ledger.EMPTY, Ledger::plus).delivered();
    }
    return expected - delivered;
  }
}
