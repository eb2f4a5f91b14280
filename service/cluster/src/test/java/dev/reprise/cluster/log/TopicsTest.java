package dev.reprise.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The topics of a cluster, on a real broker; every test has a prefix of its own. */
@Tag("slow")
class TopicsTest {
  private static final short ONE = 1;
  private static final long LIMIT_SECONDS = 120;
  private static final Map<String, String> OF_SHARDS =
      Map.of("message.timestamp.type", "LogAppendTime", "cleanup.policy", "compact");

  private static Brokers brokers;
  private static Admin admin;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
    admin = admin();
  }

  @AfterAll
  static void closeAdmin() {
    if (admin != null) {
      admin.close(Duration.ZERO);
    }
  }

  @Test
  void createsTheTopicsWithTheirSettings() throws Exception {
    Topics topics = new Topics("made");

    assertThat(topics.ensure(admin, 20, ONE)).isEqualTo(20);

    assertThat(partitions("made"))
        .isEqualTo(
            Map.of(
                "made.in", 20,
                "made.open", 20,
                "made.shards", 20,
                "made.catalog", 1,
                "made.events", 16));
    assertThat(settings(topics.open()))
        .containsEntry("cleanup.policy", "delete")
        .containsEntry("retention.ms", "604800000")
        .containsEntry("message.timestamp.type", "LogAppendTime")
        .containsEntry("max.message.bytes", "4194304");
    assertThat(settings(topics.in()))
        .containsEntry("cleanup.policy", "delete")
        .containsEntry("retention.ms", "604800000")
        .containsEntry("retention.bytes", "-1")
        .containsEntry("message.timestamp.type", "LogAppendTime")
        .containsEntry("max.message.bytes", "4194304")
        .containsEntry("unclean.leader.election.enable", "false");
    assertThat(settings(topics.shards()))
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("message.timestamp.type", "LogAppendTime")
        .containsEntry("min.cleanable.dirty.ratio", "0.1")
        .containsEntry("delete.retention.ms", "86400000")
        .containsEntry("segment.bytes", "67108864")
        .containsEntry("max.message.bytes", "4194304");
    assertThat(settings(topics.catalog()))
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("max.message.bytes", "4194304");
    assertThat(settings(topics.events()))
        .containsEntry("cleanup.policy", "delete")
        .containsEntry("retention.ms", "604800000");
  }

  @Test
  void findsAgainWhateverNumberIsWanted() throws Exception {
    Topics topics = new Topics("again");
    topics.ensure(admin, 3, ONE);

    assertThat(topics.ensure(admin, 5, ONE)).isEqualTo(3);
    assertThat(new Topics("again").ensure(admin, 0, ONE)).isEqualTo(3);
    assertThat(partitions("again"))
        .isEqualTo(
            Map.of(
                "again.in",
                3,
                "again.open",
                3,
                "again.shards",
                3,
                "again.catalog",
                1,
                "again.events",
                3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"catalog", "events", "open"})
  void makesTheOneThatIsMissing(String missing) throws Exception {
    String prefix = "without-" + missing;
    Topics topics = new Topics(prefix);
    topics.ensure(admin, 3, ONE);
    Map<String, Integer> complete = partitions(prefix);
    delete(prefix + "." + missing);

    assertThat(topics.ensure(admin, 7, ONE)).isEqualTo(3);
    assertThat(partitions(prefix)).isEqualTo(complete);
  }

  @Test
  void nodesThatStartAtOnceAgreeOnTheNumber() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 5; round++) {
        String prefix = "race" + round;
        CyclicBarrier together = new CyclicBarrier(2);
        Future<Integer> one = nodes.submit(node(prefix, 2, together));
        Future<Integer> other = nodes.submit(node(prefix, 4, together));

        int number = one.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(other.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(number);
        assertThat(number).isIn(2, 4);
        assertThat(partitions(prefix))
            .containsEntry(prefix + ".in", number)
            .containsEntry(prefix + ".shards", number)
            .containsEntry(prefix + ".catalog", 1);
      }
    } finally {
      nodes.shutdownNow();
    }
  }

  @Test
  void aNodeThatEndedBeforeItMadeAllIsNoHindrance() throws Exception {
    make("begun.shards", 3, OF_SHARDS);

    assertThat(new Topics("begun").ensure(admin, 7, ONE)).isEqualTo(3);
    assertThat(partitions("begun"))
        .isEqualTo(
            Map.of(
                "begun.in",
                3,
                "begun.open",
                3,
                "begun.shards",
                3,
                "begun.catalog",
                1,
                "begun.events",
                3));
  }

  @Test
  void intakeThatHasGoneIsMissed() throws Exception {
    make("gone.shards", 2, OF_SHARDS);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>("gone.shards", 1, new byte[1], new byte[1])).get();
    }

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics("gone", Duration.ZERO).ensure(admin, 2, ONE))
        .withMessageStartingWith(
            "topic gone.in: is missing, and topic gone.shards has records. Nothing was made or"
                + " cleared.");
    assertThat(partitions("gone")).containsOnlyKeys("gone.shards");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1025})
  void numberOfShardsThatCannotBeIsRefused(int wanted) throws Exception {
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics("number").ensure(admin, wanted, ONE))
        .withMessage(
            "topic number.shards: partitions is %s, and must be 1 to 1024".formatted(wanted));
    assertThat(partitions("number")).isEmpty();
  }

  @Test
  void shardsAndRequestsOfDifferentNumbersAreRefused() throws Exception {
    make("uneven.in", 3, Map.of("message.timestamp.type", "LogAppendTime"));
    make("uneven.shards", 2, OF_SHARDS);

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics("uneven").ensure(admin, 2, ONE))
        .withMessage(
            "topic uneven.in: partitions is 3, and must be 2, as many as topic uneven.shards has");
    assertThat(partitions("uneven")).containsOnlyKeys("uneven.in", "uneven.shards");
  }

  @Test
  void catalogOfTwoPartitionsIsRefused() throws Exception {
    make("split.catalog", 2, Map.of("cleanup.policy", "compact"));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics("split").ensure(admin, 2, ONE))
        .withMessage("topic split.catalog: partitions is 2, and must be 1");
    assertThat(partitions("split")).containsOnlyKeys("split.catalog");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          in      | cleanup.policy                 | compact        | without compact
          in      | cleanup.policy                 | compact,delete | without compact
          in      | message.timestamp.type         | CreateTime     | LogAppendTime
          in      | unclean.leader.election.enable | true           | false
          in      | max.message.bytes              | 999999         | 1000000 or more
          in      | retention.bytes                | 1073741824     | -1
          in      | retention.ms                   | 86399999       | 86400000 (1 day) or more, or -1
          shards  | delete.retention.ms            | 3599999        | 3600000 (1 hour) or more
          catalog | delete.retention.ms            | 3599999        | 3600000 (1 hour) or more
          catalog | message.timestamp.type         | CreateTime     | LogAppendTime
          shards  | cleanup.policy                 | delete         | compact
          shards  | cleanup.policy                 | compact,delete | compact
          shards  | message.timestamp.type         | CreateTime     | LogAppendTime
          shards  | unclean.leader.election.enable | true           | false
          catalog | cleanup.policy                 | delete         | compact
          catalog | unclean.leader.election.enable | true           | false
          events  | cleanup.policy                 | compact        | without compact
          events  | unclean.leader.election.enable | true           | false
          """)
  void wrongSettingIsRefused(String topic, String setting, String value, String rule)
      throws Exception {
    String prefix = String.join("-", topic, setting, value.replace(',', '-'));
    String name = prefix + "." + topic;
    Map<String, String> right = new HashMap<>(Map.of("message.timestamp.type", "LogAppendTime"));
    if (topic.equals("shards") || topic.equals("catalog")) {
      right.put("cleanup.policy", "compact");
    }
    right.put(setting, value);
    make(name, 1, right);

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics(prefix).ensure(admin, 1, ONE))
        .withMessageStartingWith(
            "topic %s: %s is %s, and must be %s. Mend it with: kafka-configs.sh"
                .formatted(name, setting, value, rule));
    assertThat(partitions(prefix)).containsOnlyKeys(name);
    assertThat(settings(name)).containsAllEntriesOf(right);
  }

  @Test
  void topicThatKafkaRefusesIsNamed() throws Exception {
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> new Topics("copies").ensure(admin, 1, (short) 3))
        .withMessageContaining("topic copies.shards")
        .withMessageContaining("replication factor");
    assertThat(partitions("copies")).isEmpty();
  }

  private static Callable<Integer> node(String prefix, int wanted, CyclicBarrier together) {
    return () -> {
      try (Admin own = admin()) {
        own.describeCluster().nodes().get();
        together.await();
        return new Topics(prefix).ensure(own, wanted, ONE);
      }
    };
  }

  private static Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()));
  }

  private static void make(String name, int partitions, Map<String, String> settings)
      throws Exception {
    admin.createTopics(List.of(new NewTopic(name, partitions, ONE).configs(settings))).all().get();
    Await.until(name, () -> names().contains(name));
  }

  private static void delete(String name) throws Exception {
    admin.deleteTopics(List.of(name)).all().get();
    Await.until("the end of " + name, () -> !names().contains(name));
  }

  private static Collection<String> names() throws Exception {
    return admin.listTopics().names().get();
  }

  /** Returns the numbers of partitions of the topics of a prefix. */
  private static Map<String, Integer> partitions(String prefix) throws Exception {
    List<String> names =
        names().stream().filter(name -> name.startsWith(prefix + ".")).sorted().toList();
    Map<String, Integer> found = new HashMap<>();
    for (TopicDescription each : admin.describeTopics(names).allTopicNames().get().values()) {
      found.put(each.name(), each.partitions().size());
    }
    return found;
  }

  private static Map<String, String> settings(String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    Map<String, String> found = new HashMap<>();
    config.entries().forEach(entry -> found.put(entry.name(), entry.value()));
    return found;
  }
}
