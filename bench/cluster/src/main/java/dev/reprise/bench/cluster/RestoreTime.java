package dev.reprise.bench.cluster;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A node without a copy takes over a shard with a large backlog: it reads the state from the
 * brokers first. Messages of 50 kB that cannot be compressed wait at an endpoint that never
 * answers.
 */
final class RestoreTime implements Benchmark {
  private static final int MESSAGE_BYTES = 50_000;
  private static final int AT_ONCE = 200;
  private static final byte[] NOTHING = {};
  private static final Duration MAX_WAIT = Duration.ofMinutes(10);

  @Override
  public String name() {
    return "cluster-restore";
  }

  @Override
  public String goal() {
    return "restored<=30s,missing<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int megabytes = Integer.getInteger("reprise.megabytes", effort.choose(50, 1_000));
    int count = megabytes * (1_000_000 / MESSAGE_BYTES);
    Path folder = Folders.create("cluster-restore");
    try (Brokers brokers = Brokers.start(folder.resolve("brokers"), 1)) {
      AtomicReference<@Nullable ClusterHost> host = new AtomicReference<>();
      try (DeliveryEngine first = open(brokers, folder.resolve("first"), "first", host)) {
        await("the shard is owned", () -> first.readersHere().size() == 1);
        first.addTopic("orders");
        first.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/"));
        publish(first, count);
        await("everything is taken in", () -> first.ledger().pending() == count);
      }
      try (DeliveryEngine second = open(brokers, folder.resolve("second"), "second", host)) {
        await("the shard is taken over", () -> second.readersHere().size() == 1);
        double seconds = Objects.requireNonNull(host.get()).figures().lastTakeoverMillis() / 1e3;
        long missing = count - second.ledger().pending();
        out.printf(
            Locale.ROOT,
            "%d MB in one shard are taken over without a copy in %.1f s%n",
            megabytes,
            seconds);
        return String.format(
            Locale.ROOT,
            "restored=%.1f s rate=%.0f MB/s missing=%d megabytes=%d",
            seconds,
            megabytes / seconds,
            missing,
            megabytes);
      }
    } finally {
      Folders.delete(folder);
    }
  }

  private static DeliveryEngine open(
      Brokers brokers, Path folder, String name, AtomicReference<@Nullable ClusterHost> host) {
    ClusterSettings cluster =
        new ClusterSettings(
            brokers.bootstrap(),
            "restore",
            name,
            "",
            Map.of(),
            1,
            (short) 1,
            0,
            Duration.ofSeconds(6),
            Duration.ofSeconds(1));
    EngineSettings settings =
        new EngineSettings(
            folder,
            1,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ofMillis(100));
    DataFolder data =
        DataFolder.open(
            settings,
            store -> {
              ClusterHost made = new ClusterHost(cluster, store);
              host.set(made);
              return made;
            });
    // Nothing is ever answered.
    return DeliveryEngine.started(data, (claim, done) -> {});
  }

  private static void publish(DeliveryEngine node, int count) throws Exception {
    Random random = new Random(1);
    List<CompletionStage<PublishReceipt>> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] body = new byte[MESSAGE_BYTES];
      random.nextBytes(body);
      Payload payload = new Payload("application/octet-stream", NOTHING, body);
      open.add(node.publish("orders", payload, JsonMapper.shared().createObjectNode(), null));
      if (open.size() == AT_ONCE || i == count - 1) {
        for (CompletionStage<PublishReceipt> each : open) {
          each.toCompletableFuture().get(1, TimeUnit.MINUTES);
        }
        open.clear();
      }
    }
  }

  private static void await(String what, Await.Condition condition) {
    Await.until(MAX_WAIT, what, () -> "", condition);
  }
}
