package dev.reprise.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** The four topics of a cluster: how they are made, and which settings of them it relies on. */
final class Topics {
  /** The most shards that a cluster is made with. */
  static final int MAX_SHARDS = 1024;

  /**
   * A message of the greatest size, with some subscriptions: a smaller limit would stop a shard.
   */
  private static final int MIN_MESSAGE_BYTES = 1_000_000;

  private static final int MAX_EVENT_PARTITIONS = 16;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final Duration KNOWN_LIMIT = Duration.ofMinutes(2);
  private static final Duration WHOLE_LIMIT = Duration.ofSeconds(30);

  private static final String PARTITIONS = "partitions";
  private static final String COMPACT = TopicConfig.CLEANUP_POLICY_COMPACT;
  private static final String APPEND_TIME = "LogAppendTime";

  private final Duration wholeLimit;
  private final String in;
  private final String shards;
  private final String catalog;
  private final String events;

  Topics(String prefix) {
    this(prefix, WHOLE_LIMIT);
  }

  /** The same, waiting no longer for a topic that another node makes. */
  Topics(String prefix, Duration wholeLimit) {
    this.wholeLimit = wholeLimit;
    in = prefix + ".in";
    shards = prefix + ".shards";
    catalog = prefix + ".catalog";
    events = prefix + ".events";
  }

  /** Returns the name of the topic that every request to a shard goes through, a partition each. */
  String in() {
    return in;
  }

  /** Returns the name of the topic that holds the state of the shards, a partition each. */
  String shards() {
    return shards;
  }

  /** Returns the name of the topic of one partition that holds what all shards share. */
  String catalog() {
    return catalog;
  }

  /** Returns the name of the topic of what happened, for whoever reads along. */
  String events() {
    return events;
  }

  /**
   * Makes the topics that are missing, and returns when each partition of the four has a leader.
   * Other nodes may do the same at the same time.
   *
   * @param wantedShards how many shards a new cluster has, 1 to 1024; an existing one keeps its own
   *     number
   * @param replication how many brokers hold each topic that is made
   * @return the number of shards, which is fixed for ever
   * @throws ClusterException if a topic that exists has a setting that a cluster cannot work with;
   *     nothing was changed. Also if Kafka refuses or does not answer
   */
  int ensure(Admin admin, int wantedShards, short replication) throws InterruptedException {
    Map<String, TopicDescription> first = describe(admin, names());
    check(first, settings(admin, first));
    Map<String, TopicDescription> found = awaitWhole(admin, first);
    // One topic decides the number: of two nodes that want different ones, the first one wins.
    if (!found.containsKey(shards)) {
      int number = number(found, wantedShards);
      create(admin, List.of(compacted(shards, number, replication, APPEND_TIME)));
    }
    TopicDescription made = awaitLeaders(admin, List.of(shards)).get(shards);
    int number = Objects.requireNonNull(made).partitions().size();
    List<NewTopic> missing = new ArrayList<>();
    if (!found.containsKey(in)) {
      missing.add(deleted(in, number, replication, APPEND_TIME));
    }
    if (!found.containsKey(catalog)) {
      missing.add(compacted(catalog, 1, replication, APPEND_TIME));
    }
    if (!found.containsKey(events)) {
      int partitions = Math.min(number, MAX_EVENT_PARTITIONS);
      missing.add(deleted(events, partitions, replication, "CreateTime"));
    }
    create(admin, missing);
    Map<String, TopicDescription> all = awaitLeaders(admin, names());
    if (!found.keySet().containsAll(names())) {
      // Another node may have made one of them, with other settings than this one makes.
      check(all, settings(admin, all));
    }
    return number;
  }

  /**
   * Returns the topics once both of those are there that belong together, or none, or one that has
   * had no records yet: another node is making the rest, or has ended before it did. A topic that
   * has gone had deliveries, or places in the topic of intake that belong to them.
   */
  private Map<String, TopicDescription> awaitWhole(Admin admin, Map<String, TopicDescription> first)
      throws InterruptedException {
    Map<String, TopicDescription> found = first;
    long limit = System.nanoTime() + wholeLimit.toNanos();
    while (true) {
      TopicDescription ofShards = found.get(shards);
      boolean hasIntake = found.containsKey(in);
      if (hasIntake == (ofShards != null) || (ofShards != null && isEmpty(admin, ofShards))) {
        return found;
      }
      if (System.nanoTime() - limit > 0) {
        throw new ClusterException(
            "topic %s: is missing, and topic %s is there: restore it, or delete all topics of the cluster"
                .formatted(hasIntake ? shards : in, hasIntake ? in : shards),
            null);
      }
      TimeUnit.MILLISECONDS.sleep(50);
      found = describe(admin, names());
    }
  }

  /** Tells whether a topic has never had a record, as far as its brokers answer. */
  private static boolean isEmpty(Admin admin, TopicDescription topic) throws InterruptedException {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (TopicPartitionInfo each : topic.partitions()) {
      ends.put(new TopicPartition(topic.name(), each.partition()), OffsetSpec.latest());
    }
    try {
      return admin.listOffsets(ends).all().get().values().stream()
          .allMatch(end -> end.offset() == 0);
    } catch (ExecutionException e) {
      return false;
    }
  }

  /**
   * Returns how many shards the cluster has that is there; 0 if there is none. Changes nothing.
   *
   * @throws ClusterException if Kafka refuses or does not answer
   */
  int existing(Admin admin) throws InterruptedException {
    TopicDescription found = describe(admin, List.of(shards)).get(shards);
    return found == null ? 0 : found.partitions().size();
  }

  /**
   * Returns an id that the topics have for as long as they are there: if they are deleted and made
   * again, they have another one.
   */
  String id(Admin admin) throws InterruptedException {
    TopicDescription found = describe(admin, List.of(shards)).get(shards);
    if (found == null) {
      throw new ClusterException("topic " + shards + ": was deleted a moment ago", null);
    }
    return found.topicId().toString();
  }

  /**
   * Returns the id that the brokers have given themselves.
   *
   * @throws ClusterException if none of them answers
   */
  static String brokersId(Admin admin) throws InterruptedException {
    try {
      DescribeClusterOptions options =
          new DescribeClusterOptions().timeoutMs(Math.toIntExact(ANSWER_LIMIT.toMillis()));
      return admin.describeCluster(options).clusterId().get();
    } catch (ExecutionException e) {
      @Nullable Throwable cause = e.getCause();
      if (cause instanceof TimeoutException) {
        throw new ClusterException(
            "none of the brokers has answered within %d s".formatted(ANSWER_LIMIT.toSeconds()),
            cause);
      }
      throw new ClusterException("the brokers: " + cause, cause);
    }
  }

  /** Returns for how long what was deleted can still be seen to be deleted in the shards' topic. */
  Duration deleteRetention(Admin admin) throws InterruptedException {
    ConfigResource resource = resource(shards);
    @Nullable Config config;
    try {
      config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    } catch (ExecutionException e) {
      throw refused(shards, e);
    }
    String setting = TopicConfig.DELETE_RETENTION_MS_CONFIG;
    String value = config == null ? null : value(config, setting);
    if (value == null) {
      throw ClusterException.setting(shards, setting, null, "known");
    }
    return Duration.ofMillis(Long.parseLong(value));
  }

  /** Returns the names of all of them. */
  List<String> names() {
    return List.of(in, shards, catalog, events);
  }

  private int number(Map<String, TopicDescription> found, int wantedShards) {
    TopicDescription existing = found.get(in);
    if (existing != null) {
      return existing.partitions().size();
    }
    if (wantedShards < 1 || wantedShards > MAX_SHARDS) {
      throw ClusterException.setting(shards, PARTITIONS, wantedShards, "1 to " + MAX_SHARDS);
    }
    return wantedShards;
  }

  private static NewTopic compacted(
      String name, int partitions, short replication, String timestamps) {
    Map<String, String> settings = common(replication, timestamps);
    settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, COMPACT);
    settings.put(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1");
    settings.put(TopicConfig.DELETE_RETENTION_MS_CONFIG, millis(Duration.ofDays(1)));
    // The segment that is written to is never compacted: a node that starts reads all of it.
    settings.put(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(64 << 20));
    settings.put(TopicConfig.SEGMENT_MS_CONFIG, millis(Duration.ofDays(1)));
    settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(4 << 20));
    return new NewTopic(name, partitions, replication).configs(settings);
  }

  private NewTopic deleted(String name, int partitions, short replication, String timestamps) {
    Map<String, String> settings = common(replication, timestamps);
    settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    settings.put(TopicConfig.RETENTION_MS_CONFIG, millis(Duration.ofDays(7)));
    if (name.equals(in)) {
      settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(4 << 20));
    }
    return new NewTopic(name, partitions, replication).configs(settings);
  }

  private static Map<String, String> common(short replication, String timestamps) {
    Map<String, String> settings = new HashMap<>();
    settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, timestamps);
    settings.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, replication >= 3 ? "2" : "1");
    settings.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
    return settings;
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  private static void create(Admin admin, List<NewTopic> topics) throws InterruptedException {
    for (Map.Entry<String, KafkaFuture<Void>> each :
        admin.createTopics(topics).values().entrySet()) {
      try {
        each.getValue().get();
      } catch (ExecutionException e) {
        // Another node was faster.
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw refused(each.getKey(), e);
        }
      }
    }
  }

  /** Returns those that exist. */
  private static Map<String, TopicDescription> describe(Admin admin, List<String> names)
      throws InterruptedException {
    Map<String, TopicDescription> found = new HashMap<>();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> each :
        admin.describeTopics(names).topicNameValues().entrySet()) {
      try {
        found.put(each.getKey(), each.getValue().get());
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw refused(each.getKey(), e);
        }
      }
    }
    return found;
  }

  /** Looks again and again: a broker may hear of a topic a while after it was made. */
  private static Map<String, TopicDescription> awaitLeaders(Admin admin, List<String> names)
      throws InterruptedException {
    long limit = System.nanoTime() + KNOWN_LIMIT.toNanos();
    while (true) {
      Map<String, TopicDescription> found = describe(admin, names);
      List<String> waiting = new ArrayList<>(names);
      waiting.removeIf(name -> isLed(found.get(name)));
      if (waiting.isEmpty()) {
        return found;
      }
      if (System.nanoTime() - limit > 0) {
        throw new ClusterException(
            "topic %s: a partition has no leader for %d s"
                .formatted(waiting.get(0), KNOWN_LIMIT.toSeconds()),
            null);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static boolean isLed(@Nullable TopicDescription topic) {
    if (topic == null) {
      return false;
    }
    return topic.partitions().stream().map(TopicPartitionInfo::leader).allMatch(Topics::isNode);
  }

  private static boolean isNode(@Nullable Node node) {
    return node != null && !node.isEmpty();
  }

  /** Asks again as well: the broker that answers need not be the one that knew the topics. */
  private static Map<String, Config> settings(Admin admin, Map<String, TopicDescription> topics)
      throws InterruptedException {
    List<ConfigResource> resources = topics.keySet().stream().map(Topics::resource).toList();
    long limit = System.nanoTime() + KNOWN_LIMIT.toNanos();
    while (true) {
      Map<String, Config> found = new HashMap<>();
      for (Map.Entry<ConfigResource, KafkaFuture<Config>> each :
          admin.describeConfigs(resources).values().entrySet()) {
        String topic = each.getKey().name();
        try {
          found.put(topic, each.getValue().get());
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
              || System.nanoTime() - limit > 0) {
            throw refused(topic, e);
          }
        }
      }
      if (found.size() == resources.size()) {
        return found;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private void check(Map<String, TopicDescription> topics, Map<String, Config> settings) {
    checkPartitions(topics);
    topics.forEach(
        (name, description) -> {
          Config config = Objects.requireNonNull(settings.get(name));
          if (name.equals(shards) || name.equals(catalog)) {
            require(name, config, TopicConfig.CLEANUP_POLICY_CONFIG, COMPACT::equals, COMPACT);
          } else {
            require(
                name,
                config,
                TopicConfig.CLEANUP_POLICY_CONFIG,
                value -> !value.contains(COMPACT),
                "without compact");
          }
          if (!name.equals(events)) {
            require(
                name,
                config,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                APPEND_TIME::equals,
                APPEND_TIME);
            require(
                name,
                config,
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                value -> Integer.parseInt(value) >= MIN_MESSAGE_BYTES,
                MIN_MESSAGE_BYTES + " or more");
          }
          if (replication(description) >= 3) {
            require(
                name,
                config,
                TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
                value -> Integer.parseInt(value) >= 2,
                "2 or more with 3 replicas or more");
          }
          require(
              name,
              config,
              TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
              "false"::equals,
              "false");
        });
  }

  private void checkPartitions(Map<String, TopicDescription> topics) {
    TopicDescription first = topics.get(in);
    TopicDescription second = topics.get(shards);
    if (first != null && second != null) {
      int number = second.partitions().size();
      if (first.partitions().size() != number) {
        throw ClusterException.setting(
            in,
            PARTITIONS,
            first.partitions().size(),
            "%d, as many as topic %s has".formatted(number, shards));
      }
    }
    TopicDescription third = topics.get(catalog);
    if (third != null && third.partitions().size() != 1) {
      throw ClusterException.setting(catalog, PARTITIONS, third.partitions().size(), "1");
    }
  }

  private static int replication(TopicDescription topic) {
    return topic.partitions().stream().mapToInt(each -> each.replicas().size()).max().orElse(0);
  }

  private static void require(
      String topic, Config config, String setting, Predicate<String> allowed, String rule) {
    String value = value(config, setting);
    if (value == null || !allowed.test(value)) {
      throw ClusterException.setting(topic, setting, value, rule);
    }
  }

  private static @Nullable String value(Config config, String setting) {
    @Nullable ConfigEntry entry = config.get(setting);
    return entry == null ? null : entry.value();
  }

  private static ClusterException refused(String topic, ExecutionException thrown) {
    @Nullable Throwable cause = thrown.getCause();
    String reason = cause == null ? thrown.toString() : cause.toString();
    return new ClusterException("topic " + topic + ": " + reason, cause);
  }
}
