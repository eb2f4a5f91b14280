package dev.reprise.cluster.migrate;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.MigrationMark;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.MigrationEntries;
import dev.reprise.cluster.log.MigrationLog;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.host.FolderMarks;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * Moves what a service without a cluster has in its data folder into a new cluster.
 *
 * <p>Each shard of the folder becomes the shard of that number, so the cluster has as many. Records
 * are appended in the order of their keys by the same fenced log that nodes write with, then all of
 * them are read back and compared. A migration that was broken off goes on behind what the log has:
 * that must be a beginning of what the folder has. Until it is complete no node joins the cluster,
 * and no service opens the folder.
 */
public final class Migration {
  private static final Duration LEASE = Duration.ofSeconds(1);

  private final RocksStore store;
  private final ClusterSettings settings;
  private final Progress progress;
  private final KafkaClients clients;
  private final Topics topics;
  private final int shards;
  private final BrokerClock clock = new BrokerClock();

  /** Receives the progress of the migration, again and again. */
  public interface Progress {
    /**
     * A part of a step was done.
     *
     * @param step the step: {@code copied} or {@code compared}
     * @param part the number of parts that are done, of which each shard is one and the catalog the
     *     last
     * @param parts the number of all parts
     * @param bytes the bytes of keys and values of all that was done in this step
     */
    void at(String step, int part, int parts, long bytes);
  }

  /**
   * Everything that a folder had when it was migrated.
   *
   * @param cluster the cluster that has it now
   * @param before whether an earlier run had completed the migration, and this one did nothing
   * @param shards the number of shards
   * @param topics the number of topics
   * @param subscriptions the number of subscriptions
   * @param ledger the ledger of everything
   * @param records the number of records that were compared; 0 if this run did nothing
   * @param bytes the bytes of their keys and values
   * @param copiedBytes how many of them this run has written
   * @param copying how long that took
   * @param comparing how long it took to read everything back and to compare it
   * @param missingKeys the names of the keys under which its secrets are encrypted, each with a
   *     carrier or a subscription that needs it: nodes must be given those keys
   */
  public record Report(
      FolderMarks.Cluster cluster,
      boolean before,
      int shards,
      int topics,
      int subscriptions,
      Ledger ledger,
      long records,
      long bytes,
      long copiedBytes,
      Duration copying,
      Duration comparing,
      Map<String, String> missingKeys) {}

  private Migration(
      RocksStore store, int shards, ClusterSettings settings, KafkaClients clients, Progress told) {
    this.store = store;
    this.shards = shards;
    this.settings = settings;
    this.clients = clients;
    this.topics = new Topics(settings.prefix());
    this.progress = told;
  }

  /**
   * Migrates a folder. If it fails, the same call goes on later.
   *
   * @param settings the cluster; its number of shards is that of the folder, whatever is said here
   * @throws StoreException if the folder cannot be opened or has nothing to migrate, with what to
   *     do
   * @throws ClusterException if the cluster is not new, or Kafka refuses; the message says what
   * @throws org.apache.kafka.common.KafkaException if the brokers are out of reach
   */
  public static Report run(Path folder, ClusterSettings settings, Progress progress)
      throws InterruptedException {
    FolderMarks.requireReadable(folder);
    try (RocksStore store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0))) {
      int shards = FolderMarks.requireMigratable(store);
      KafkaClients clients = new KafkaClients(settings);
      return new Migration(store, shards, settings, clients, progress).run();
    }
  }

  private Report run() throws InterruptedException {
    FolderMarks.Migration begun = FolderMarks.migration(store.folder());
    FolderMarks.Cluster into;
    try (Admin admin = clients.admin()) {
      into = new FolderMarks.Cluster(Topics.brokersId(admin), settings.prefix());
      if (begun != null && !begun.into().equals(into)) {
        throw new ClusterException(
            "data folder %s: its migration into %s was %s, and this is %s"
                .formatted(
                    store.folder(), begun.into(), begun.complete() ? "completed" : "begun", into),
            null);
      }
      if (begun != null && begun.complete()) {
        return report(into, null, null);
      }
      requireNoNodes(admin);
      requireSameShards(topics.existing(admin));
      requireSameShards(topics.ensure(admin, shards, settings.replication()));
    }
    String id = begun == null ? UUID.randomUUID().toString() : begun.id();
    FolderMarks.Migration open = new FolderMarks.Migration(into, id, false);
    try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("migration")) {
      return migrate(open, begun != null, consumer);
    }
  }

  private Report migrate(
      FolderMarks.Migration open, boolean isBegun, KafkaConsumer<byte[], byte[]> consumer) {
    MigrationMark mark = begin(open, isBegun, consumer);
    Steps copied = null;
    Steps compared = null;
    if (!mark.complete()) {
      copied = copy(consumer);
      compared = compare(consumer);
      try (KafkaTurnLog log = own(topics.catalog(), 0)) {
        MigrationLog.append(log, new MigrationMark(open.id(), true));
      }
      own(topics.catalog(), 0).close();
    }
    // Otherwise it was broken off between the two marks: nodes may be at work already.
    FolderMarks.note(store.folder(), new FolderMarks.Migration(open.into(), open.id(), true));
    return report(open.into(), copied, compared);
  }

  /**
   * Makes sure that the cluster takes this folder and no other. Of two folders that are new at the
   * same time, the first one is fenced before it has its mark.
   */
  private MigrationMark begin(
      FolderMarks.Migration open, boolean isBegun, KafkaConsumer<byte[], byte[]> consumer) {
    try (KafkaTurnLog log = own(topics.catalog(), 0)) {
      MigrationMark mark = MigrationLog.mark(consumer, new TopicPartition(topics.catalog(), 0));
      if (mark == null) {
        requireEmpty(consumer);
        FolderMarks.note(store.folder(), open);
        mark = new MigrationMark(open.id(), false);
        MigrationLog.append(log, mark);
      } else if (!isBegun || !mark.id().equals(open.id())) {
        throw notEmpty("another data folder was migrated into it, or is being migrated");
      }
      return mark;
    }
  }

  // --- before anything is changed ----------------------------------------------------------

  private void requireNoNodes(Admin admin) throws InterruptedException {
    int members = members(admin, settings.prefix());
    if (members > 0) {
      throw notEmpty(members + (members == 1 ? " node is at work" : " nodes are at work"));
    }
  }

  /** Returns how many nodes of a cluster are at work. */
  static int members(Admin admin, String group) throws InterruptedException {
    try {
      return admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
          .mapToInt(found -> found.members().size())
          .sum();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return 0;
      }
      throw new ClusterException("group " + group + ": " + e.getCause(), e.getCause());
    }
  }

  private void requireSameShards(int there) {
    if (there != 0 && there != shards) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "cluster '%s' has %d shards, and data folder %s has %d: a folder is migrated into a"
                  + " new cluster, which gets as many shards as the folder has. Choose another name"
                  + " with --cluster-name, or delete the topics of this one: %s",
              settings.prefix(),
              there,
              store.folder(),
              shards,
              String.join(", ", topics.names())),
          null);
    }
  }

  private void requireEmpty(KafkaConsumer<byte[], byte[]> consumer) {
    requireEmpty(consumer, new TopicPartition(topics.catalog(), 0));
    for (int i = 0; i < shards; i++) {
      requireEmpty(consumer, new TopicPartition(topics.in(), i));
      requireEmpty(consumer, new TopicPartition(topics.shards(), i));
    }
  }

  private void requireEmpty(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    if (MigrationLog.first(consumer, partition) != null) {
      throw notEmpty("topic " + partition.topic() + " has records");
    }
  }

  private ClusterException notEmpty(String reason) {
    return new ClusterException(
        ("cluster '%s' is not empty: %s. A folder is migrated into a new cluster: choose another"
                + " name with --cluster-name, or stop all nodes and delete the topics of this one:"
                + " %s")
            .formatted(settings.prefix(), reason, String.join(", ", topics.names())),
        null);
  }

  // --- the steps ---------------------------------------------------------------------------

  private Steps copy(KafkaConsumer<byte[], byte[]> consumer) {
    Steps steps = new Steps("copied");
    for (int i = 0; i <= shards; i++) {
      TopicPartition partition = partition(i);
      try (KafkaTurnLog log = own(partition.topic(), partition.partition());
          MigrationEntries entries = entries(i)) {
        MigrationLog.compare(consumer, partition, entries);
        MigrationLog.append(log, entries, steps::add);
      }
      steps.part();
    }
    return steps;
  }

  private Steps compare(KafkaConsumer<byte[], byte[]> consumer) {
    Steps steps = new Steps("compared");
    for (int i = 0; i <= shards; i++) {
      TopicPartition partition = partition(i);
      // Readers see a batch a moment after it was appended; a new owner is one once they do.
      own(partition.topic(), partition.partition()).close();
      try (MigrationEntries entries = entries(i)) {
        MigrationLog.compare(consumer, partition, entries);
        long records = entries.count();
        long bytes = entries.bytes();
        if (entries.next()) {
          throw new ClusterException(
              String.format(
                  Locale.ROOT,
                  "%s has %d records, and data folder %s has more",
                  partition,
                  records,
                  store.folder()),
              null);
        }
        steps.add(records, bytes);
      }
      steps.part();
    }
    return steps;
  }

  /** The partition of a shard; of the catalog behind the last one. */
  private TopicPartition partition(int part) {
    return part < shards
        ? new TopicPartition(topics.shards(), part)
        : new TopicPartition(topics.catalog(), 0);
  }

  private MigrationEntries entries(int part) {
    return part < shards
        ? MigrationEntries.ofShard(store, part)
        : MigrationEntries.ofAllElse(store, shards);
  }

  private KafkaTurnLog own(String topic, int partition) {
    return KafkaTurnLog.own(clients, topic, partition, LEASE, clock, null);
  }

  /** A step over all shards and the catalog. */
  private final class Steps {
    private final String name;
    private final long beganNanos = System.nanoTime();
    private int parts;
    private long records;
    private long bytes;
    private long endedNanos;

    Steps(String name) {
      this.name = name;
    }

    void add(long moreRecords, long moreBytes) {
      records += moreRecords;
      bytes += moreBytes;
      tell();
    }

    void part() {
      parts++;
      endedNanos = System.nanoTime();
      tell();
    }

    private void tell() {
      progress.at(name, parts, shards + 1, bytes);
    }

    Duration time() {
      return Duration.ofNanos(endedNanos - beganNanos);
    }
  }

  private Report report(
      FolderMarks.Cluster into, @Nullable Steps copied, @Nullable Steps compared) {
    Catalog catalog = new Catalog(store.view(0));
    Ledger ledger = Ledger.EMPTY;
    for (int i = 0; i < shards; i++) {
      DeliveryReader.Ledgers ledgers = new ShardReader(store.view(1 + i)).allLedgers();
      ledger = ledger.plus(ledgers.closed());
      for (Ledger each : ledgers.open().values()) {
        ledger = ledger.plus(each);
      }
    }
    return new Report(
        into,
        compared == null,
        shards,
        List.copyOf(catalog.topics()).size(),
        catalog.subscriptions().size(),
        ledger,
        compared == null ? 0 : compared.records,
        compared == null ? 0 : compared.bytes,
        copied == null ? 0 : copied.bytes,
        copied == null ? Duration.ZERO : copied.time(),
        compared == null ? Duration.ZERO : compared.time(),
        catalog.missingKeys(SecretKeys.NONE));
  }
}
