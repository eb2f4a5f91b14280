package dev.reprise.cluster.log;

import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.TopicIds;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The topics that are known of a cluster, such as in a node's folder. What is known must be there:
 * a topic that is missing, or was made anew, is never filled again as if there had been nothing.
 *
 * @param ids the ids that are known
 * @param by where they are known, for the operator
 * @param lineage reads which topics were restored; asked only if an id differs
 */
public record KnownTopics(TopicIds ids, String by, Supplier<TopicLineage> lineage) {
  /** None is known. */
  public static final KnownTopics NONE =
      new KnownTopics(TopicIds.NONE, "", () -> TopicLineage.NONE);

  /**
   * Compares them with those that are there.
   *
   * @return why they are not the same, with the way back; null if they are, or were restored
   */
  public @Nullable String difference(TopicIds now, String prefix) {
    // What is missing first: the lineage is in a topic as well.
    String missing = missing(now, prefix);
    if (missing != null) {
      return missing;
    }
    for (ClusterTopic topic : ClusterTopic.values()) {
      @Nullable Uuid before = ids.of(topic);
      @Nullable Uuid there = now.of(topic);
      if (before != null
          && there != null
          && !before.equals(there)
          && !lineage.get().accepts(topic, before, there)) {
        return "topic %s: was made anew: its id is %s, and %s knows it with the id %s.%s"
            .formatted(topic.name(prefix), there, by, before, wayBack(topic));
      }
    }
    return null;
  }

  /** Returns that a topic is missing, with the way back; null if all of them are there. */
  @Nullable String missing(TopicIds now, String prefix) {
    if (now.ids().isEmpty() && !ids.ids().isEmpty()) {
      return ("topics of cluster '%s': all are missing, and %s has copies from them. Bring them"
              + " back from a backup of the brokers. If they were deleted on purpose, empty the"
              + " folder, or choose another with --data")
          .formatted(prefix, by);
    }
    for (ClusterTopic topic : ClusterTopic.values()) {
      if (ids.of(topic) != null && now.of(topic) == null) {
        return "topic %s: is missing, and %s knows it.%s"
            .formatted(topic.name(prefix), by, wayBack(topic));
      }
    }
    return null;
  }

  /** Returns whether a topic has another id than the known one. */
  public boolean isReplaced(ClusterTopic topic, TopicIds now) {
    @Nullable Uuid before = ids.of(topic);
    return before != null && !Objects.equals(before, now.of(topic));
  }

  /** Returns how a topic is restored, to follow a full stop. */
  public static String wayBack(ClusterTopic topic) {
    String stop = " Nothing was made or cleared. Stop all nodes, and ";
    return switch (topic) {
      case CATALOG ->
          stop
              + "restore it from a node's folder: ./reprise cluster restore-topic catalog --data"
              + " FOLDER --cluster BROKERS";
      case SHARDS ->
          stop
              + "restore it from the folders of all nodes: ./reprise cluster restore-topic shards"
              + " --data FOLDER --data FOLDER --cluster BROKERS";
      default ->
          stop
              + "bring the topic back from a backup of the brokers, or give up what was in it:"
              + " ./reprise cluster restore-topic %s --accept-loss --data FOLDER --cluster BROKERS"
                  .formatted(topic.suffix());
    };
  }
}
