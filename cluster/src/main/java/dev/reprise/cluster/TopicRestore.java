package dev.reprise.cluster;

import dev.reprise.delivery.engine.FolderMarks;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
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
 * Brings a topic back that was deleted, while no node runs: the catalog from the copy in a node's
 * folder, others without what was in them. A record of it lets folders and shards that knew the
 * topic accept the new one. If it is broken off, the same call goes on.
 */
public final class TopicRestore {
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Records on their way to shards name a place in the catalog, a little behind the copy's. */
  private static final int MORE_PLACES = 1_000;

  private static final int PADDED_AT_ONCE = 10_000;
  private static final int PAD_NUMBER = RocksStore.MAX_VIEW - 34;
  private static final byte[] PAD = {(byte) (PAD_NUMBER >>> 8), (byte) PAD_NUMBER, 'p'};

  private final ClusterTopic topic;
  private final RocksStore store;
  private final ClusterSettings settings;
  private final KafkaClients clients;
  private final Topics topics;
  private final String name;
  private final BrokerClock clock = new BrokerClock();

  /**
   * A topic that was restored.
   *
   * @param topic its name
   * @param before the id that it had; null if the folder does not know it
   * @param after the id that it has
   * @param node whose folder it was restored from
   * @param records how many records were restored and compared
   * @param position up to which place of the lost topic the folder had everything
   * @param asOf a time at which nothing followed that place; null if there is none
   */
  public record Report(
      String topic,
      @Nullable String before,
      String after,
      String node,
      long records,
      long position,
      @Nullable Instant asOf) {}

  private TopicRestore(ClusterTopic topic, RocksStore store, ClusterSettings settings) {
    this.topic = topic;
    this.store = store;
    this.settings = settings;
    this.clients = new KafkaClients(settings);
    this.topics = new Topics(settings.prefix());
    this.name = topics.name(topic);
  }

  /**
   * Restores a topic.
   *
   * @param topic the last part of its name, such as {@code catalog}
   * @param folder the data folder of a node of the cluster
   * @param acceptLoss whether a topic may begin anew of which no folder has a copy
   * @throws StoreException if the folder is no node's of the cluster
   * @throws ClusterException if the topic cannot be restored; the message says why
   * @throws org.apache.kafka.common.KafkaException if the brokers are out of reach
   */
  public static Report run(String topic, Path folder, ClusterSettings settings, boolean acceptLoss)
      throws InterruptedException {
    ClusterTopic restored = named(topic);
    if (restored == ClusterTopic.SHARDS) {
      throw new ClusterException(
          "topic "
              + restored.name(settings.prefix())
              + ": is not restored by this command: bring it back from a backup of the brokers",
          null);
    }
    if (restored != ClusterTopic.CATALOG && !acceptLoss) {
      throw new ClusterException(
          "topic %s: no folder has a copy of it: %s is gone. To begin it anew, add --accept-loss"
              .formatted(
                  restored.name(settings.prefix()),
                  restored == ClusterTopic.IN
                      ? "what was accepted and had not been taken in"
                      : "what was in it"),
          null);
    }
    FolderMarks.requireReadable(folder);
    try (RocksStore store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0))) {
      return new TopicRestore(restored, store, settings).run();
    }
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

  private Report run() throws InterruptedException {
    TopicIds known;
    String node;
    Uuid now;
    try (Admin admin = clients.admin()) {
      FolderMarks.Cluster cluster =
          new FolderMarks.Cluster(Topics.brokersId(admin), settings.prefix());
      node = FolderMarks.requireNode(store.folder(), cluster);
      known = NodeFolder.known(store.folder(), cluster);
      requireNoNodes(admin);
      now = make(admin, known);
    }
    try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("restore")) {
      Uuid before = Objects.requireNonNullElse(known.of(topic), Uuid.ZERO_UUID);
      TopicLineage lineage = TopicLineage.in(consumer, catalog());
      boolean done = lineage.accepts(topic, before, now);
      if (done && before.equals(now)) {
        throw new ClusterException(
            "topic %s: is there, and is the one that the folder knows: nothing is to be restored"
                .formatted(name),
            null);
      }
      LogCopy copy = new LogCopy(store.view(ClusterHost.CATALOG_COPY));
      long records = topic == ClusterTopic.CATALOG && !done ? copyCatalog(consumer, copy) : 0;
      if (!done) {
        TopicLineage earlier =
            topic == ClusterTopic.CATALOG ? TopicLineage.in(copy.store()::get) : lineage;
        note(earlier.and(new TopicLineage.Restored(topic, before, now, Instant.now(), node)));
      }
      return new Report(
          name,
          before.equals(Uuid.ZERO_UUID) ? null : before.toString(),
          now.toString(),
          node,
          records,
          topic == ClusterTopic.CATALOG ? copy.position() : 0,
          copy.asOfMillis() == 0 ? null : Instant.ofEpochMilli(copy.asOfMillis()));
    }
  }

  private TopicPartition catalog() {
    return new TopicPartition(topics.catalog(), 0);
  }

  // --- before anything is written ----------------------------------------------------------

  private void requireNoNodes(Admin admin) throws InterruptedException {
    int members = Migration.members(admin, settings.prefix());
    if (members > 0) {
      throw new ClusterException(
          "cluster '%s': %d of its nodes are at work: stop all nodes, and run this again"
              .formatted(settings.prefix(), members),
          null);
    }
  }

  /** Makes the topic if it is missing; the others that are needed must be there. */
  private Uuid make(Admin admin, TopicIds known) throws InterruptedException {
    Map<ClusterTopic, TopicDescription> found = topics.describe(admin);
    TopicIds there = Topics.ids(found);
    for (ClusterTopic needed : List.of(ClusterTopic.SHARDS, ClusterTopic.CATALOG)) {
      if (needed != topic && there.of(needed) == null) {
        throw new ClusterException(
            "topic %s: is missing as well.%s"
                .formatted(topics.name(needed), KnownTopics.wayBack(needed)),
            null);
      }
    }
    if (topic == ClusterTopic.CATALOG && !isSame(ClusterTopic.SHARDS, known, there)) {
      throw new ClusterException(
          "topic %s: is not the one that the folder knows.%s"
              .formatted(topics.shards(), KnownTopics.wayBack(ClusterTopic.SHARDS)),
          null);
    }
    int shards = Objects.requireNonNull(found.get(ClusterTopic.SHARDS)).partitions().size();
    if (there.of(topic) == null) {
      topics.make(admin, topic, shards, settings.replication());
    }
    TopicDescription made =
        Objects.requireNonNull(TopicLook.awaitLeaders(admin, List.of(name)).get(name), "awaited");
    int partitions = made.partitions().size();
    if (partitions != topic.partitions(shards)) {
      throw new ClusterException(
          "topic %s: partitions is %d, and must be %d: delete the topic, and run this again"
              .formatted(name, partitions, topic.partitions(shards)),
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

  private static boolean isSame(ClusterTopic topic, TopicIds known, TopicIds now) {
    return Objects.equals(known.of(topic), now.of(topic));
  }

  // --- the catalog -------------------------------------------------------------------------

  private long copyCatalog(KafkaConsumer<byte[], byte[]> consumer, LogCopy copy) {
    if (copy.position() <= 0) {
      throw new ClusterException(
          "data folder %s: has no whole copy of topic %s: take that of another node"
              .formatted(store.folder(), name),
          null);
    }
    try (KafkaTurnLog log = own();
        MigrationEntries entries = MigrationEntries.ofCopy(copy)) {
      compare(consumer, entries);
      MigrationLog.append(log, entries, (records, bytes) -> {});
      pad(log, LogReader.end(consumer, catalog()), copy.position() + MORE_PLACES);
    }
    // Readers see a batch a moment after it was appended; a new owner is one once they do.
    own().close();
    try (MigrationEntries entries = MigrationEntries.ofCopy(copy)) {
      compare(consumer, entries);
      long records = entries.count();
      if (entries.next()) {
        throw new ClusterException(
            "topic %s: has %d records, and data folder %s has more: run this again"
                .formatted(name, records, store.folder()),
            null);
      }
      return records;
    }
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
  private void compare(KafkaConsumer<byte[], byte[]> consumer, MigrationEntries entries) {
    MigrationLog.read(
        consumer,
        catalog(),
        record -> {
          if (!isOurs(record) && !(entries.next() && isSame(record, entries))) {
            throw new ClusterException(
                ("%s: has at %d what the data folder has not at this place: somebody else has"
                        + " written there. If nobody needs that, delete this topic, and run this"
                        + " again")
                    .formatted(name, record.offset()),
                null);
          }
          return true;
        });
  }

  private static boolean isOurs(ConsumerRecord<byte[], byte[]> record) {
    return record.key() != null && Arrays.equals(record.key(), PAD);
  }

  private static boolean isSame(ConsumerRecord<byte[], byte[]> record, MigrationEntries entries) {
    return Arrays.equals(record.key(), entries.key())
        && Arrays.equals(record.value(), entries.value());
  }

  private void note(TopicLineage lineage) {
    try (KafkaTurnLog log = own()) {
      Batch batch = new Batch();
      lineage.addTo(batch);
      log.append(batch);
    }
    own().close();
  }

  private KafkaTurnLog own() {
    return KafkaTurnLog.own(clients, topics.catalog(), 0, LEASE, clock, null);
  }
}
