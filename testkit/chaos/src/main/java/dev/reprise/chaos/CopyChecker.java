package dev.reprise.chaos;

import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Compares the copies in the folders of nodes that do not run with the topics: each copy must be
 * what the topic was at the copy's position, record by record.
 */
final class CopyChecker {
  /** The views of a node's store that have the shards, and the one that has the catalog. */
  private static final int FIRST_SHARD = 1;

  private static final int CATALOG = RocksStore.MAX_VIEW - 32;

  /** Where a copy has its position. */
  private static final byte[] POSITION = "So".getBytes(StandardCharsets.US_ASCII);

  /** Behind all keys. */
  private static final byte[] END = {-1, -1, -1, -1};

  /** The key under which an owner speaks of itself in the topic; its own copy has none of it. */
  private static final byte[] MARKER = {0};

  private final Nodes nodes;
  private final ChaosFindings findings = new ChaosFindings();
  private int compared;

  CopyChecker(Nodes nodes) {
    this.nodes = nodes;
  }

  /** Returns how many copies with anything in them were compared. */
  int compared() {
    return compared;
  }

  /** Returns the differences. */
  ChaosFindings check() {
    ClusterSpec spec = nodes.spec();
    try (TopicReader reader = new TopicReader(spec.brokers())) {
      List<ConsumerRecord<byte[], byte[]>> shards = reader.read(spec.topic("shards"));
      List<ConsumerRecord<byte[], byte[]>> catalog = reader.read(spec.topic("catalog"));
      for (NodeProcess each : nodes.all()) {
        if (Files.exists(each.data())) {
          check(each, shards, catalog);
        }
      }
    }
    return findings;
  }

  private void check(
      NodeProcess node,
      List<ConsumerRecord<byte[], byte[]>> shards,
      List<ConsumerRecord<byte[], byte[]>> catalog) {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0).withoutSync();
    try (RocksStore store = RocksStore.open(node.data(), settings)) {
      for (int i = 0; i < nodes.spec().shards(); i++) {
        int shard = i;
        compare(
            node + "'s copy of shard " + shard,
            store.view(FIRST_SHARD + shard),
            shards.stream().filter(each -> each.partition() == shard).toList());
      }
      compare(node + "'s copy of the catalog", store.view(CATALOG), catalog);
    }
  }

  private void compare(String what, Store copy, List<ConsumerRecord<byte[], byte[]>> log) {
    long position = new LogCopy(copy).position();
    if (position <= 0) {
      return;
    }
    compared++;
    Map<String, byte[]> expected = new TreeMap<>();
    for (ConsumerRecord<byte[], byte[]> each : log) {
      if (each.offset() < position && !Arrays.equals(each.key(), MARKER)) {
        if (each.value() == null) {
          expected.remove(hex(each.key()));
        } else {
          expected.put(hex(each.key()), each.value());
        }
      }
    }
    List<String> differing = new ArrayList<>();
    try (Store.Cursor cursor = copy.range(new byte[] {}, END)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (Arrays.equals(key, POSITION) || Arrays.equals(key, MARKER)) {
          continue;
        }
        byte[] value = expected.remove(hex(key));
        if (value == null) {
          differing.add(hex(key) + " is not in the topic");
        } else if (!Arrays.equals(value, cursor.value())) {
          differing.add(hex(key) + " has another value in the topic");
        }
      }
    }
    expected.keySet().forEach(key -> differing.add(key + " is only in the topic"));
    findings.add(what + " up to " + position, differing);
  }

  private static String hex(byte[] key) {
    return HexFormat.of().formatHex(key);
  }
}
