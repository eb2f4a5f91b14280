package dev.reprise.cli.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cli.CommandRun;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.node.BrokerCheck;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.server.fixture.ClusterNodes;
import dev.reprise.server.fixture.ClusterWalk;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.SameAnswers;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two nodes over one broker: whichever is asked, the answer is that of a single service. */
@Tag("slow")
class ClusterServiceTest {
  @TempDir static Path folder;
  private static Brokers brokers;
  private static ClusterNodes cluster;
  private static RunningService first;
  private static RunningService second;

  @BeforeAll
  static void start() throws Exception {
    brokers = Brokers.start(folder.resolve("brokers"), 1);
    cluster = new ClusterNodes(brokers, "pair", folder.resolve("pair"));
    first = cluster.start("one");
    second = cluster.start("two");
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
    brokers.close();
  }

  @Test
  void everyOperationIsAnsweredAsByASingleService() {
    List<String> expected;
    try (RunningService single = RunningService.withKeys(folder.resolve("single"), "127.0.0.0/8")) {
      SameAnswers alone = new SameAnswers(List.of(single), List.of());
      ClusterWalk.walk(alone);
      expected = alone.recorded();
    }
    try (ClusterNodes nodes = new ClusterNodes(brokers, "same", folder.resolve("same"))) {
      SameAnswers together =
          new SameAnswers(List.of(nodes.start("one"), nodes.start("two")), expected);
      ClusterWalk.walk(together);
      Set<String> operations = operations();
      // What a node says of itself, and what only a single service does: below.
      operations.removeAll(
          Set.of(
              "GET /metrics",
              "GET /health/ready",
              "GET /v1/cluster",
              "GET /v1/cluster/records/{id}",
              "POST /v1/cluster/records/{id}/skip",
              "POST /v1/backup",
              "GET /v1/overview/stream"));
      assertThat(together.seen()).containsExactlyInAnyOrderElementsOf(operations);
    }
  }

  private Set<String> operations() {
    Set<String> names = new TreeSet<>();
    first
        .get("/openapi.json")
        .json()
        .get("paths")
        .forEachEntry(
            (path, item) ->
                item.propertyNames().stream()
                    .filter(name -> name.matches("get|put|post|patch|delete"))
                    .forEach(name -> names.add(name.toUpperCase(Locale.ROOT) + " " + path)));
    return names;
  }

  @Test
  void whatOneNodeHasMadeTheOtherKnowsAtOnce() {
    for (int i = 0; i < 5; i++) {
      RunningService making = i % 2 == 0 ? first : second;
      RunningService asked = i % 2 == 0 ? second : first;
      String topic = "/v1/topics/fresh" + i;
      assertThat(making.put(topic, "{}").status()).isEqualTo(201);
      assertThat(asked.get(topic).status()).isEqualTo(200);
      Reply made = making.post(topic + "/subscriptions", "{\"endpoint\":\"http://127.0.0.1:1/\"}");
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      String id = made.json().get("id").asString();
      assertThat(asked.get("/v1/subscriptions/" + id).status()).isEqualTo(200);
      Reply suspended = asked.post("/v1/subscriptions/" + id + "/suspend", "{}");
      assertThat(suspended.status()).as(suspended.text()).isEqualTo(200);
      Await.value(
          "deliveries of a publish",
          () -> asked.post(topic + "/messages", "{\"body\":1}").json(),
          receipt -> receipt.get("deliveries").asInt() == 1);
    }
  }

  @Test
  void aSessionIsGoodAtEveryNodeUntilItIsSignedOut() {
    RunningService here = RunningService.of(first.service, "");
    RunningService there = RunningService.of(second.service, "");
    String origin = first.service.baseUrl();
    Reply signedIn =
        here.send(
            "POST",
            "/console/session",
            "{\"key\":\"" + cluster.key() + "\"}",
            "application/json",
            "Origin",
            origin,
            "Reprise-Console",
            "1");
    assertThat(signedIn.status()).as(signedIn.text()).isEqualTo(200);
    String cookie = signedIn.header("Set-Cookie").replaceAll(";.*", "");
    assertThat(there.send("GET", "/v1/topics", null, "", "Cookie", cookie).status()).isEqualTo(200);
    Reply changed =
        there.send(
            "PUT",
            "/v1/topics/by-cookie",
            "{}",
            "application/json",
            "Cookie",
            cookie,
            "Origin",
            second.service.baseUrl(),
            "Reprise-Console",
            "1");
    assertThat(changed.status()).as(changed.text()).isEqualTo(201);

    Reply signedOut =
        there.send(
            "DELETE",
            "/console/session",
            null,
            "",
            "Cookie",
            cookie,
            "Origin",
            second.service.baseUrl(),
            "Reprise-Console",
            "1");
    assertThat(signedOut.status()).isEqualTo(204);
    Reply refused =
        Await.value(
            "the session has ended",
            () -> here.send("GET", "/v1/topics", null, "", "Cookie", cookie),
            reply -> reply.status() != 200);
    assertThat(refused.status()).isEqualTo(401);
  }

  @Test
  void figuresOfNodesAddUpToTheWhole() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      for (int i = 0; i < 4; i++) {
        first.subscribe("sums", "{\"endpoint\":\"" + endpoint.url() + "\"}");
      }
      for (RunningService node : List.of(first, second)) {
        Await.value(
            "deliveries of a publish",
            () -> node.post("/v1/topics/sums/messages", "{\"body\":1}").json(),
            receipt -> receipt.get("deliveries").asInt() == 4);
      }
      JsonNode ledger =
          second.await(
              "/v1/ledger",
              found -> {
                List<JsonNode> mine = new ArrayList<>();
                found
                    .get("subscriptions")
                    .forEach(
                        line -> {
                          if (line.get("id").asString().startsWith("sums-")) {
                            mine.add(line);
                          }
                        });
                return mine.stream().mapToInt(each -> each.get("delivered").asInt()).sum() >= 8
                    && mine.stream().allMatch(each -> each.get("pending").asInt() == 0);
              });
      double delivered = ledger.at("/total/delivered").asDouble();
      Await.value(
          "the sum of what was delivered",
          () ->
              metric(first, "reprise_deliveries{state=\"delivered\"}")
                  + metric(second, "reprise_deliveries{state=\"delivered\"}"),
          sum -> sum == delivered);
    }
    double owned = 0;
    for (RunningService node : List.of(first, second)) {
      owned += metric(node, "reprise_cluster_shards_owned{state=\"running\"}");
      assertThat(metric(node, "reprise_cluster_takeovers_total")).isPositive();
      assertThat(metric(node, "reprise_cluster_commit_duration_seconds_count")).isPositive();
      assertThat(metric(node, "reprise_cluster_copies_dropped_total")).isZero();
      assertThat(metric(node, "reprise_cluster_pressure")).isBetween(0.0, 1.0);
      assertThat(metric(node, "reprise_cluster_nodes")).isEqualTo(2);
    }
    assertThat(owned).isEqualTo(ClusterNodes.SHARDS);
  }

  private static double metric(RunningService node, String name) {
    return node.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  @Test
  void everyNodeShowsTheWholeCluster() {
    for (RunningService node : List.of(first, second)) {
      assertThat(node.awaitReady().json().get("status").asString()).isEqualTo("ready");
      JsonNode shown =
          node.await(
              "/v1/cluster",
              found ->
                  found.get("healthy").asBoolean()
                      && found
                          .get("shards")
                          .valueStream()
                          .allMatch(
                              shard ->
                                  shard.at("/followers/0/lag").isNumber()
                                      && shard.get("state").asString().equals("running")));
      assertThat(shown.get("name").asString()).isEqualTo("pair");
      assertThat(shown.get("nodes").valueStream().map(each -> each.get("name").asString()))
          .containsExactly("one", "two");
      shown
          .get("shards")
          .forEach(
              shard ->
                  assertThat(shard.at("/followers/0/node").asString())
                      .isNotEqualTo(shard.get("owner").asString()));
    }
  }

  @Test
  void whatIsInDangerOrGoneIsShownUntilItIsKnown() throws Exception {
    TopicPartition intake = new TopicPartition("gone.in", 0);
    TopicPartition open = new TopicPartition("gone.open", 1);
    try (ClusterNodes nodes = new ClusterNodes(brokers, "gone", folder.resolve("gone"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      RunningService before = nodes.start("one");
      before.await("/v1/cluster", found -> found.get("healthy").asBoolean());
      before.service.close();
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", brokers.bootstrap()),
              new ByteArraySerializer(),
              new ByteArraySerializer())) {
        producer.send(new ProducerRecord<>(intake.topic(), 0, null, new byte[1])).get();
        for (int i = 0; i < 3; i++) {
          producer.send(new ProducerRecord<>(open.topic(), 1, null, new byte[1])).get();
        }
      }
      RecordsToDelete all = RecordsToDelete.beforeOffset(-1);
      admin.deleteRecords(Map.of(intake, all, open, all)).all().get();
      RunningService node = nodes.start("one");
      retain(admin, intake.topic(), "1073741824");
      CommandRun.Result shown =
          Await.value(
              "the gaps",
              () -> command(nodes, node, "cluster"),
              result ->
                  result.out().contains("gone.in-0: offsets ")
                      && result.out().contains("gone.open-1: offsets 0 to 2 are gone, up to 3")
                      && result.out().contains("retention.bytes is 1073741824"));
      assertThat(shown.exitCode()).isEqualTo(1);
      assertThat(node.awaitReady().status()).isEqualTo(200);
      assertThat(node.get("/metrics").text())
          .contains("reprise_cluster_topic_faults 1.0")
          .containsPattern("reprise_cluster_intake_lost.kafka_topic=\"gone.in\". [1-9]")
          .containsPattern("reprise_cluster_intake_lost.kafka_topic=\"gone.open\". 3");
      CommandRun.Result ledger = command(nodes, node, "ledger");
      assertThat(ledger.exitCode()).isEqualTo(1);
      assertThat(ledger.err())
          .contains(
              "gone.in-0: offsets ",
              "gone.open-1: offsets 0 to 2",
              "./reprise cluster acknowledge");

      retain(admin, intake.topic(), "-1");
      assertThat(command(nodes, node, "cluster", "acknowledge").exitCode()).isZero();

      assertThat(command(nodes, node, "ledger").exitCode()).isZero();
      Await.value(
          "the exit code of cluster",
          () -> command(nodes, node, "cluster"),
          result -> result.exitCode() == 0);
    }
  }

  private static void retain(Admin admin, String topic, String bytes) throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("retention.bytes", bytes), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  private static CommandRun.Result command(
      ClusterNodes nodes, RunningService node, String... args) {
    return new CommandRun()
        .with("REPRISE_URL", node.service.baseUrl())
        .with("REPRISE_KEY", nodes.key())
        .execute(args);
  }

  @Test
  void backupsAreRefusedAndSayWhatToDo() {
    for (RunningService node : List.of(first, second)) {
      Reply refused = node.send("POST", "/v1/backup", null, "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.message()).contains("node of a cluster", "topics", "mirror");
      CommandRun.Result command = run(node, "backup", folder.toString());
      assertThat(command.exitCode()).isNotZero();
      assertThat(command.err()).contains("node of a cluster");
    }
  }

  private static CommandRun.Result run(RunningService node, String... args) {
    return run(cluster, node, args);
  }

  private static CommandRun.Result run(ClusterNodes nodes, RunningService node, String... args) {
    return new CommandRun()
        .with("REPRISE_URL", node.service.baseUrl())
        .with("REPRISE_KEY", nodes.key())
        .execute(args);
  }

  @Test
  void aShardThatStandsIsATroubleOfThatShardAloneAndSkipped() throws Exception {
    try (ClusterNodes nodes = new ClusterNodes(brokers, "stands", folder.resolve("stands"))) {
      List<RunningService> both = List.of(nodes.start("one"), nodes.start("two"));
      Await.value(
          "the exit code of cluster",
          () -> run(nodes, both.get(1), "cluster"),
          whole -> whole.exitCode() == 0);
      ProducerRecord<byte[], byte[]> newer =
          new ProducerRecord<>("stands.in", 2, null, "accepted".getBytes(UTF_8));
      newer.headers().add("reprise-node", new byte[] {9, 1});
      long offset;
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", brokers.bootstrap()),
              new ByteArraySerializer(),
              new ByteArraySerializer())) {
        offset = producer.send(newer).get(5, TimeUnit.MINUTES).offset();
      }
      String place = "stands.in-2 at " + offset;
      String[] skip = {"cluster", "skip", "2", String.valueOf(offset)};
      for (RunningService node : both) {
        CommandRun.Result shown =
            Await.value(
                "the place that stands",
                () -> run(nodes, node, "cluster"),
                result -> result.out().contains(place));
        assertThat(shown.exitCode()).isEqualTo(1);
        assertThat(shown.out()).contains(place + " has version 9", "4 of 4 shards at work");
        Reply ready = node.get("/health/ready");
        assertThat(ready.status()).as(ready.text()).isEqualTo(200);
        assertThat(metric(node, "reprise_store_fault")).isZero();
        CommandRun.Result record = run(nodes, node, "cluster", "show", "2", String.valueOf(offset));
        assertThat(record.exitCode()).as(record.err()).isZero();
        assertThat(record.out())
            .contains(place, "has version 9", "8 bytes", "reprise-node", "0x0901");
        CommandRun.Result elsewhere = run(nodes, node, "cluster", "skip", "2", "" + (offset + 1));
        assertThat(elsewhere.exitCode()).isEqualTo(1);
        assertThat(elsewhere.err()).contains(place + " has version 9");
      }

      // Whoever is asked, the owner does it.
      CommandRun.Result skipped = run(nodes, both.get(0), skip);
      assertThat(skipped.exitCode()).as(skipped.err()).isZero();
      Await.value(
          "the exit code of cluster",
          () -> run(nodes, both.get(1), "cluster"),
          whole -> whole.exitCode() == 0);
      assertThat(run(nodes, both.get(1), skip).err()).contains("it takes in what comes");
      assertThat(run(nodes, both.get(1), "audit").out()).contains("skipRecord", "in-2@" + offset);
    }
  }

  @Test
  void placesThatCannotBeAreRefused() {
    assertThat(first.get("/v1/cluster/records/out-1@2").message()).contains("such as in-3@17");
    assertThat(first.get("/v1/cluster/records/in-9@2").status()).isEqualTo(404);
    assertThat(first.post("/v1/cluster/records/in-9@2/skip", "").status()).isEqualTo(404);
    assertThat(first.post("/v1/cluster/records/open-1@2/skip", "").message())
        .contains("must be of the topic of nodes");
    assertThat(run(second, "cluster", "show", "1", "1000000", "--open").out())
        .contains("pair.open-1 at 1000000", "is still to come");
  }

  @Test
  void commandsAreGivenToEitherNode() {
    for (RunningService node : List.of(first, second)) {
      String topic = "command-" + node.service.port();
      for (String line :
          List.of(
              "topic create " + topic,
              "subscribe " + topic + " http://127.0.0.1:1/",
              "publish " + topic + " {}",
              "topic list",
              "subscription list",
              "deliveries list",
              "project list",
              "key list",
              "audit")) {
        CommandRun.Result done = run(node, line.split(" "));
        assertThat(done.exitCode()).as(line + ": " + done.err()).isZero();
      }
      CommandRun.Result ledger = run(node, "ledger", "--verify");
      assertThat(ledger.exitCode()).as(ledger.out() + ledger.err()).isZero();
      assertThat(ledger.out()).contains("and agrees");
      Await.value(
          "the exit code of cluster", () -> run(node, "cluster"), shown -> shown.exitCode() == 0);
      assertThat(run(node, "cluster", "--shards").out())
          .contains("4 of 4 shards at work", "one", "two");
    }
  }

  @Test
  void strangersAreNoNodes() {
    for (String path : List.of("/v1/peer", "/v1/peer/audit", "/v1/peer/key", "/v1/peer/node")) {
      Reply refused = first.send("POST", path, "x", "application/octet-stream");
      assertThat(refused.status()).as(path).isEqualTo(403);
    }
    Reply forged =
        first.send("GET", "/v1/topics", null, "", "Reprise-Peer", "1700000000000.00.k.127.0.0.1");
    assertThat(forged.status()).isEqualTo(401);
    assertThat(forged.message()).contains("Reprise-Peer");
  }

  @Test
  void nodesSpeakTlsWithAnAuthorityOfTheirOwn() throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "tls", "localhost", "127.0.0.1");
    TestCertificate stranger = TestCertificate.of(folder, "stranger", "localhost", "127.0.0.1");
    try (ClusterNodes secure = new ClusterNodes(brokers, "secure", folder.resolve("secure"))) {
      RunningService one = secure.with(tls(certificate, certificate)).start("one");
      RunningService two = secure.with(tls(certificate, certificate)).start("two");
      for (RunningService node : List.of(one, two)) {
        CommandRun.Result done =
            secured(secure, node, certificate, "topic", "create", "t" + node.service.port());
        assertThat(done.exitCode()).as(done.err()).isZero();
        Await.value(
            "the exit code of cluster",
            () -> secured(secure, node, certificate, "cluster"),
            whole -> whole.exitCode() == 0);
      }
      // It trusts nobody that has the certificate of the others, and they do not trust it.
      RunningService three = secure.with(tls(stranger, stranger)).start("three");
      CommandRun.Result shown =
          Await.value(
              "a node that is not reached",
              () -> secured(secure, three, stranger, "cluster"),
              result -> result.out().contains("is not reached: "));
      assertThat(shown.exitCode()).isEqualTo(1);
      assertThat(shown.out()).containsIgnoringCase("certif");
    }
  }

  private static CommandRun.Result secured(
      ClusterNodes nodes, RunningService node, TestCertificate trusted, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--api-ca", trusted.certificatePem().toString()));
    return new CommandRun()
        .with("REPRISE_URL", node.service.baseUrl())
        .with("REPRISE_KEY", nodes.key())
        .execute(all.toArray(String[]::new));
  }

  private static UnaryOperator<ServeSettings> tls(TestCertificate own, TestCertificate trusted) {
    return settings ->
        settings
            .with(Settings.TLS_CERTIFICATE, own.certificatePem())
            .with(Settings.TLS_KEY, own.keyPem())
            .with(Settings.NODE_CA, trusted.certificatePem());
  }

  @Test
  void secretsComeUnderTheCurrentKeyWhenTheCatalogMoves() throws Exception {
    String old = SecretKeys.newLine("k1");
    String current = SecretKeys.newLine("k2");
    Path before = Files.writeString(folder.resolve("before"), old);
    Path both = Files.writeString(folder.resolve("both"), current + "\n" + old);
    Path after = Files.writeString(folder.resolve("after"), current);
    try (ClusterNodes nodes = new ClusterNodes(brokers, "keys", folder.resolve("keys"))) {
      RunningService owner = nodes.withSecretKeys(before).start("one");
      Reply carrier =
          owner.post(
              "/v1/carriers",
              "{\"name\":\"keyed\",\"type\":\"scripted\",\"settings\":{\"addresses\":"
                  + "[\"192.0.2.1:7\"],\"password\":\"secret\"}}");
      assertThat(carrier.status()).as(carrier.text()).isEqualTo(201);
      RunningService next = nodes.withSecretKeys(both).start("two");
      String rotated = "reprise_operator_events_total{type=\"secret.rotated\"}";
      assertThat(metric(next, rotated)).as("it does not have the catalog").isZero();
      owner.close();
      Await.value("rotated keys", () -> metric(next, rotated), count -> count == 1);
      RunningService third = nodes.withSecretKeys(after).start("three");
      assertThat(third.get("/v1/carriers/keyed").status()).isEqualTo(200);
    }
  }

  @Test
  void moreReplicasThanBrokersAreNamed() {
    ClusterSettings settings = ClusterSettings.of(brokers.bootstrap(), "n", "http://127.0.0.1:1");
    assertThatThrownBy(() -> BrokerCheck.await(settings, Duration.ZERO))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("replication is 3: must be at most the number of brokers")
        .hasMessageContaining("1 are known");
  }
}
