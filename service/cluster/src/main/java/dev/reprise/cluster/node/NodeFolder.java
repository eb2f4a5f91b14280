package dev.reprise.cluster.node;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.cluster.log.KnownTopics;
import dev.reprise.cluster.log.ShardCopies;
import dev.reprise.cluster.log.TopicLineage;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.host.FolderMarks;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data folder of a node: it knows the topics that its copies are of. */
public final class NodeFolder {
  private static final Logger LOG = LoggerFactory.getLogger(NodeFolder.class);

  private final RocksStore store;
  private final KafkaClients clients;
  private final Topics topics;
  private final ClusterSettings settings;

  NodeFolder(RocksStore store, KafkaClients clients, Topics topics, ClusterSettings settings) {
    this.store = store;
    this.clients = clients;
    this.topics = topics;
    this.settings = settings;
  }

  /**
   * Makes sure of the topics, and takes the folder for the node.
   *
   * @param ofCatalog the copy of the catalog in the folder, which begins anew if the catalog's
   *     topic was restored since then, as those of the shards do
   * @return the number of shards
   * @throws ClusterException if a topic that the folder knows is missing or was made anew
   */
  int join(Admin admin, LogCopy ofCatalog) throws InterruptedException {
    FolderMarks.Cluster cluster =
        new FolderMarks.Cluster(Topics.brokersId(admin), settings.prefix());
    KnownTopics known =
        new KnownTopics(
            known(store.folder(), cluster), "data folder " + store.folder(), this::lineage);
    int shards = topics.ensure(admin, settings.shards(), settings.replication(), known);
    TopicIds now = topics.ids(admin);
    if (known.isReplaced(ClusterTopic.CATALOG, now)) {
      LOG.info("topic {} was restored: its copy here is made anew", topics.catalog());
      ofCatalog.beginAnew(Shard::isShortLived);
    }
    String copies = String.valueOf(Objects.requireNonNull(now.of(ClusterTopic.SHARDS)));
    if (known.isReplaced(ClusterTopic.SHARDS, now)
        && FolderMarks.requireNode(store.folder(), cluster).equals(settings.node())) {
      LOG.info("topic {} was restored: its copies here are made anew", topics.shards());
      ShardCopies all = new ShardCopies(store, shards);
      for (int shard = 0; shard < shards; shard++) {
        all.apply(shard).beginAnew(Shard::isShortLived);
      }
      FolderMarks.copiesAreOf(store.folder(), cluster, copies);
    }
    FolderMarks.join(store, cluster, settings.node(), copies, now.text());
    return shards;
  }

  /** Returns the topics that a folder knows; an older program has noted one of them. */
  public static TopicIds known(Path folder, FolderMarks.Cluster cluster) {
    @Nullable String all = FolderMarks.topics(folder, cluster);
    @Nullable String copies = FolderMarks.copies(folder, cluster);
    if (all == null || copies == null) {
      return TopicIds.NONE;
    }
    Map<ClusterTopic, Uuid> ids = new HashMap<>(TopicIds.parse(all).ids());
    ids.putIfAbsent(ClusterTopic.SHARDS, Uuid.fromString(copies));
    return new TopicIds(ids);
  }

  private TopicLineage lineage() {
    try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("lineage")) {
      return TopicLineage.in(consumer, new TopicPartition(topics.catalog(), 0));
    }
  }
}
