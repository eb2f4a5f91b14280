package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Queues of ElasticMQ, a server that others wrote; it checks no signatures. */
final class ElasticMqTest extends AwsFixture {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String ACCOUNT = "000000000000";

  private static SQSRestServer server;
  private static String url;

  private final Carrier carrier = carrier(url, ", \"accountId\": \"" + ACCOUNT + "\"");

  @BeforeAll
  static void start() {
    server = SQSRestServerBuilder.withDynamicPort().withInterface("127.0.0.1").start();
    url = "http://127.0.0.1:" + server.waitUntilStarted().localAddress().getPort();
  }

  @AfterAll
  static void stopServer() {
    server.stopAndWait();
  }

  private static JsonNode call(String action, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/"))
            .header("Content-Type", SqsRequests.CONTENT_TYPE)
            .header("X-Amz-Target", "AmazonSQS." + action)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body().isEmpty() ? JSON.createObjectNode() : JSON.readTree(response.body());
  }

  private static void create(String queue) throws Exception {
    String more = queue.endsWith(".fifo") ? ", \"Attributes\": {\"FifoQueue\": \"true\"}" : "";
    call("CreateQueue", "{\"QueueName\": \"" + queue + "\"" + more + "}");
  }

  /** Takes all messages of a queue. */
  private static List<JsonNode> drain(String queue) throws Exception {
    List<JsonNode> all = new ArrayList<>();
    while (true) {
      JsonNode batch =
          call(
                  "ReceiveMessage",
                  """
                  {"QueueUrl": "%s/%s/%s", "MaxNumberOfMessages": 10, "VisibilityTimeout": 600,
                   "MessageAttributeNames": ["All"], "AttributeNames": ["All"]}
                  """
                      .formatted(url, ACCOUNT, queue))
              .path("Messages");
      if (batch.isEmpty()) {
        return all;
      }
      batch.forEach(all::add);
    }
  }

  private static String attribute(JsonNode message, String name) {
    return message.path("MessageAttributes").path(name).path("StringValue").asString("");
  }

  @Test
  void aMessageArrivesWithItsAttributes() throws Exception {
    create("orders");
    var attempt =
        TestAttempts.of(
            Protocol.QUEUE,
            "orders",
            new CarrierContent("application/json", "{\"order\": \"7 \u20ac\"}".getBytes(UTF_8)),
            "{\"kind\": \"new\", \"weight\": 1.50, \"gift\": true}");

    AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);

    assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    JsonNode message = drain("orders").get(0);
    assertThat(outcome.summary())
        .isEqualTo("200 enqueued as " + message.path("MessageId").asString());
    assertThat(message.path("Body").asString()).isEqualTo("{\"order\": \"7 \u20ac\"}");
    assertThat(attribute(message, "content-type")).isEqualTo("application/json");
    assertThat(attribute(message, "reprise-message-id")).isEqualTo(attempt.message().toString());
    assertThat(attribute(message, "kind")).isEqualTo("new");
    assertThat(attribute(message, "weight")).startsWith("1.5");
    assertThat(attribute(message, "gift")).isEqualTo("true");
  }

  @Test
  void bytesThatAreNoTextArriveInBase64() throws Exception {
    create("pictures");
    var content = new CarrierContent("image/png", new byte[] {(byte) 0x89, 'P', 0, 1});

    assertThat(
            CarrierCalls.send(carrier, TestAttempts.of(Protocol.QUEUE, "pictures", content, "{}"))
                .succeeded())
        .isTrue();

    JsonNode message = drain("pictures").get(0);
    assertThat(message.path("Body").asString()).isEqualTo("iVAAAQ==");
    assertThat(attribute(message, "reprise-encoding")).isEqualTo("base64");
  }

  @Test
  void aRepetitionIsStoredOnceByAFifoQueue() throws Exception {
    create("orders.fifo");
    var attempt = TestAttempts.of(Protocol.QUEUE, "orders.fifo", "hello");

    assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
    assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();

    List<JsonNode> messages = drain("orders.fifo");
    assertThat(messages).hasSize(1);
    assertThat(messages.get(0).path("Attributes").path("MessageGroupId").asString())
        .isEqualTo(attempt.subscription());
  }

  @Test
  void twoSubscriptionsOfOneFifoQueueGetTwoMessages() throws Exception {
    create("shared.fifo");
    CarrierAttempt first = TestAttempts.of(Protocol.QUEUE, "shared.fifo", "hello");
    for (String subscription : List.of("orders-1", "an id with blanks ".repeat(10))) {
      CarrierAttempt attempt = TestAttempts.withSubscription(first, first.topic(), subscription);
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);
      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    }

    assertThat(drain("shared.fifo")).hasSize(2);
  }

  @Test
  void attributesThatSqsDoesNotTakeArriveAsText() throws Exception {
    create("odd");
    String odd = "{\"a\": 1e200, \"b\": \"x\\uffff\", \"c\": [\"\\u0001\"]}";
    var content = new CarrierContent("text/plain", "hello".getBytes(UTF_8));

    AttemptOutcome outcome =
        CarrierCalls.send(carrier, TestAttempts.of(Protocol.QUEUE, "odd", content, odd));

    assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    assertThat(attribute(drain("odd").get(0), "reprise-attributes"))
        .contains("\\uFFFF")
        .matches("[ -~]+");
  }

  @Test
  void tooManyAttributesArriveAsOne() throws Exception {
    create("many");
    StringBuilder attributes = new StringBuilder("{\"a0\": 0");
    for (int i = 1; i < 12; i++) {
      attributes.append(", \"a").append(i).append("\": ").append(i);
    }
    var content = new CarrierContent("text/plain", "hello".getBytes(UTF_8));

    assertThat(
            CarrierCalls.send(
                    carrier, TestAttempts.of(Protocol.QUEUE, "many", content, attributes + "}"))
                .succeeded())
        .isTrue();

    assertThat(JSON.readTree(attribute(drain("many").get(0), "reprise-attributes")))
        .isEqualTo(JSON.readTree(attributes + "}"));
  }

  @Test
  void oneQueueThatDoesNotExistAmongGoodOnes() throws Exception {
    create("good");
    Set<String> sent = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      var attempt = TestAttempts.of(Protocol.QUEUE, i == 70 ? "missing" : "good", "hello " + i);
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);
      if (i == 70) {
        assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
        assertThat(outcome.summary()).contains("QueueDoesNotExist");
      } else {
        assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
        sent.add("hello " + i);
      }
    }

    List<JsonNode> received = drain("good");
    assertThat(received).hasSize(199);
    assertThat(received).extracting(message -> message.path("Body").asString()).containsAll(sent);
    assertThat(carrier.state().fault()).isNull();
  }

  @Test
  void aMessageThatIsTooLargeIsGivenUp() throws Exception {
    create("small");

    AttemptOutcome outcome = enqueue(carrier, "small", "x".repeat(2 * 1024 * 1024));

    assertThat(outcome.failure()).as(outcome.summary()).isEqualTo(CarrierFailure.PERMANENT);
  }

  @Test
  void aServerThatStopsAndComesBackCostsNothing() throws Exception {
    SQSRestServer own = SQSRestServerBuilder.withDynamicPort().withInterface("127.0.0.1").start();
    int port = own.waitUntilStarted().localAddress().getPort();
    own.stopAndWait();
    Carrier carrierOfOwn =
        carrier("http://127.0.0.1:" + port, ", \"accountId\": \"" + ACCOUNT + "\"");
    AttemptOutcome down = enqueue(carrierOfOwn, "orders", "hello");
    assertThat(down.made()).isFalse();
    assertThat(carrierOfOwn.state().fault()).isNotNull();

    SQSRestServer again = SQSRestServerBuilder.withPort(port).withInterface("127.0.0.1").start();
    try {
      again.waitUntilStarted();
      AttemptOutcome next =
          Await.value(
              "an attempt that is made",
              () -> enqueue(carrierOfOwn, "orders", "hello"),
              AttemptOutcome::made);
      // The server answers again: it has lost its queues, which are in its memory.
      assertThat(next.summary()).contains("QueueDoesNotExist");
      assertThat(carrierOfOwn.state().fault()).isNull();
      assertThat(context.recoveries()).isEqualTo(1);
    } finally {
      again.stopAndWait();
    }
  }
}
