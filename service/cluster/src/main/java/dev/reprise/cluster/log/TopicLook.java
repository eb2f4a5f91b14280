package dev.reprise.cluster.log;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks brokers for topics, without making any. */
public final class TopicLook {
  private static final Duration KNOWN_LIMIT = Duration.ofMinutes(2);

  /** Between two looks at topics that brokers do not know yet. */
  static final Duration BETWEEN = Duration.ofMillis(50);

  private TopicLook() {}

  /** Returns those that exist. */
  static Map<String, TopicDescription> describe(Admin admin, Collection<String> names)
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

  /** Looks again and again: a broker may learn of a topic a while after it was made. */
  public static Map<String, TopicDescription> awaitLeaders(Admin admin, Collection<String> names)
      throws InterruptedException {
    Pauses pauses = Pauses.every(BETWEEN).within(KNOWN_LIMIT);
    while (true) {
      Map<String, TopicDescription> found = describe(admin, names);
      List<String> waiting = new ArrayList<>(names);
      waiting.removeIf(name -> isLed(found.get(name)));
      if (waiting.isEmpty()) {
        return found;
      }
      if (!pauses.next()) {
        throw new ClusterException(
            String.format(
                Locale.ROOT,
                "topic %s: a partition has no leader for %d s",
                waiting.get(0),
                KNOWN_LIMIT.toSeconds()),
            null);
      }
    }
  }

  private static boolean isLed(@Nullable TopicDescription topic) {
    if (topic == null) {
      return false;
    }
    return topic.partitions().stream().map(TopicPartitionInfo::leader).allMatch(TopicLook::isNode);
  }

  private static boolean isNode(@Nullable Node node) {
    return node != null && !node.isEmpty();
  }

  /** Returns on how many brokers a topic is. */
  static int replication(TopicDescription topic) {
    return topic.partitions().stream().mapToInt(each -> each.replicas().size()).max().orElse(0);
  }

  /** Tells whether a topic has never had a record, as far as its brokers answer. */
  static boolean isEmpty(Admin admin, TopicDescription topic) throws InterruptedException {
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
   * Returns the effective settings of topics that exist. Asks again as well: the broker that
   * answers need not be the one that knew the topics.
   */
  public static Map<String, TopicRules.Settings> settings(Admin admin, Collection<String> names)
      throws InterruptedException {
    List<ConfigResource> resources =
        names.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    Pauses pauses = Pauses.every(BETWEEN).within(KNOWN_LIMIT);
    boolean isLast = false;
    while (true) {
      Map<String, TopicRules.Settings> found = new HashMap<>();
      for (Map.Entry<ConfigResource, KafkaFuture<Config>> each :
          admin.describeConfigs(resources).values().entrySet()) {
        String topic = each.getKey().name();
        try {
          Config config = each.getValue().get();
          found.put(topic, setting -> value(config, setting));
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || isLast) {
            throw refused(topic, e);
          }
        }
      }
      if (found.size() == resources.size()) {
        return found;
      }
      isLast = !pauses.next();
    }
  }

  private static @Nullable String value(Config config, String setting) {
    @Nullable ConfigEntry entry = config.get(setting);
    return entry == null ? null : entry.value();
  }

  /** Returns the exception for a failed request about a topic. */
  static ClusterException refused(String topic, ExecutionException thrown) {
    @Nullable Throwable cause = thrown.getCause();
    String reason = cause == null ? thrown.toString() : cause.toString();
    return new ClusterException("topic " + topic + ": " + reason, cause);
  }
}
