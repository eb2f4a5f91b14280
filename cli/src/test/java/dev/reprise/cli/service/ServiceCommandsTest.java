package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.cli.CommandRun;
import dev.reprise.cli.DevService;
import dev.reprise.fixtures.Await;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands against a real service and a real endpoint. */
class ServiceCommandsTest {
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir private static Path folder;

  private static Service service;
  private static HttpServer sink;
  private static volatile int answer;

  /** What came, by topic: deliveries of an earlier test may still be under way. */
  private static final Map<String, BlockingQueue<String>> DELIVERED = new ConcurrentHashMap<>();

  private static int topics;

  private String topic;

  @BeforeAll
  static void start() throws IOException {
    service = DevService.start(folder.resolve("data"));
    sink = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    sink.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            arrivals(exchange.getRequestURI().getPath().substring(1))
                .add(
                    exchange.getRequestHeaders().getFirst("Content-Type")
                        + " "
                        + new String(body, StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(answer, -1);
          }
        });
    sink.start();
  }

  @AfterAll
  static void stop() {
    sink.stop(0);
    service.close();
  }

  @BeforeEach
  void topic() {
    answer = 204;
    topic = "topic-" + ++topics;
    assertThat(run("topic", "create", topic, "--policy", "notification-sms").exitCode()).isZero();
  }

  private static CommandRun here() {
    return new CommandRun().with("REPRISE_URL", service.baseUrl());
  }

  private static CommandRun.Result run(String... args) {
    return here().execute(args);
  }

  private static JsonNode json(String... args) {
    CommandRun.Result result = run(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return MAPPER.readTree(result.out());
  }

  private String subscribe(String... options) {
    String url = "http://127.0.0.1:" + sink.getAddress().getPort() + "/" + topic;
    String[] args = new String[options.length + 4];
    args[0] = "subscribe";
    args[1] = topic;
    args[2] = url;
    args[3] = "--json";
    System.arraycopy(options, 0, args, 4, options.length);
    return json(args).path("id").asString();
  }

  private static BlockingQueue<String> arrivals(String topic) {
    return DELIVERED.computeIfAbsent(topic, name -> new LinkedBlockingQueue<>());
  }

  private String delivered() throws InterruptedException {
    String delivered = arrivals(topic).poll(300, TimeUnit.SECONDS);
    assertThat(delivered).as("delivered within 60 s").isNotNull();
    return delivered;
  }

  private static void awaitStatus(String delivery, String status) throws InterruptedException {
    Await.value(
        "the status of " + delivery,
        () -> json("deliveries", "show", delivery, "--json"),
        shown -> shown.path("status").asString().equals(status));
  }

  @Test
  void topicsAreCreatedListedShownAndDeleted() {
    assertThat(run("topic", "list", "--limit", "1000").out()).contains(topic);
    assertThat(run("topic", "show", topic).out()).contains(topic, "policy");

    assertThat(run("topic", "delete", topic).out()).isEqualTo("topic " + topic + " deleted\n");

    assertThat(run("topic", "show", topic).exitCode()).isEqualTo(4);
  }

  @Test
  void aBodyArrivesByteForByte() throws InterruptedException {
    subscribe("--format", "raw");

    run("publish", topic, "{\"total\": 59.90,  \"n\": 1e3}");
    assertThat(delivered()).isEqualTo("application/json {\"total\": 59.90,  \"n\": 1e3}");

    run("publish", topic, "hello, wörld");
    assertThat(delivered()).endsWith(" hello, wörld").startsWith("text/plain");

    run("publish", topic, "a;b", "--content-type", "text/csv");
    assertThat(delivered()).isEqualTo("text/csv a;b");
  }

  @Test
  void aFileArrivesAsWhatItIs() throws IOException, InterruptedException {
    subscribe("--format", "raw");
    Path json = Files.writeString(folder.resolve("a.json"), "{\"a\": [1, 2]}\n");
    Path bytes = Files.write(folder.resolve("a.bin"), new byte[] {(byte) 0xff, 'x'});

    run("publish", topic, "--file", json.toString());
    assertThat(delivered()).isEqualTo("application/json {\"a\": [1, 2]}");

    run("publish", topic, "--file", bytes.toString());
    assertThat(delivered()).startsWith("application/octet-stream ").endsWith("x");
  }

  @Test
  void attributesHaveTypesAndFiltersSeeThem() throws InterruptedException {
    subscribe("--filter", "{\"country\": [\"DE\"]}");

    CommandRun.Result unwanted = run("publish", topic, "1", "--attribute", "country=FR");
    assertThat(unwanted.out()).endsWith(": 0 deliveries\n");
    assertThat(unwanted.err()).contains("No subscription of the topic wants it");

    CommandRun.Result wanted =
        run("publish", topic, "2", "--attribute", "country=DE", "--attribute", "n=7");
    assertThat(wanted.out()).endsWith(": 1 delivery\n");
    assertThat(delivered()).contains("\"country\":\"DE\"", "\"n\":7");
  }

  @Test
  void aKeyMakesPublishingTwiceHarmless() {
    subscribe();

    String first = run("publish", topic, "{}", "--key", "k-1").out();
    CommandRun.Result second = run("publish", topic, "{}", "--key", "k-1");

    assertThat(second.out()).isEqualTo(first.strip() + ", published before with this key\n");
    assertThat(run("publish", topic, "{\"other\":1}", "--key", "k-1").exitCode()).isEqualTo(1);
  }

  @Test
  void linesAreNamedWhenTheServiceTakesNone() {
    String lines = ("\"" + "x".repeat(300_000) + "\"\n").repeat(2);
    CommandRun.Result result = here().input(lines).execute("publish", topic, "-");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("reprise: line 1: ").contains("reprise: line 2: ");
    assertThat(result.out()).isEqualTo("0 messages published: 0 deliveries; 2 lines failed\n");
  }

  @Test
  void creatingATopicAgainKeepsItsPolicy() {
    String before = run("topic", "show", topic).out();
    assertThat(run("topic", "create", topic).exitCode()).isZero();
    assertThat(run("topic", "show", topic).out()).isEqualTo(before).contains("\"numRetries\" : 50");
  }

  @Test
  void eachLineIsAMessageAndBadOnesAreNamed() {
    String subscription = subscribe("--format", "raw");
    String lines =
        "{\"id\": 1}\n\n{broken\n{\"id\": 2}\n" + "\"" + "x".repeat(300_000) + "\"\n{\"id\": 3}";

    CommandRun.Result result = here().input(lines).execute("publish", topic, "-");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("3 messages published: 3 deliveries; 2 lines failed\n");
    assertThat(result.err().lines()).hasSize(2);
    assertThat(result.err())
        .contains("reprise: line 3: not JSON: column ")
        .containsPattern("reprise: line 5: .*(KB|bytes)");
    assertThat(
            json("ledger", "--json")
                .path("subscriptions")
                .valueStream()
                .filter(each -> each.path("id").asString().equals(subscription))
                .map(each -> each.path("accepted").asInt()))
        .containsExactly(3);
  }

  @Test
  void linesFromAPipeNeedNoDashAndKeysMakeThemRepeatable() {
    subscribe();
    String lines = "{\"id\": \"a\"}\r\n{\"id\": \"b\"}\r\n{\"no\": \"id\"}\r\n";

    CommandRun.Result first = here().input(lines).execute("publish", topic, "--key-field", "id");
    CommandRun.Result second =
        here().input(lines).execute("publish", topic, "--key-field", "id", "--json");

    assertThat(first.exitCode()).isEqualTo(1);
    assertThat(first.err()).isEqualTo("reprise: line 3: has no text or number in the field id\n");
    JsonNode totals = MAPPER.readTree(second.out());
    assertThat(totals.path("published").asInt()).isEqualTo(2);
    assertThat(totals.path("repeated").asInt()).isEqualTo(2);
  }

  @Test
  void thousandsOfLinesGoInBatches() {
    subscribe();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2_345; i++) {
      lines.append("{\"id\": ").append(i).append("}\n");
    }

    CommandRun.Result result = here().input(lines.toString()).execute("publish", topic, "-");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).isEqualTo("2,345 messages published: 2,345 deliveries\n");
  }

  @Test
  void aTopicThatDoesNotExistIsNotFound() {
    assertThat(run("publish", "nowhere", "{}").exitCode()).isEqualTo(4);
    CommandRun.Result lines = here().input("{}\n").execute("publish", "nowhere", "-");
    assertThat(lines.exitCode()).isEqualTo(4);
    assertThat(lines.err()).contains("nowhere").contains("0 messages published");
  }

  @Test
  void aDeliveryTellsItsAttemptsAndWhyTheNextIsWhenItIs() throws InterruptedException {
    answer = 503;
    subscribe(
        "--policy",
        "{\"healthyRetryPolicy\": {\"numRetries\": 3, \"minDelayTarget\": 3600, \"maxDelayTarget\":"
            + " 3600}}");
    String message = json("publish", topic, "{\"a\":1}", "--json").path("messageId").asString();
    delivered();
    String id =
        json("deliveries", "list", "--message", message, "--json")
            .path("items")
            .path(0)
            .path("id")
            .asString();
    Await.value(
        "history of the delivery",
        () -> json("deliveries", "show", id, "--json"),
        shown -> !shown.path("history").isEmpty());

    String shown = run("deliveries", "show", id).out();

    assertThat(shown)
        .contains("pending")
        .contains("attempt 1  503 Service Unavailable")
        .containsPattern("next attempt +in (59 min|1 h)")
        .containsPattern("because +retry 1, backoff stage");
    assertThat(run("deliveries", "list", "--status", "pending").out())
        .containsPattern(id + " +pending +1 .* in (59 min|1 h)");
  }

  @Test
  void whatHappenedIsExportedAndReplayedUnderAnotherPolicy() throws Exception {
    String subscription = subscribe();
    answer = 400;
    String refused = json("publish", topic, "refused", "--json").path("messageId").asString();
    awaitStatus(refused + "@" + subscription, "dead-lettered");
    answer = 204;
    String taken = json("publish", topic, "taken", "--json").path("messageId").asString();
    awaitStatus(taken + "@" + subscription, "delivered");

    CommandRun.Result export = run("deliveries", "export", subscription);

    assertThat(export.exitCode()).as(export.err()).isZero();
    assertThat(export.out().lines())
        .hasSize(2)
        .allSatisfy(line -> assertThat(MAPPER.readTree(line).path("history").size()).isPositive());
    CommandRun.Result replay =
        CommandRun.run(
            "lab",
            "replay",
            Files.writeString(folder.resolve("attempts.jsonl"), export.out()).toString(),
            "notification-sms");
    assertThat(replay.exitCode()).as(replay.err()).isZero();
    assertThat(replay.out())
        .startsWith("attempts: 2 deliveries to 1 endpoint")
        .containsPattern("\\(as it was\\) +0\\.5 ")
        .containsPattern("notification-sms +0\\.5 ");
  }

  @Test
  void deadLettersAreListedRedrivenAndPurged() throws InterruptedException {
    answer = 410;
    String subscription = subscribe();
    String first = json("publish", topic, "{\"n\":1}", "--json").path("messageId").asString();
    String second = json("publish", topic, "{\"n\":2}", "--json").path("messageId").asString();
    awaitStatus(first + "@" + subscription, "dead-lettered");
    awaitStatus(second + "@" + subscription, "dead-lettered");

    assertThat(run("dead-letters", "list", subscription).out())
        .contains(first, second, "410", "NOT_RETRYABLE");
    assertThat(run("dead-letters", "list", subscription, "--died-before", "1h").err())
        .contains("No dead letters match");
    assertThat(run("subscription", "list", "--topic", topic, "--failing").out())
        .contains(subscription, "FAILING SINCE", "Z: 410 Gone");
    assertThat(run("subscription", "show", subscription).out())
        .contains("failing since", "410 Gone (4xx) at ")
        .doesNotContain("last success");
    assertThat(run("redrive", subscription, "--dry-run").out())
        .isEqualTo("2 dead letters would be redriven\n");
    assertThat(run("redrive", subscription, "--reason", "deadline").out())
        .isEqualTo("0 dead letters redriven\n");

    answer = 204;
    assertThat(run("redrive", subscription, "--message", first).out())
        .isEqualTo("1 dead letter redriven\n");
    awaitStatus(first + "@" + subscription, "delivered");
    assertThat(run("subscription", "list", "--topic", topic, "--failing").err())
        .contains("There is no such subscription.");
    assertThat(run("subscription", "show", subscription).out())
        .contains("last success", "204 No Content (2xx) at ")
        .doesNotContain("failing since");
    assertThat(run("dead-letters", "purge", subscription, "--all").out())
        .isEqualTo("1 dead letter purged\n");

    CommandRun.Result ledger = run("ledger", "--verify");
    assertThat(ledger.exitCode()).as(ledger.err()).isZero();
    assertThat(ledger.out()).contains(subscription, "total", "Verified: the store was counted");
  }

  @Test
  void subscriptionsAreShownUpdatedAndDeleted() throws InterruptedException {
    String id = subscribe("--lifetime", "1h", "--dead-letters", "discard", "--max-in-flight", "3");

    // A shard that is slow to answer is not waited for.
    String shown =
        Await.value(
            "the subscription",
            () -> run("subscription", "show", id).out(),
            out -> out.contains("of 3 at most (new: growing"));
    assertThat(shown).contains(id, topic, "discard", "from the topic");
    assertThat(run("subscription", "list", "--topic", topic).out()).contains(id);
    assertThat(run("subscription", "list", "--search", id).out()).contains(id);
    assertThat(run("subscription", "list", "--search", id, "--suspended").out()).doesNotContain(id);
    assertThat(run("topic", "list", "--search", topic).out()).contains(topic);
    assertThat(run("topic", "list", "--search", topic + "x").out()).doesNotContain(topic);
    assertThat(
            run("subscription", "update", id, "--max-in-flight", "5", "--reset", "lifetime").err())
        .isEmpty();
    JsonNode changed = json("subscription", "show", id, "--json");
    assertThat(changed.path("maxInFlight").asInt()).isEqualTo(5);
    assertThat(changed.path("lifetime").asString("none")).as(changed.toString()).isEqualTo("none");
    assertThat(run("topic", "delete", topic).exitCode()).isEqualTo(1);
    assertThat(run("subscription", "delete", id).exitCode()).isZero();
    assertThat(run("subscription", "show", id).exitCode()).isEqualTo(4);
  }

  @Test
  void aLabellingIsGivenShownFilteredByAndRemoved() {
    String customer = "c-" + topic;
    String id =
        subscribe(
            "--name",
            "Acme, orders",
            "--customer",
            customer,
            "--label",
            "team=billing",
            "--label",
            "x=a=b");
    assertThat(run("subscription", "show", id).out())
        .contains("Acme, orders", customer, "team=billing, x=a=b");
    String other = subscribe("--customer", customer, "--label", "team=billing");

    CommandRun.Result list = run("subscription", "list", "--customer", customer);
    assertThat(list.out()).contains("NAME", "CUSTOMER", id, "Acme, orders", customer, other);
    assertThat(
            run(
                    "subscription",
                    "list",
                    "--customer",
                    customer,
                    "--label",
                    "x=a=b",
                    "--label",
                    "team=billing")
                .out())
        .contains(id)
        .doesNotContain(other);
    assertThat(run("subscription", "list", "--label", "team=sales" + topic).err())
        .contains("There is no such subscription.");
    assertThat(run("subscription", "update", id, "--label", "team").err())
        .contains("--label is team: must be KEY=VALUE");

    run("subscription", "update", id, "--label", "team=sales", "--reset", "name");
    JsonNode changed = json("subscription", "show", id, "--json");
    assertThat(changed.path("labels")).hasToString("{\"team\":\"sales\"}");
    assertThat(changed.has("name")).isFalse();
    assertThat(changed.path("customer").asString()).isEqualTo(customer);
  }

  @Test
  void whatTheServiceRefusesIsNamed() {
    CommandRun.Result format = run("subscribe", topic, "http://127.0.0.1/", "--format", "xml");
    CommandRun.Result endpoint = run("subscribe", topic, "http://user:secret@127.0.0.1/");

    CommandRun.Result noUrl = run("subscribe", topic, "notaurl");

    assertThat(run("subscribe", topic, "http://127.0.0.1/", "--shards", "2").err())
        .isEqualTo(
            "reprise: shards is 2: must be at most 1, the number of shards that there are\n");
    assertThat(noUrl.exitCode()).isEqualTo(2);
    assertThat(noUrl.err())
        .isEqualTo(
            "reprise: endpoint is notaurl: must be a URL such as https://example.com/hook\n");
    assertThat(format.exitCode()).isEqualTo(2);
    assertThat(format.err())
        .isEqualTo(
            "reprise: format is \"xml\": must be envelope or raw or cloudevents or"
                + " cloudevents-structured\n");
    assertThat(endpoint.exitCode()).isEqualTo(2);
    assertThat(endpoint.err()).startsWith("reprise: endpoint is ").doesNotContain("secret");
    assertThat(endpoint.err().lines()).hasSize(1);
  }

  @Test
  void aWrongValueIsWrongUsageWhoeverFindsIt() {
    assertThat(run("topic", "create", "bad name!").exitCode()).isEqualTo(2);
    assertThat(
            run("deliveries", "list", "--subscription", subscribe(), "--status", "pendign")
                .exitCode())
        .isEqualTo(2);
    assertThat(run("publish", topic, "{\"a\":1").exitCode()).isEqualTo(2);
  }

  @Test
  void nothingPublishedIsNoSuccess() {
    CommandRun.Result result = here().input("\n  \n").execute("publish", topic);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo("reprise: nothing was published: the input has no line with a message\n");
  }

  @Test
  void aPolicyThatDoesNotCountIsWarnedOf() throws IOException {
    Path alone =
        Files.writeString(
            folder.resolve("alone.json"),
            "{\"http\": {\"disableSubscriptionOverrides\": true,"
                + " \"defaultRequestPolicy\": {\"headerContentType\": \"text/plain\"}}}");

    String id = subscribe("--policy", "no-retry");
    assertThat(id).startsWith(topic);
    CommandRun.Result put = run("topic", "create", topic, "--policy", alone.toString());
    CommandRun.Result update = run("subscription", "update", id, "--policy", "no-retry");

    assertThat(put.exitCode()).isZero();
    assertThat(put.err().lines())
        .containsExactly(
            "reprise: warning: http.defaultRequestPolicy.headerContentType is ignored: an endpoint"
                + " is told the content type that each message was published with.",
            "reprise: warning: disableSubscriptionOverrides is set: the policies that 1"
                + " subscription has of their own do not count.");
    assertThat(update.err())
        .contains("reprise: warning: The policy does not count: topic " + topic + " sets");
  }

  @Test
  void keysAreCreatedListedAndRevoked() {
    JsonNode keep = json("key", "create", "keep", "--json");
    CommandRun.Result created = run("key", "create", "ci");

    assertThat(created.out().strip()).doesNotContain(" ");
    assertThat(created.err()).contains("It is shown this once");
    String list = run("key", "list").out();
    assertThat(list).contains("ci", "keep").doesNotContain(created.out().strip());
    assertThat(run("key", "revoke", keep.path("id").asString()).exitCode()).isZero();
    assertThat(run("key", "list").out()).doesNotContain("keep");
  }

  @Test
  void aPortOrAFolderInUseIsToldInOneLine() {
    Path other = folder.resolve("other");
    CommandRun.Result port =
        run("serve", "--data", other.toString(), "--port", String.valueOf(service.port()));
    CommandRun.Result used =
        run("serve", "--data", folder.resolve("data").toString(), "--port", "0");
    CommandRun.Result allow =
        run("serve", "--data", other.toString(), "--port", "0", "--allow", "10.0.0.0/99");

    assertThat(List.of(port, used, allow)).allMatch(result -> result.exitCode() == 1);
    assertThat(port.err()).contains("cannot listen on 127.0.0.1:", "Choose another with --port");
    assertThat(used.err())
        .contains("in use", "stop that one, or choose another folder with --data\n")
        .doesNotContain("Choose another");
    assertThat(allow.err()).contains("10.0.0.0/99");
    assertThat(List.of(port, used, allow))
        .allMatch(
            result ->
                result.err().lines().filter(line -> line.startsWith("reprise: ")).count() == 1);
  }
}
