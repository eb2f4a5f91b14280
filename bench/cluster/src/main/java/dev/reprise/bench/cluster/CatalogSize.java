package dev.reprise.bench.cluster;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.policy.NotificationPolicy;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The catalog, which every node of a cluster holds in memory: its heap, and the processor time to
 * open it, by the number of subscriptions. A hundred to a topic, each with an endpoint of 50
 * characters.
 */
final class CatalogSize implements Benchmark {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int OF_A_TOPIC = 100;

  @Override
  public String name() {
    return "cluster-catalog";
  }

  @Override
  public String goal() {
    return "heap<=1000B";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int count = Integer.getInteger("reprise.subscriptions", effort.choose(10_000, 100_000));
    Path folder = Folders.create("cluster-catalog");
    try {
      RocksSettings settings = RocksSettings.defaults().withReserveBytes(0).withoutSync();
      try (RocksStore store = RocksStore.open(folder, settings)) {
        fill(new Catalog(store.view(1)), count);
      }
      try (RocksStore store = RocksStore.open(folder, settings)) {
        long before = usedBytes();
        // On a busy machine the clock says nothing of it.
        long beganNanos = THREADS.getCurrentThreadCpuTime();
        Catalog catalog = new Catalog(store.view(1));
        double seconds = (THREADS.getCurrentThreadCpuTime() - beganNanos) / 1e9;
        long heap;
        try {
          heap = usedBytes() - before;
        } finally {
          Reference.reachabilityFence(catalog);
        }
        out.printf(
            Locale.ROOT,
            "%d subscriptions: %d MB of heap, %.1f s of a processor to open, %d MB on disk%n",
            count,
            heap >> 20,
            seconds,
            store.diskBytes() >> 20);
        return String.format(
            Locale.ROOT, "heap=%dB open=%.1f s subscriptions=%d", heap / count, seconds, count);
      }
    } finally {
      Folders.delete(folder);
    }
  }

  private static void fill(Catalog catalog, int count) {
    for (int i = 0; i < count; i++) {
      String topic = "orders-" + i / OF_A_TOPIC;
      if (i % OF_A_TOPIC == 0) {
        catalog.addTopic(
            new Topic(
                Topic.DEFAULT_PROJECT,
                topic,
                new NotificationPolicy(null, null, false),
                1_700_000_000_000L));
      }
      String endpoint =
          String.format(Locale.ROOT, "https://customer-%08d.example.com/webhooks/orders", i);
      catalog.addSubscription(
          Topic.DEFAULT_PROJECT,
          topic,
          SubscriptionSettings.of(endpoint),
          1_700_000_000_000L + i,
          (parent, subscription) -> {});
    }
  }

  private static long usedBytes() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(100);
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
