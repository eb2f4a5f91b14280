package dev.reprise.cluster.log;

import static dev.reprise.cluster.base.ClusterTopic.CATALOG;
import static dev.reprise.cluster.base.ClusterTopic.EVENTS;
import static dev.reprise.cluster.base.ClusterTopic.IN;
import static dev.reprise.cluster.base.ClusterTopic.OPEN;
import static dev.reprise.cluster.base.ClusterTopic.SHARDS;

import dev.reprise.cluster.base.ClusterTopic;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/** The settings that topics are made with, and those without which data is in danger: a table. */
public final class TopicRules {
  /**
   * A message of the greatest size, with some subscriptions: a smaller limit would stop a shard.
   */
  private static final long MIN_MESSAGE_BYTES = 1_000_000;

  /** The least time that an accepted message waits for a shard that has no owner. */
  private static final long MIN_INTAKE_MILLIS = Duration.ofDays(1).toMillis();

  /** A copy may be half as old before it is made anew. */
  private static final long MIN_DELETIONS_MILLIS = Duration.ofHours(1).toMillis();

  private static final String APPEND_TIME = "LogAppendTime";
  private static final String NONE = "-1";

  private static final Set<ClusterTopic> ALL = EnumSet.allOf(ClusterTopic.class);
  private static final Set<ClusterTopic> STATE = EnumSet.of(SHARDS, CATALOG);
  private static final Set<ClusterTopic> STREAMS =
      EnumSet.complementOf(EnumSet.of(SHARDS, CATALOG));

  /** They have what was accepted and not taken in yet. */
  private static final Set<ClusterTopic> INTAKE = EnumSet.of(IN, OPEN);

  private static final Set<ClusterTopic> INTERNAL = EnumSet.complementOf(EnumSet.of(EVENTS));

  /** An operator may choose any value. */
  private static final Check FREE = new Check("any", (value, replicas) -> true);

  private static final List<Rule> TABLE =
      List.of(
          rule(STATE, TopicConfig.CLEANUP_POLICY_CONFIG, "compact", is("compact")),
          rule(
              STREAMS,
              TopicConfig.CLEANUP_POLICY_CONFIG,
              "delete",
              check("without compact", value -> !value.contains("compact"))),
          rule(INTERNAL, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, APPEND_TIME, is(APPEND_TIME)),
          rule(EnumSet.of(EVENTS), TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime", FREE),
          rule(
              INTERNAL,
              TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
              Integer.toString(4 << 20),
              atLeast(MIN_MESSAGE_BYTES, "")),
          new Rule(
              ALL,
              TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
              null,
              new Check(
                  "2 or more with 3 replicas or more",
                  (value, replicas) -> replicas < 3 || Long.parseLong(value) >= 2)),
          rule(ALL, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false", is("false")),
          // A broker may have a limit of its own, which deletes what no shard has taken in yet.
          rule(INTAKE, TopicConfig.RETENTION_BYTES_CONFIG, NONE, is(NONE)),
          rule(
              EnumSet.complementOf(EnumSet.of(IN, OPEN)),
              TopicConfig.RETENTION_BYTES_CONFIG,
              NONE,
              FREE),
          rule(
              INTAKE,
              TopicConfig.RETENTION_MS_CONFIG,
              millis(Duration.ofDays(7)),
              new Check(
                  MIN_INTAKE_MILLIS + " (1 day) or more, or -1",
                  (value, replicas) ->
                      value.equals(NONE) || Long.parseLong(value) >= MIN_INTAKE_MILLIS)),
          rule(
              EnumSet.of(EVENTS),
              TopicConfig.RETENTION_MS_CONFIG,
              millis(Duration.ofDays(7)),
              FREE),
          rule(
              STATE,
              TopicConfig.DELETE_RETENTION_MS_CONFIG,
              millis(Duration.ofDays(1)),
              atLeast(MIN_DELETIONS_MILLIS, " (1 hour)")),
          rule(STATE, TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1", FREE),
          // The segment that is written to is never compacted: a node that starts reads all of it.
          rule(STATE, TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(64 << 20), FREE),
          rule(STATE, TopicConfig.SEGMENT_MS_CONFIG, millis(Duration.ofDays(1)), FREE));

  private TopicRules() {}

  /** The effective settings of a topic. */
  interface Settings {
    /** Returns the effective value; null if it is not known. */
    @Nullable String value(String setting);
  }

  /**
   * Whether a value, of a topic with a number of replicas, is allowed; in words for an operator.
   */
  private record Check(String rule, BiPredicate<String, Integer> allows) {}

  /** A setting of topics; {@code made} is null where it follows from the number of replicas. */
  private record Rule(
      Set<ClusterTopic> topics, String setting, @Nullable String made, Check check) {
    String made(int replicas) {
      return made != null ? made : replicas >= 3 ? "2" : "1";
    }
  }

  /**
   * A setting that endangers data.
   *
   * @param value null if the brokers do not return it
   * @param mended a value that is allowed
   */
  public record Breach(
      String topic, String setting, @Nullable String value, String rule, String mended) {
    /** Returns what is wrong, and the command that corrects it. */
    public String message() {
      return ("topic %s: %s is %s, and must be %s. Mend it with: kafka-configs.sh"
              + " --bootstrap-server BROKERS --alter --entity-type topics --entity-name %s"
              + " --add-config %s=%s")
          .formatted(topic, setting, value, rule, topic, setting, mended);
    }
  }

  private static Rule rule(Set<ClusterTopic> topics, String setting, String made, Check check) {
    return new Rule(topics, setting, made, check);
  }

  private static Check is(String wanted) {
    return check(wanted, wanted::equals);
  }

  private static Check atLeast(long least, String inWords) {
    return check(least + inWords + " or more", value -> Long.parseLong(value) >= least);
  }

  private static Check check(String rule, Predicate<String> allows) {
    return new Check(rule, (value, replicas) -> allows.test(value));
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  /** Returns the settings that a topic is made with. */
  static Map<String, String> made(ClusterTopic topic, int replicas) {
    Map<String, String> settings = new HashMap<>();
    for (Rule each : TABLE) {
      if (each.topics().contains(topic)) {
        settings.put(each.setting(), each.made(replicas));
      }
    }
    return settings;
  }

  /** Returns the names of all settings in the table. */
  static Set<String> settings() {
    return TABLE.stream().map(Rule::setting).collect(Collectors.toSet());
  }

  /** Returns the rule of a setting of a topic, in words; "any" if there is none. */
  static String rule(ClusterTopic topic, String setting) {
    return TABLE.stream()
        .filter(each -> each.topics().contains(topic) && each.setting().equals(setting))
        .map(each -> each.check().rule())
        .findFirst()
        .orElse(FREE.rule());
  }

  /** Returns what is wrong with a topic, in the order of the table. */
  static List<Breach> breaches(ClusterTopic topic, String name, int replicas, Settings settings) {
    return TABLE.stream()
        .filter(each -> each.topics().contains(topic) && !each.check().equals(FREE))
        .filter(each -> !allowed(each, settings.value(each.setting()), replicas))
        .map(
            each ->
                new Breach(
                    name,
                    each.setting(),
                    settings.value(each.setting()),
                    each.check().rule(),
                    each.made(replicas)))
        .toList();
  }

  private static boolean allowed(Rule rule, @Nullable String value, int replicas) {
    return value != null && rule.check().allows().test(value, replicas);
  }
}
