package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.ClusterNodes;
import dev.reprise.server.fixture.Dashboard;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.http.Times;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * An application's open transaction holds up a shard of two nodes: the API of either, its commands,
 * its probes, its metrics and its console tell that, in the same words.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StandingShardTest {
  private static final int SHARD = 3;
  private static final int PUBLISHED = 25;

  @TempDir static Path folder;
  private static Brokers brokers;
  private static ClusterNodes cluster;
  private static List<RunningService> nodes;
  private static ScriptedEndpoint endpoint;
  private static KafkaProducer<byte[], byte[]> application;
  private static RecordMetadata first;

  @BeforeAll
  static void start() throws Exception {
    brokers = Brokers.start(folder.resolve("brokers"), 1);
    endpoint = new ScriptedEndpoint();
    cluster =
        new ClusterNodes(brokers, "standing", folder.resolve("standing"))
            .withStandsAfter(Duration.ofSeconds(2));
    nodes = List.of(cluster.start("one"), cluster.start("two"));
    for (int i = 0; i < ClusterNodes.SHARDS; i++) {
      nodes.get(0).subscribe("orders", "{\"endpoint\":\"" + endpoint.url() + "\"}");
    }
    for (RunningService node : nodes) {
      node.await("/v1/cluster", found -> found.get("healthy").asBoolean());
      Await.value(
          "deliveries of a publish",
          () -> node.post("/v1/topics/orders/messages", "{\"body\":1}").json(),
          receipt -> receipt.get("deliveries").asInt() == ClusterNodes.SHARDS);
    }
    application =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap(), "transactional.id", "application"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    application.initTransactions();
    application.beginTransaction();
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>("standing.in", SHARD, null, "from outside".getBytes(UTF_8));
    record.headers().add("reprise-topic", "orders".getBytes(UTF_8));
    first = application.send(record).get();
  }

  @AfterAll
  static void stop() {
    if (application != null) {
      application.close(Duration.ZERO);
    }
    if (cluster != null) {
      cluster.close();
    }
    endpoint.close();
    brokers.close();
  }

  private static CommandRun.Result run(RunningService node, String... args) {
    return new CommandRun()
        .with("REPRISE_URL", node.service.baseUrl())
        .with("REPRISE_KEY", cluster.key())
        .execute(args);
  }

  /** The sum over nodes of a metric, or the greatest of them. */
  private static List<Double> metrics(String name) {
    List<Double> values = new ArrayList<>();
    for (RunningService node : nodes) {
      node.get("/metrics")
          .text()
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .forEach(line -> values.add(Double.parseDouble(line.substring(name.length() + 1))));
    }
    return values;
  }

  @Test
  @Order(1)
  void everyAcknowledgedMessageIsInTheLedgerOrNotTaken() {
    for (int i = 0; i < PUBLISHED; i++) {
      RunningService node = nodes.get(i % 2);
      assertThat(node.post("/v1/topics/orders/messages", "{\"body\":1}").status()).isEqualTo(202);
      // A shard is unknown while it cannot be asked: for a moment, on a machine that stands still.
      JsonNode ledger =
          nodes
              .get((i + 1) % 2)
              .await(
                  "/v1/ledger",
                  found -> found.has("notTaken") && found.at("/notTaken/unknownShards").isEmpty());
      long accepted = ledger.at("/total/accepted").asLong();
      // Probes of nodes, and what is taken in between, may be there as well.
      assertThat(accepted + ledger.at("/notTaken/records").asLong())
          .as("after %d: %s", i, ledger)
          .isGreaterThanOrEqualTo((2L + i + 1) * ClusterNodes.SHARDS + 1);
      assertThat(ledger.at("/total/unexplained").asLong()).isZero();
    }
    for (RunningService node : nodes) {
      JsonNode ledger =
          node.await(
              "/v1/ledger",
              found ->
                  found.at("/notTaken/records").asLong() == PUBLISHED + 1
                      && !found.at("/notTaken/orEarlier").asBoolean());
      assertThat(ledger.at("/notTaken/oldestAt").asString())
          .isEqualTo(Times.text(first.timestamp()));
    }
  }

  @Test
  @Order(2)
  void allTellItInTheSameWords() {
    String words = null;
    for (RunningService node : nodes) {
      JsonNode shown =
          node.await(
              "/v1/cluster",
              // The record has been read by then.
              found -> found.at("/standing/0/text").asString("").contains("transaction"));
      String text = shown.at("/standing/0/text").asString();
      words = words == null ? text : words;
      assertThat(text).isEqualTo(words);
      assertThat(text)
          .startsWith(
              "shard %s takes nothing: %s accepted records wait, the oldest since "
                  .formatted(SHARD, PUBLISHED + 1))
          .endsWith(
              "a transaction that is open in standing.in-%s at %s holds up what follows it"
                  .formatted(SHARD, first.offset()));
      assertThat(shown.at("/standing/0/shard").asInt()).isEqualTo(SHARD);
      assertThat(shown.get("healthy").asBoolean()).isFalse();
      JsonNode shard = shown.get("shards").get(SHARD);
      assertThat(shard.at("/notTaken/records").asInt()).isEqualTo(PUBLISHED + 1);
      assertThat(shard.get("since").asString()).isEqualTo(Times.text(first.timestamp()));
      assertThat(words).endsWith(shard.get("problem").asString());

      CommandRun.Result command = run(node, "cluster");
      assertThat(command.exitCode()).isEqualTo(1);
      assertThat(command.err()).contains(words);
      assertThat(command.out()).contains("NOT TAKEN", PUBLISHED + 1 + " (");
      // A probe of a node waits for a moment in another shard, now and then.
      CommandRun.Result ledger =
          Await.value(
              "the ledger",
              () -> run(node, "ledger"),
              printed ->
                  printed
                      .out()
                      .replaceAll("\\s+", " ")
                      .contains(
                          "not yet taken by their shards: "
                              + (PUBLISHED + 1)
                              + " records, the oldest"));
      assertThat(ledger.exitCode()).isZero();
      JsonNode overview =
          node.await(
              "/v1/overview",
              found -> found.at("/standing/0/text").asString("").contains("transaction"));
      assertThat(overview.at("/standing/0/text").asString()).isEqualTo(words);
    }
    // The owner's probe tells it, and is ready: its other shards go on.
    List<String> told = new ArrayList<>();
    for (RunningService node : nodes) {
      JsonNode ready = node.awaitReady().json();
      ready.path("standing").forEach(line -> told.add(line.asString()));
    }
    assertThat(told).containsExactly(words);
    assertThat(metrics("reprise_cluster_shards_standing")).containsExactlyInAnyOrder(0.0, 1.0);
    assertThat(metrics("reprise_cluster_records_not_taken"))
        .anyMatch(records -> records >= PUBLISHED + 1);
    assertThat(metrics("reprise_cluster_records_not_taken_age_seconds"))
        .anyMatch(seconds -> seconds >= 2);
  }

  @Test
  @Order(3)
  void theDashboardHasMetricsThatANodeHas() throws Exception {
    new Dashboard(Path.of("../service/server/grafana/reprise.json"))
        .requireMetrics(nodes.get(0).get("/metrics").text(), true);
  }

  @Test
  @Order(3)
  void theConsoleTellsIt() {
    try (Browser browser = Browser.open(nodes.get(0))) {
      browser.signIn(cluster.key());
      browser.see("#troubles", "Shard " + SHARD + " takes nothing: ");
    }
  }

  @Test
  @Order(4)
  void itGoesOnAndNothingWaits() {
    application.commitTransaction();
    for (RunningService node : nodes) {
      JsonNode ledger =
          node.await(
              "/v1/ledger",
              found ->
                  found.at("/notTaken/records").asLong() == 0
                      && found.at("/total/pending").asLong() == 0
                      // The application's message went to all.
                      && found.at("/total/delivered").asLong()
                          >= (2L + PUBLISHED + 1) * ClusterNodes.SHARDS);
      assertThat(ledger.at("/total/unexplained").asLong()).isZero();
      Await.value(
          "the exit code of cluster", () -> run(node, "cluster"), shown -> shown.exitCode() == 0);
      assertThat(node.get("/v1/cluster").json().get("standing")).isEmpty();
      assertThat(node.awaitReady().json().has("standing")).isFalse();
    }
  }
}
