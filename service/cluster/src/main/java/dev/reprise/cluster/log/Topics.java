package dev.reprise.cluster.log;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The topics of a cluster: their names, how they are made, and that they are whole. */
public final class Topics {
  private static final Logger LOG = LoggerFactory.getLogger(Topics.class);

  /** The most shards that a cluster is made with. */
  static final int MAX_SHARDS = 1024;

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final Duration WHOLE_LIMIT = Duration.ofSeconds(30);
  private static final String PARTITIONS = "partitions";

  private final String prefix;
  private final Duration wholeLimit;

  public Topics(String prefix) {
    this(prefix, WHOLE_LIMIT);
  }

  /** The same, waiting no longer for a topic that another node makes. */
  public Topics(String prefix, Duration wholeLimit) {
    this.prefix = prefix;
    this.wholeLimit = wholeLimit;
  }

  /** Returns the name of the topic that every request to a shard goes through, a partition each. */
  public String in() {
    return name(ClusterTopic.IN);
  }

  /** Returns the name of the topic that holds the state of the shards, a partition each. */
  public String shards() {
    return name(ClusterTopic.SHARDS);
  }

  /** Returns the name of the topic of one partition that holds what all shards share. */
  public String catalog() {
    return name(ClusterTopic.CATALOG);
  }

  /** Returns the name of the topic of events, which any consumer may read. */
  public String events() {
    return name(ClusterTopic.EVENTS);
  }

  /** Returns the name of the topic that applications publish to, a partition a shard. */
  public String open() {
    return name(ClusterTopic.OPEN);
  }

  /** Returns the name of the topic that is one of the logs from which shards take messages. */
  public String of(IntakeLog log) {
    return name(ClusterTopic.of(log));
  }

  /** Returns the name of a topic. */
  public String name(ClusterTopic topic) {
    return topic.name(prefix);
  }

  /** Returns the names of all of them. */
  public List<String> names() {
    return Arrays.stream(ClusterTopic.values()).map(this::name).toList();
  }

  /** The same without topics that must be there. */
  public int ensure(Admin admin, int wantedShards, short replication) throws InterruptedException {
    return ensure(admin, wantedShards, replication, KnownTopics.NONE);
  }

  /**
   * Makes the topics that are missing in a new cluster, and returns when each partition of all has
   * a leader. Other nodes may do the same at the same time.
   *
   * @param wantedShards how many shards a new cluster has, 1 to 1024; an existing one keeps its own
   *     number
   * @param replication how many brokers hold each topic that is made
   * @param known the topics that must be there
   * @return the number of shards, which is fixed for ever
   * @throws ClusterException if a topic that exists has a setting that a cluster cannot work with,
   *     or one is missing or was made anew that had records; nothing was changed. Also if Kafka
   *     refuses or does not answer
   */
  public int ensure(Admin admin, int wantedShards, short replication, KnownTopics known)
      throws InterruptedException {
    Map<ClusterTopic, TopicDescription> first = describe(admin);
    check(admin, first);
    Map<ClusterTopic, TopicDescription> found = awaitWhole(admin, first, known);
    String replaced = known.difference(ids(found), prefix);
    if (replaced != null) {
      throw new ClusterException(replaced, null);
    }
    // One topic decides the number: of two nodes that want different ones, the first one wins.
    if (!found.containsKey(ClusterTopic.SHARDS)) {
      make(admin, ClusterTopic.SHARDS, number(found, wantedShards), replication);
    }
    TopicDescription made =
        Objects.requireNonNull(
            TopicLook.awaitLeaders(admin, List.of(shards())).get(shards()), "awaited");
    int number = made.partitions().size();
    for (ClusterTopic each : ClusterTopic.values()) {
      if (each != ClusterTopic.SHARDS && !found.containsKey(each)) {
        make(admin, each, number, replication);
      }
    }
    Map<ClusterTopic, TopicDescription> all = byTopic(TopicLook.awaitLeaders(admin, names()));
    if (found.size() < all.size()) {
      // Another node may have made one of them, with other settings than this one makes.
      check(admin, all);
    }
    warnOfOneMemory(all);
    return number;
  }

  /** Makes a topic, unless it exists already. */
  public void make(Admin admin, ClusterTopic topic, int shards, short replication)
      throws InterruptedException {
    NewTopic made =
        new NewTopic(name(topic), topic.partitions(shards), replication)
            .configs(TopicRules.made(topic, replication));
    for (Map.Entry<String, KafkaFuture<Void>> each :
        admin.createTopics(List.of(made)).values().entrySet()) {
      try {
        each.getValue().get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw TopicLook.refused(each.getKey(), e);
        }
      }
    }
  }

  private void warnOfOneMemory(Map<ClusterTopic, TopicDescription> topics) {
    int replicas = TopicLook.replication(Objects.requireNonNull(topics.get(ClusterTopic.IN)));
    if (replicas == 2) {
      LOG.warn(
          "topic {} is on 2 brokers, and {} is 1: accepted means that one broker has a message in"
              + " its memory, and the loss of that one loses it. Have 3 brokers for a promise",
          in(),
          TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    }
  }

  // --- that none is missing ----------------------------------------------------------------

  /**
   * Returns the topics once none is missing that has had records: another node is making the rest,
   * or has ended before it did. One that has gone is not made as if nothing had been in it.
   */
  private Map<ClusterTopic, TopicDescription> awaitWhole(
      Admin admin, Map<ClusterTopic, TopicDescription> first, KnownTopics known)
      throws InterruptedException {
    Map<ClusterTopic, TopicDescription> found = first;
    Pauses pauses = Pauses.every(TopicLook.BETWEEN).within(wholeLimit);
    while (true) {
      String gone = known.missing(ids(found), prefix);
      if (gone != null) {
        throw new ClusterException(gone, null);
      }
      String missing = missing(admin, found);
      if (missing == null) {
        return found;
      }
      if (!pauses.next()) {
        throw new ClusterException(missing, null);
      }
      found = describe(admin);
    }
  }

  private @Nullable String missing(Admin admin, Map<ClusterTopic, TopicDescription> found)
      throws InterruptedException {
    for (ClusterTopic each : ClusterTopic.OF_EVERY_CLUSTER) {
      String user = found.containsKey(each) ? null : user(admin, each, found);
      if (user != null) {
        return "topic %s: is missing, and topic %s has records.%s"
            .formatted(name(each), user, KnownTopics.wayBack(each));
      }
    }
    return null;
  }

  /** Returns the name of a topic whose records need the missing one; null if there is none. */
  private @Nullable String user(
      Admin admin, ClusterTopic missing, Map<ClusterTopic, TopicDescription> found)
      throws InterruptedException {
    for (ClusterTopic each : List.of(ClusterTopic.SHARDS, ClusterTopic.IN, ClusterTopic.CATALOG)) {
      TopicDescription there = found.get(each);
      // What came in before a cluster was made is no sign of one, unless its shards have gone.
      boolean counts = each != ClusterTopic.IN || missing == ClusterTopic.SHARDS;
      if (there != null && counts && !TopicLook.isEmpty(admin, there)) {
        return name(each);
      }
    }
    return null;
  }

  /**
   * Returns how many shards the cluster has that is there; 0 if there is none. Changes nothing.
   *
   * @throws ClusterException if Kafka refuses or does not answer
   */
  public int existing(Admin admin) throws InterruptedException {
    TopicDescription found = TopicLook.describe(admin, List.of(shards())).get(shards());
    return found == null ? 0 : found.partitions().size();
  }

  /** Returns the ids of the topics that are there now. */
  public TopicIds ids(Admin admin) throws InterruptedException {
    return ids(describe(admin));
  }

  /** Returns the ids of topics. */
  public static TopicIds ids(Map<ClusterTopic, TopicDescription> found) {
    Map<ClusterTopic, Uuid> ids = new EnumMap<>(ClusterTopic.class);
    found.forEach((topic, description) -> ids.put(topic, description.topicId()));
    return new TopicIds(ids);
  }

  /**
   * Returns the id that the brokers have given themselves.
   *
   * @throws ClusterException if none of them answers
   */
  public static String brokersId(Admin admin) throws InterruptedException {
    try {
      DescribeClusterOptions options =
          new DescribeClusterOptions().timeoutMs(Math.toIntExact(ANSWER_LIMIT.toMillis()));
      return admin.describeCluster(options).clusterId().get();
    } catch (ExecutionException e) {
      @Nullable Throwable cause = e.getCause();
      if (cause instanceof TimeoutException) {
        throw new ClusterException(
            String.format(
                Locale.ROOT,
                "none of the brokers has answered within %d s",
                ANSWER_LIMIT.toSeconds()),
            cause);
      }
      throw new ClusterException("the brokers: " + cause, cause);
    }
  }

  private int number(Map<ClusterTopic, TopicDescription> found, int wantedShards) {
    TopicDescription existing = found.get(ClusterTopic.IN);
    if (existing != null) {
      return existing.partitions().size();
    }
    if (wantedShards < 1 || wantedShards > MAX_SHARDS) {
      throw ClusterException.setting(shards(), PARTITIONS, wantedShards, "1 to " + MAX_SHARDS);
    }
    return wantedShards;
  }

  /** Returns those that exist. */
  public Map<ClusterTopic, TopicDescription> describe(Admin admin) throws InterruptedException {
    return byTopic(TopicLook.describe(admin, names()));
  }

  private Map<ClusterTopic, TopicDescription> byTopic(Map<String, TopicDescription> byName) {
    Map<ClusterTopic, TopicDescription> found = new EnumMap<>(ClusterTopic.class);
    for (ClusterTopic each : ClusterTopic.values()) {
      TopicDescription there = byName.get(name(each));
      if (there != null) {
        found.put(each, there);
      }
    }
    return found;
  }

  // --- settings ----------------------------------------------------------------------------

  /** Refuses topics whose numbers of partitions or settings endanger data. */
  private void check(Admin admin, Map<ClusterTopic, TopicDescription> topics)
      throws InterruptedException {
    checkPartitions(topics);
    List<TopicRules.Breach> breaches =
        breaches(
            topics, TopicLook.settings(admin, topics.keySet().stream().map(this::name).toList()));
    if (!breaches.isEmpty()) {
      throw new ClusterException(breaches.get(0).message(), null);
    }
  }

  /** Returns which settings of topics endanger data. */
  public List<TopicRules.Breach> breaches(
      Map<ClusterTopic, TopicDescription> topics, Map<String, TopicRules.Settings> settings) {
    List<TopicRules.Breach> all = new ArrayList<>();
    topics.forEach(
        (topic, description) ->
            all.addAll(
                TopicRules.breaches(
                    topic,
                    name(topic),
                    TopicLook.replication(description),
                    Objects.requireNonNull(settings.get(name(topic))))));
    return all;
  }

  private void checkPartitions(Map<ClusterTopic, TopicDescription> topics) {
    TopicDescription ofShards = topics.get(ClusterTopic.SHARDS);
    for (ClusterTopic each : List.of(ClusterTopic.IN, ClusterTopic.OPEN)) {
      TopicDescription even = topics.get(each);
      if (even != null
          && ofShards != null
          && even.partitions().size() != ofShards.partitions().size()) {
        throw ClusterException.setting(
            name(each),
            PARTITIONS,
            even.partitions().size(),
            String.format(
                Locale.ROOT,
                "%d, as many as topic %s has",
                ofShards.partitions().size(),
                shards()));
      }
    }
    TopicDescription third = topics.get(ClusterTopic.CATALOG);
    if (third != null && third.partitions().size() != 1) {
      throw ClusterException.setting(catalog(), PARTITIONS, third.partitions().size(), "1");
    }
  }
}
