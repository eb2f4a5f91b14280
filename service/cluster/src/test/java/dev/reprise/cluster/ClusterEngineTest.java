package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.core.StopReason;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Engines of several nodes over one broker. */
@Tag("slow")
class ClusterEngineTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;

  @TempDir Path folder;
  private final List<Node> nodes = new ArrayList<>();
  private String prefix;

  /** How often each message has arrived, by its body. */
  private final Map<String, AtomicInteger> arrived = new ConcurrentHashMap<>();

  /** An engine, and the node that made each attempt. */
  private final class Node {
    final String name;
    final DeliveryEngine engine;
    volatile ClusterHost host;

    Node(String name) {
      this.name = name;
      EngineSettings settings =
          new EngineSettings(
              folder.resolve(name),
              1,
              ShardSettings.DEFAULT,
              RocksSettings.defaults().withReserveBytes(0).withoutSync(),
              Duration.ofSeconds(10));
      ClusterSettings cluster =
          new ClusterSettings(
              brokers.bootstrap(),
              prefix,
              name,
              "http://" + name,
              Map.of(),
              4,
              (short) 1,
              1,
              Duration.ofSeconds(6),
              Duration.ofSeconds(1));
      this.engine =
          DeliveryEngine.started(
              DataFolder.open(
                  settings,
                  store -> {
                    host = new ClusterHost(cluster, store);
                    return host;
                  }),
              this::attempt);
      nodes.add(this);
    }

    private void attempt(Attempt claim, Consumer<AttemptOutcome> done) {
      String body = new String(PayloadRecord.decode(claim.payload()).body(), UTF_8);
      arrived.computeIfAbsent(body, key -> new AtomicInteger()).incrementAndGet();
      done.accept(new AttemptOutcome(null, 200, "200", "192.0.2.1", new byte[0], 1_000_000));
    }

    int owned() {
      return engine.readersHere().size();
    }

    PublishReceipt publish(String body) {
      return publish(body, null).toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
    }

    CompletionStage<PublishReceipt> publish(String body, String key) {
      return engine.publish(
          "orders",
          new Payload("text/plain", new byte[0], body.getBytes(UTF_8)),
          JSON.createObjectNode(),
          key);
    }
  }

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
  }

  @BeforeEach
  void newCluster() {
    prefix = "c" + CLUSTERS.incrementAndGet();
  }

  @AfterEach
  void close() {
    nodes.forEach(node -> node.engine.close());
  }

  private void await(String what, Await.Condition condition) {
    Await.until(what, this::state, condition);
  }

  private String state() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      text.append(node.name).append(' ').append(node.owned()).append(' ');
      text.append(node.engine.ledger()).append(' ').append(node.engine.fault()).append("; ");
    }
    return text.append(arrived.size()).append(" messages have arrived").toString();
  }

  private Ledger ledger() {
    Ledger sum = Ledger.EMPTY;
    for (Node node : nodes) {
      sum = sum.plus(node.engine.ledger());
    }
    return sum;
  }

  private List<Subscription> subscribe(int count) {
    Node owner = nodes.get(0);
    owner.engine.addTopic("orders");
    List<Subscription> subscriptions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      subscriptions.add(
          owner.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i)));
    }
    return subscriptions;
  }

  @Test
  void oneNodeDeliversToAllShards() {
    Node one = new Node("one");
    await("all shards", () -> one.owned() == 4);
    subscribe(6);

    assertThat(one.publish("a").deliveries()).isEqualTo(6);

    await("delivered", () -> ledger().delivered() == 6);
    assertThat(arrived.get("a")).hasValue(6);
    assertThat(ledger().unexplained()).isZero();
  }

  @Test
  void whatOneNodePublishesTheOwnersDeliver() {
    Node one = new Node("one");
    await("all shards", () -> one.owned() == 4);
    subscribe(8);
    Node two = new Node("two");
    await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    await("the catalog", () -> two.engine.catalog().find("orders") != null);

    for (int i = 0; i < 20; i++) {
      assertThat((i % 2 == 0 ? one : two).publish("m" + i).deliveries()).isEqualTo(8);
    }

    await("delivered", () -> ledger().delivered() == 160);
    assertThat(arrived).hasSize(20);
    assertThat(arrived.values()).allMatch(times -> times.get() == 8);
    assertThat(two.engine.ledger().delivered()).isEqualTo(80);
  }

  @Test
  void aPublishWithAKeyWaitsForTheShardThatKnowsTheKey() {
    Node one = new Node("one");
    await("all shards", () -> one.owned() == 4);
    subscribe(4);
    Node two = new Node("two");
    await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    await("the catalog", () -> two.engine.catalog().find("orders") != null);

    // Nothing carries requests between these nodes: half of the keys cannot be asked for yet.
    List<CompletableFuture<PublishReceipt>> published = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      published.add(two.publish("m" + i, "key-" + i).toCompletableFuture());
    }
    one.engine.close();
    nodes.remove(one);

    for (CompletableFuture<PublishReceipt> each : published) {
      assertThat(each.orTimeout(300, TimeUnit.SECONDS).join().deliveries()).isEqualTo(4);
    }
    await("delivered", () -> ledger().delivered() == 80);
    assertThat(arrived.values()).allMatch(times -> times.get() == 4);
  }

  @Test
  void aNodeThatLeavesLosesNothingAndRepeatsNothing() {
    Node one = new Node("one");
    await("all shards", () -> one.owned() == 4);
    subscribe(8);
    Node two = new Node("two");
    await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    await("the catalog", () -> two.engine.catalog().find("orders") != null);
    for (int i = 0; i < 50; i++) {
      two.publish("m" + i);
    }
    one.engine.close();
    nodes.remove(one);
    for (int i = 50; i < 100; i++) {
      two.publish("m" + i);
    }

    await("all shards", () -> two.owned() == 4);
    await("delivered", () -> ledger().delivered() == 800);
    assertThat(ledger().accepted()).isEqualTo(800);
    assertThat(arrived.values()).allMatch(times -> times.get() == 8);
  }

  @Test
  void theShardsOfOneSubscriptionAreAskedOnEveryNode() {
    try (TestNode one = join("one")) {
      await("all shards", () -> one.owned() == 4);
      one.engine.addTopic("orders");
      SubscriptionSettings settings = SubscriptionSettings.of("http://192.0.2.1/");
      Subscription it = one.engine.subscribe("orders", settings.withShards(4));
      try (TestNode two = join("two")) {
        Map<String, TestNode> all = Map.of("one", one, "two", two);
        all.values()
            .forEach(
                node -> node.host().callBy((to, asked) -> all.get(to.name()).host().answer(asked)));
        await("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
        await("the catalog", () -> two.engine.catalog().findById(it.id()) != null);

        for (int i = 0; i < 40; i++) {
          assertThat((i % 2 == 0 ? one : two).publish("orders", "m" + i).deliveries()).isOne();
        }
        await("delivered", () -> ledger(one, it).delivered() == 40);
        assertThat(ledger(two, it)).isEqualTo(ledger(one, it));
        assertThat(one.engine.ledger().delivered()).isBetween(1L, 39L);
        assertThat(arrived).hasSize(40).allSatisfy((body, n) -> assertThat(n).hasValue(1));

        get(two.engine.backlog(it).suspend("tired", Duration.ofDays(1), 1000));
        for (int i = 40; i < 60; i++) {
          two.publish("orders", "m" + i);
        }
        await("held", () -> held(one, it) == 20 && held(two, it) == 20);
        assertThat(one.engine.reader(it).pending(it.number(), null, 1000).items()).hasSize(20);
        assertThat(get(one.engine.backlog(it).health()).maxInFlight()).isEqualTo(64);
        assertThat(get(two.engine.backlog(it).presentMinutes())).hasSize(4);

        SweepProgress cancelled = get(one.engine.backlog(it).cancel(null, null, 1000));
        assertThat(cancelled).isEqualTo(new SweepProgress(20, null, 20));
        AttributeFilter every = AttributeFilter.of(JSON.readTree("{\"a\":[{\"exists\":false}]}"));
        DeadLetterFilter filter =
            new DeadLetterFilter(StopReason.CANCELLED, null, 0, Long.MAX_VALUE, every, "");
        SweepRequest sweep =
            new SweepRequest(filter, one.engine.nowMillis() + 60_000, null, 1000, 0, 0);
        assertThat(get(two.engine.backlog(it).redrive(sweep)).changed()).isEqualTo(20);
        assertThat(get(one.engine.backlog(it).release())).isTrue();
        await("redriven", () -> ledger(two, it).delivered() == 60);

        one.engine.close();
        await("all shards", () -> two.owned() == 4);
        for (int i = 60; i < 80; i++) {
          two.publish("orders", "m" + i);
        }
        await("delivered", () -> ledger(two, it).delivered() == 80);
        assertThat(ledger(two, it).unexplained()).isZero();
        assertThat(arrived).hasSize(80).allSatisfy((body, n) -> assertThat(n).hasValue(1));
      }
    }
  }

  private TestNode join(String name) {
    return new TestNode(
        brokers,
        prefix,
        name,
        folder.resolve(name),
        body -> {
          arrived.computeIfAbsent(body, key -> new AtomicInteger()).incrementAndGet();
          return TestNode.delivered();
        });
  }

  private static Ledger ledger(TestNode node, Subscription subscription) {
    return node.engine.reader(subscription).ledger(subscription.number());
  }

  private static long held(TestNode node, Subscription subscription) {
    HeldDeliveries held = node.engine.reader(subscription).held(subscription.number());
    return held == null ? 0 : held.deliveries();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }
}
