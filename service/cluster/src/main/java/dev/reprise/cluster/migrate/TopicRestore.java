package dev.reprise.cluster.migrate;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.RestoreMark;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.KnownTopics;
import dev.reprise.cluster.log.LogReader;
import dev.reprise.cluster.log.MigrationEntries;
import dev.reprise.cluster.log.MigrationLog;
import dev.reprise.cluster.log.ShardCopies;
import dev.reprise.cluster.log.TopicLineage;
import dev.reprise.cluster.log.TopicLook;
import dev.reprise.cluster.log.TopicRules;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.delivery.host.FolderMarks;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Brings a topic back that was deleted, while no node runs: the catalog and the shards from the
 * newest copies in the folders of nodes, others without what was in them. A record of it lets
 * folders and shards that knew the topic accept the new one. If it is broken off, the same call
 * goes on.
 */
public final class TopicRestore {
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Records on their way to shards name a place in the catalog, a little behind the copy's. */
  private static final int MORE_PLACES = 1_000;

  private static final int PADDED_AT_ONCE = 10_000;
  private static final int PAD_NUMBER = RocksStore.MAX_VIEW - 34;
  private static final byte[] PAD = {(byte) (PAD_NUMBER >>> 8), (byte) PAD_NUMBER, 'p'};
  private static final int NAMED_SHARDS = 10;

  private final ClusterTopic topic;
  private final ClusterSettings settings;
  private final boolean acceptLoss;
  private final KafkaClients clients;
  private final Topics topics;
  private final String name;
  private final BrokerClock clock = new BrokerClock();

  /**
   * The copy that a partition was restored from.
   *
   * @param node whose folder it was in
   * @param position up to which place of the lost topic it had everything
   * @param asOf a time at which nothing followed that place; null if there is none
   */
  public record Source(int partition, String node, long position, @Nullable Instant asOf) {}

  /**
   * A topic that was restored.
   *
   * @param topic its name
   * @param before the id that it had; null if the folders do not know it
   * @param after the id that it has
   * @param records how many records were restored and compared
   * @param sources of each partition that was restored
   * @param lost the partitions of which no folder had a copy, and which begin anew
   */
  public record Report(
      String topic,
      @Nullable String before,
      String after,
      long records,
      List<Source> sources,
      List<Integer> lost) {}

  private TopicRestore(ClusterTopic topic, ClusterSettings settings, boolean acceptLoss) {
    this.topic = topic;
    this.settings = settings;
    this.acceptLoss = acceptLoss;
    this.clients = new KafkaClients(settings);
    this.topics = new Topics(settings.prefix());
    this.name = topics.name(topic);
  }

  /**
   * Restores a topic.
   *
   * @param topic the last part of its name, such as {@code catalog}
   * @param folders the data folders of nodes of the cluster; of each partition the copy is taken
   *     that goes furthest
   * @param acceptLoss whether a topic, or a shard, may begin anew of which no folder has a copy
   * @throws StoreException if a folder is no node's of the cluster
   * @throws ClusterException if the topic cannot be restored; the message says why
   * @throws org.apache.kafka.common.KafkaException if the brokers are out of reach
   */
  public static Report run(
      String topic, List<Path> folders, ClusterSettings settings, boolean acceptLoss)
      throws InterruptedException {
    ClusterTopic restored = named(topic);
    if (!isCopied(restored) && !acceptLoss) {
      throw new ClusterException(
          "topic %s: no folder has a copy of it: %s is gone. To begin it anew, add --accept-loss"
              .formatted(
                  restored.name(settings.prefix()),
                  restored == ClusterTopic.IN
                      ? "what was accepted and had not been taken in"
                      : "what was in it"),
          null);
    }
    folders.forEach(FolderMarks::requireReadable);
    return new TopicRestore(restored, settings, acceptLoss).run(folders);
  }

  private static boolean isCopied(ClusterTopic topic) {
    return topic == ClusterTopic.CATALOG || topic == ClusterTopic.SHARDS;
  }

  private static ClusterTopic named(String topic) {
    for (ClusterTopic each : ClusterTopic.values()) {
      if (each.suffix().equals(topic)) {
        return each;
      }
    }
    throw new ClusterException(
        "topic %s: must be one of %s"
            .formatted(
                topic, Arrays.stream(ClusterTopic.values()).map(ClusterTopic::suffix).toList()),
        null);
  }

  private Report run(List<Path> folders) throws InterruptedException {
    try (Admin admin = clients.admin();
        StoppedNodes nodes =
            StoppedNodes.open(
                folders, new FolderMarks.Cluster(Topics.brokersId(admin), settings.prefix()))) {
      requireNoNodes(admin);
      Map<ClusterTopic, TopicDescription> found = topics.describe(admin);
      int partitions = topic == ClusterTopic.CATALOG ? 1 : topic.partitions(shards(found));
      List<StoppedNodes.@Nullable Copy> copies =
          isCopied(topic) ? copies(nodes, partitions) : List.of();
      try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("restore")) {
        TopicIds there = Topics.ids(found);
        requireOther(consumer, there, nodes);
        if (topic == ClusterTopic.SHARDS && there.of(topic) == null) {
          // Before there is a topic that a node could fill.
          begin();
        }
        Uuid now = make(admin, partitions);
        return restore(consumer, now, nodes, copies);
      }
    }
  }

  private Uuid before(StoppedNodes nodes) {
    return Objects.requireNonNullElse(nodes.id(topic), Uuid.ZERO_UUID);
  }

  private Report restore(
      KafkaConsumer<byte[], byte[]> consumer,
      Uuid now,
      StoppedNodes nodes,
      List<StoppedNodes.@Nullable Copy> copies) {
    Uuid before = before(nodes);
    TopicLineage lineage = TopicLineage.in(consumer, catalog());
    boolean done = lineage.accepts(topic, before, now);
    if (done && before.equals(now)) {
      throw new ClusterException(
          "topic %s: is there, and is the one that %s knows: nothing is to be restored"
              .formatted(name, nodes.folders()),
          null);
    }
    if (!done && isCopied(topic)) {
      // A topic with other records stays as it is, and stops no node.
      requireBeginnings(consumer, copies);
      begin();
    }
    List<Source> sources = new ArrayList<>();
    List<Integer> lost = new ArrayList<>();
    long records = 0;
    for (int i = 0; i < copies.size(); i++) {
      StoppedNodes.Copy copy = copies.get(i);
      if (copy == null) {
        lost.add(i);
        continue;
      }
      records += done ? 0 : copy(consumer, new TopicPartition(name, i), copy);
      long asOf = copy.log().asOfMillis();
      sources.add(
          new Source(
              i,
              copy.node(),
              copy.log().position(),
              asOf == 0 ? null : Instant.ofEpochMilli(asOf)));
    }
    if (!done) {
      // The record of earlier ones was in the catalog itself.
      StoppedNodes.Copy copied = topic == ClusterTopic.CATALOG ? copies.get(0) : null;
      TopicLineage earlier = copied == null ? lineage : TopicLineage.in(copied.log().store()::get);
      end(earlier.and(new TopicLineage.Restored(topic, before, now, Instant.now(), nodes.names())));
    }
    return new Report(
        name,
        before.equals(Uuid.ZERO_UUID) ? null : before.toString(),
        now.toString(),
        records,
        sources,
        lost);
  }

  private TopicPartition catalog() {
    return new TopicPartition(topics.catalog(), 0);
  }

  // --- before anything is written ----------------------------------------------------------

  private void requireNoNodes(Admin admin) throws InterruptedException {
    int members = Migration.members(admin, settings.prefix());
    if (members > 0) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "cluster '%s': %d of its nodes are at work: stop all nodes, and run this again",
              settings.prefix(),
              members),
          null);
    }
  }

  /** The copies must belong to what is there. The catalog records each restoration. */
  private void requireOther(
      KafkaConsumer<byte[], byte[]> consumer, TopicIds there, StoppedNodes nodes) {
    ClusterTopic other = topic == ClusterTopic.CATALOG ? ClusterTopic.SHARDS : ClusterTopic.CATALOG;
    Uuid now = there.of(other);
    if (now == null) {
      // The shards come back once the catalog is there.
      if (other == ClusterTopic.CATALOG) {
        throw new ClusterException(
            "topic %s: is missing as well.%s"
                .formatted(topics.name(other), KnownTopics.wayBack(other)),
            null);
      }
      return;
    }
    Uuid known = Objects.requireNonNullElse(nodes.id(other), Uuid.ZERO_UUID);
    boolean isSame =
        known.equals(now)
            || (other == ClusterTopic.CATALOG
                && TopicLineage.in(consumer, catalog()).accepts(other, known, now));
    if (isCopied(topic) && !isSame) {
      throw new ClusterException(
          "topic %s: is not the one that %s knows.%s"
              .formatted(topics.name(other), nodes.folders(), KnownTopics.wayBack(other)),
          null);
    }
  }

  /** Returns how many shards the cluster has, by a topic that is there. */
  private int shards(Map<ClusterTopic, TopicDescription> found) {
    for (ClusterTopic each : List.of(ClusterTopic.SHARDS, ClusterTopic.IN, ClusterTopic.OPEN)) {
      TopicDescription there = found.get(each);
      if (each != topic && there != null) {
        return there.partitions().size();
      }
    }
    throw new ClusterException(
        ("topic %s: is missing, and so are those that tell the number of shards: make topic %s with"
                + " as many partitions as the cluster had shards, and run this again")
            .formatted(name, topic == ClusterTopic.SHARDS ? topics.in() : topics.shards()),
        null);
  }

  /**
   * Returns the newest copy of each partition; null where no folder has any and that is allowed.
   */
  private List<StoppedNodes.@Nullable Copy> copies(StoppedNodes nodes, int partitions) {
    List<StoppedNodes.@Nullable Copy> copies = new ArrayList<>();
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      boolean ofCatalog = topic == ClusterTopic.CATALOG;
      StoppedNodes.Copy copy =
          nodes.newest(ofCatalog ? ClusterHost.CATALOG_COPY : ShardCopies.view(i));
      if (copy == null && ofCatalog) {
        throw new ClusterException(
            "%s: has no whole copy of topic %s: take that of another node"
                .formatted(nodes.folders(), name),
            null);
      }
      if (copy == null) {
        missing.add(i);
      }
      copies.add(copy);
    }
    if (!missing.isEmpty() && !acceptLoss) {
      List<Integer> named = missing.subList(0, Math.min(missing.size(), NAMED_SHARDS));
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "topic %s: %s: has no copy of %d of its %d shards (%s%s): name the folders of all"
                  + " nodes, each with --data. Without them what was pending in these shards is"
                  + " lost, and what the intake still has is delivered again: add --accept-loss",
              name,
              nodes.folders(),
              missing.size(),
              partitions,
              String.join(", ", named.stream().map(String::valueOf).toList()),
              missing.size() > named.size() ? ", …" : ""),
          null);
    }
    return copies;
  }

  /** Makes the topic if it is missing. */
  private Uuid make(Admin admin, int partitions) throws InterruptedException {
    // One that is there has leaders to wait for, as one that another process makes just now has.
    topics.make(admin, topic, partitions, settings.replication());
    TopicDescription made =
        Objects.requireNonNull(TopicLook.awaitLeaders(admin, List.of(name)).get(name), "awaited");
    if (made.partitions().size() != partitions) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "topic %s: partitions is %d, and must be %d: delete the topic, and run this again",
              name,
              made.partitions().size(),
              partitions),
          null);
    }
    List<TopicRules.Breach> breaches =
        topics.breaches(Map.of(topic, made), TopicLook.settings(admin, List.of(name)));
    if (!breaches.isEmpty()) {
      throw new ClusterException(
          breaches.get(0).message() + "; or delete the topic, and run this again", null);
    }
    return made.topicId();
  }

  // --- what is in the copies ---------------------------------------------------------------

  /** Requires that the topic has nothing but a part of what is restored. */
  private void requireBeginnings(
      KafkaConsumer<byte[], byte[]> consumer, List<StoppedNodes.@Nullable Copy> copies) {
    for (int i = 0; i < copies.size(); i++) {
      StoppedNodes.Copy copy = copies.get(i);
      if (copy != null) {
        try (MigrationEntries entries = entries(copy)) {
          compare(consumer, new TopicPartition(name, i), entries);
        }
      }
    }
  }

  /** Copies a partition, and reads it back. */
  private long copy(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, StoppedNodes.Copy copy) {
    try (KafkaTurnLog log = own(partition);
        MigrationEntries entries = entries(copy)) {
      compare(consumer, partition, entries);
      MigrationLog.append(log, entries, (records, bytes) -> {});
      if (topic == ClusterTopic.CATALOG) {
        pad(log, LogReader.end(consumer, partition), copy.log().position() + MORE_PLACES);
      }
    }
    // Readers see a batch a moment after it was appended; a new owner is one once they do.
    own(partition).close();
    try (MigrationEntries entries = entries(copy)) {
      compare(consumer, partition, entries);
      long records = entries.count();
      if (entries.next()) {
        throw new ClusterException(
            String.format(
                Locale.ROOT,
                "%s: has %d records, and data folder %s has more: run this again",
                partition,
                records,
                copy.folder()),
            null);
      }
      return records;
    }
  }

  private MigrationEntries entries(StoppedNodes.Copy copy) {
    return MigrationEntries.ofCopy(copy.log(), key -> topic == ClusterTopic.CATALOG && isOurs(key));
  }

  /** Records of the intake wait for a place in the catalog: it must be there again. */
  private static void pad(KafkaTurnLog log, long from, long to) {
    long at = from;
    while (at < to) {
      Batch batch = new Batch();
      long until = Math.min(to, at + PADDED_AT_ONCE);
      for (long i = at; i < until; i++) {
        batch.put(PAD.clone(), ByteBuffer.allocate(Long.BYTES).putLong(i).array());
      }
      at = log.append(batch);
    }
  }

  /** Compares what is there with the first of the entries, which are then behind that. */
  private static void compare(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, MigrationEntries entries) {
    MigrationLog.read(
        consumer,
        partition,
        record -> {
          if (!isOurs(record.key()) && !(entries.next() && isSame(record, entries))) {
            throw new ClusterException(
                String.format(
                    Locale.ROOT,
                    "%s: has at %d what the data folder has not at this place: another program has"
                        + " written there. If that is not needed, delete this topic, and run this"
                        + " again",
                    partition,
                    record.offset()),
                null);
          }
          return true;
        });
  }

  /** Whether a record is one of a restoration, this one or one before it. */
  private static boolean isOurs(byte @Nullable [] key) {
    return key != null && (Arrays.equals(key, PAD) || RestoreMark.isKey(key));
  }

  private static boolean isSame(ConsumerRecord<byte[], byte[]> record, MigrationEntries entries) {
    return Arrays.equals(record.key(), entries.key())
        && Arrays.equals(record.value(), entries.value());
  }

  /** Until the restoration has ended, no node may do anything. */
  private void begin() {
    Batch batch = new Batch();
    RestoreMark.begin(batch, topic);
    note(batch);
  }

  private void end(TopicLineage lineage) {
    Batch batch = new Batch();
    lineage.addTo(batch);
    if (isCopied(topic)) {
      RestoreMark.end(batch);
    }
    note(batch);
  }

  private void note(Batch batch) {
    try (KafkaTurnLog log = own(catalog())) {
      log.append(batch);
    }
    own(catalog()).close();
  }

  private KafkaTurnLog own(TopicPartition partition) {
    return KafkaTurnLog.own(clients, partition.topic(), partition.partition(), LEASE, clock, null);
  }
}
