package dev.reprise.cluster.ownership;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.intake.IntakeRecord;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accepted records that are not taken are counted, and their age is the brokers'. */
@Tag("slow")
class StandingShardsTest {
  private static final Duration STANDS_AFTER = Duration.ofSeconds(2);
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private String prefix;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
  }

  @BeforeEach
  void newCluster() {
    prefix = "standing" + CLUSTERS.incrementAndGet();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private TestNode join(String name) {
    return join(name, System::currentTimeMillis);
  }

  private TestNode join(String name, LongSupplier wall) {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            name,
            folder.resolve(name),
            Duration.ofSeconds(1),
            STANDS_AFTER,
            wall,
            body -> TestNode.delivered());
    open.add(node);
    return node;
  }

  /** A node of all shards, with an endpoint in each. */
  private TestNode alone() {
    return alone(System::currentTimeMillis);
  }

  private TestNode alone(LongSupplier wall) {
    TestNode node = join("one", wall);
    Await.value("all shards", node::owned, owned -> owned == TestNode.SHARDS);
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://127.0.0.1:1/" + i));
    }
    return node;
  }

  private KafkaProducer<byte[], byte[]> application(String id) {
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap(), "transactional.id", prefix + id),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    open.add(0, producer);
    producer.initTransactions();
    return producer;
  }

  private RecordMetadata put(KafkaProducer<byte[], byte[]> producer, int shard)
      throws ExecutionException, InterruptedException {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(prefix + ".in", shard, null, "from outside".getBytes(UTF_8));
    record.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
    return producer.send(record).get();
  }

  private static ShardBacklog backlog(TestNode node, int shard) {
    return node.host().state().owned().stream()
        .filter(each -> each.shard() == shard)
        .map(NodeState.Owned::backlog)
        .findFirst()
        .orElseThrow();
  }

  private static ShardBacklog await(TestNode node, int shard, Predicate<ShardBacklog> wanted) {
    return Await.value("shard " + shard, () -> backlog(node, shard), wanted);
  }

  @Test
  void anOpenTransactionIsSeenToHoldUpItsShard() throws Exception {
    TestNode node = alone();
    KafkaProducer<byte[], byte[]> application = application("a");
    application.beginTransaction();
    RecordMetadata first = put(application, 3);
    for (int i = 0; i < 20; i++) {
      node.publish("orders", "{}");
    }
    node.host().lookAgain().toCompletableFuture().get(5, TimeUnit.MINUTES);
    assertThat(backlog(node, 3).notTaken()).isEqualTo(21);

    ShardBacklog stands = await(node, 3, each -> each.stands() && !each.atLeast());
    assertThat(stands.notTaken()).isEqualTo(21);
    assertThat(stands.oldestMillis()).isEqualTo(first.timestamp());
    assertThat(stands.atLeast()).isFalse();
    assertThat(stands.sinceMillis()).isEqualTo(first.timestamp());
    assertThat(stands.problem())
        .isEqualTo(
            "a transaction that is open in %s.in-3 at %s holds up what follows it"
                .formatted(prefix, first.offset()));
    await(node, 1, each -> each.notTaken() == 0 && each.problem() == null);

    application.commitTransaction();
    ShardBacklog after = await(node, 3, each -> each.notTaken() == 0);
    assertThat(after.stands()).isFalse();
    assertThat(after.problem()).isNull();
  }

  @Test
  void theAgeIsKnownAfterARestart() throws Exception {
    TestNode node = alone();
    KafkaProducer<byte[], byte[]> application = application("a");
    application.beginTransaction();
    RecordMetadata first = put(application, 2);
    await(node, 2, each -> each.notTaken() == 1);
    node.close();

    TestNode again = join("one");
    ShardBacklog stands =
        Await.value(
                "the shard stands",
                () -> again.host().state().owned(),
                owned ->
                    owned.stream()
                        .anyMatch(
                            each ->
                                each.shard() == 2
                                    && each.backlog().stands()
                                    && !each.backlog().atLeast()))
            .stream()
            .filter(each -> each.shard() == 2)
            .findFirst()
            .orElseThrow()
            .backlog();
    assertThat(stands.oldestMillis()).isEqualTo(first.timestamp());
    assertThat(stands.notTaken()).isEqualTo(1);
    application.abortTransaction();
    // Neither the aborted record nor the mark of its end is ever taken, nor waits.
    await(again, 2, each -> each.notTaken() == 0 && !each.stands());
    Await.value("all shards", again::owned, owned -> owned == TestNode.SHARDS);
  }

  @Test
  void whatWaitsForAShardThatNobodyOwnsIsCounted() {
    AtomicLong ahead = new AtomicLong();
    TestNode node = alone(() -> System.currentTimeMillis() + ahead.get());
    node.publish("orders", "{}");
    Await.value(
        "delivered", () -> node.engine.ledger().delivered(), count -> count == TestNode.SHARDS);
    // Its clock is wrong now, so it gives back what it owns.
    ahead.set(11_000);
    Await.value("nothing is owned", () -> node.host().state().owned(), List::isEmpty);
    for (int i = 0; i < 5; i++) {
      node.publish("orders", "{}");
    }
    List<NodeState.Unowned> unowned =
        Await.value(
            "all shards stand",
            () -> node.host().state().unowned(),
            all ->
                all.size() == TestNode.SHARDS
                    && all.stream()
                        .allMatch(each -> each.backlog().stands() && !each.backlog().atLeast()));
    assertThat(unowned)
        .allSatisfy(each -> assertThat(each.backlog().problem()).isEqualTo("no node owns it"));
    // Probes go to the first one.
    assertThat(unowned.subList(1, TestNode.SHARDS))
        .allSatisfy(each -> assertThat(each.backlog().notTaken()).isEqualTo(5));
    ahead.set(0);
    Await.value("delivered", () -> node.engine.ledger().delivered(), count -> count == 24);
    Await.value(
        "nothing waits",
        () -> node.host().state(),
        state ->
            state.unowned().isEmpty()
                && state.owned().stream().allMatch(each -> each.backlog().notTaken() == 0));
  }

  @Test
  void aRecordOfALaterProgramIsTheReason() throws Exception {
    TestNode node = alone();
    KafkaProducer<byte[], byte[]> application = application("a");
    application.beginTransaction();
    RecordMetadata later =
        application
            .send(
                new ProducerRecord<>(
                    prefix + ".in",
                    1,
                    null,
                    null,
                    new byte[] {2, 1, 2, 3},
                    List.of(new RecordHeader(IntakeRecord.NODE, new byte[] {2}))))
            .get();
    application.commitTransaction();
    ShardBacklog stands = await(node, 1, each -> each.stands() && !each.atLeast());
    assertThat(stands.oldestMillis()).isEqualTo(later.timestamp());
    assertThat(stands.problem())
        .startsWith(prefix + ".in-1 at " + later.offset() + " has version 2");
    assertThat(node.host().state().owned())
        .filteredOn(each -> each.backlog().problem() != null)
        .hasSize(1);
  }
}
