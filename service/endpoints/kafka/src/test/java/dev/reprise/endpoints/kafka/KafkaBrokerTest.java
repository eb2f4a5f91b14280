package dev.reprise.endpoints.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A real broker. */
@Tag("slow")
final class KafkaBrokerTest {
  private static final String ORDERS = "orders";
  private static final int MAX_TRIES = 1_200;

  @TempDir private static Path folder;
  private static KafkaBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = new KafkaBroker(folder).start();
    broker.makeTopic(ORDERS, 3, Map.of());
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  private static Carrier open(int port, TestContext context, String more) {
    KafkaCarrierType type = new KafkaCarrierType();
    return type.open(
        CarrierCalls.settings(type, "{\"addresses\": \"127.0.0.1:" + port + "\"" + more + "}"),
        context);
  }

  private static Carrier open() {
    return open(broker.port(), new TestContext(1_000), "");
  }

  private static String login(String password) {
    return ", \"security\": \"sasl\", \"username\": \"app\", \"password\": "
        + JsonMapper.shared().writeValueAsString(password);
  }

  private static CarrierAttempt attempt(String topic) {
    return TestAttempts.of(Protocol.QUEUE, topic, "hello");
  }

  private static AttemptOutcome send(Carrier carrier, String topic) throws InterruptedException {
    return CarrierCalls.send(carrier, attempt(topic));
  }

  @Test
  void recordArrivesWithItsHeadersAndKey() throws Exception {
    broker.makeTopic("headers", 1, Map.of());
    CarrierAttempt attempt =
        TestAttempts.of(
            Protocol.QUEUE,
            "headers",
            new CarrierContent("application/json", "{\"total\":1}".getBytes(UTF_8)),
            """
            {"kind": "göld", "count": 12.5, "urgent": true, "tags": ["a", 1], "none": null,
             "reprise-topic": "forged"}
            """);
    try (Carrier carrier = open()) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      assertThat(outcome.summary()).isEqualTo("acknowledged: headers-0@0");
      assertThat(carrier.state().connections()).isOne();
      assertThat(carrier.state().inFlight()).isZero();
    }
    ConsumerRecord<byte[], byte[]> stored = broker.read("headers", 1).get(0);
    assertThat(new String(stored.key(), UTF_8)).isEqualTo(attempt.message().toString());
    assertThat(new String(stored.value(), UTF_8)).isEqualTo("{\"total\":1}");
    Map<String, String> headers = new HashMap<>();
    stored
        .headers()
        .forEach(
            each -> assertThat(headers.put(each.key(), new String(each.value(), UTF_8))).isNull());
    assertThat(headers)
        .containsOnly(
            Map.entry("kind", "göld"),
            Map.entry("count", "12.5"),
            Map.entry("urgent", "true"),
            Map.entry("tags", "[\"a\",1]"),
            Map.entry("reprise-message-id", attempt.message().toString()),
            Map.entry("content-type", "application/json"),
            Map.entry("reprise-attempt", "1"),
            Map.entry("reprise-topic", "orders"),
            Map.entry("reprise-subscription", attempt.subscription()));
  }

  @Test
  void keyIsOfAnAttribute() throws Exception {
    broker.makeTopic("keys", 1, Map.of());
    String settings = ", \"keyAttribute\": \"customer\", \"compression\": \"gzip\"";
    try (Carrier carrier = open(broker.port(), new TestContext(1), settings)) {
      CarrierAttempt attempt =
          TestAttempts.of(
              Protocol.QUEUE,
              "keys",
              new CarrierContent("text/plain", new byte[0]),
              "{\"customer\": 42}");
      assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
    }
    assertThat(broker.read("keys", 1).get(0).key()).isEqualTo("42".getBytes(UTF_8));
  }

  @Test
  void recordThatIsTooLargeIsPermanent() throws Exception {
    broker.makeTopic("small", 1, Map.of("max.message.bytes", "1000"));
    try (Carrier carrier = open()) {
      for (int bytes : new int[] {5_000, 5_000_000}) {
        AttemptOutcome outcome =
            CarrierCalls.send(
                carrier,
                TestAttempts.of(
                    Protocol.QUEUE,
                    "small",
                    new CarrierContent("text/plain", new byte[bytes]),
                    "{}"));

        assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
        assertThat(outcome.summary()).startsWith("10 MESSAGE_TOO_LARGE: ");
        assertThat(outcome.status()).isEqualTo(10);
      }
    }
  }

  @Test
  void nameThatNoTopicHasIsPermanent() throws Exception {
    try (Carrier carrier = open()) {
      AttemptOutcome outcome = send(carrier, "no topic");

      assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
      assertThat(outcome.summary()).startsWith("17 INVALID_TOPIC_EXCEPTION: ");
    }
  }

  @Test
  void topicThatIsNotThereIsTriedAgainLater() throws Exception {
    try (Carrier carrier = open()) {
      AttemptOutcome outcome = sendUntilMade(carrier, "later");

      assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(outcome.summary()).startsWith("3 UNKNOWN_TOPIC_OR_PARTITION");
      assertThat(carrier.state().fault()).isNull();

      broker.makeTopic("later", 1, Map.of());
      assertThat(send(carrier, "later").succeeded()).isTrue();
    }
  }

  @Test
  void oneRefusedMessageAmongGoodOnes() throws Exception {
    broker.makeTopic("good", 3, Map.of());
    int good = 200;
    try (Carrier carrier = open()) {
      List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
      List<CompletableFuture<AttemptOutcome>> refused = new ArrayList<>();
      for (int i = 0; i < good; i++) {
        if (i == good / 2) {
          refused.add(CarrierCalls.start(carrier, attempt("no topic")));
          refused.add(CarrierCalls.start(carrier, attempt("nobody-made-it")));
        }
        outcomes.add(CarrierCalls.start(carrier, attempt("good")));
      }
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        AttemptOutcome ended = CarrierCalls.await(outcome);
        assertThat(ended.succeeded()).as(ended.summary()).isTrue();
      }
      for (CompletableFuture<AttemptOutcome> outcome : refused) {
        assertThat(CarrierCalls.await(outcome).succeeded()).isFalse();
      }
    }
    assertThat(broker.read("good", good)).hasSize(good);
  }

  @Test
  void loginIsUsed() throws Exception {
    try (Carrier carrier =
        open(broker.loginPort(), new TestContext(1), login(KafkaBroker.PASSWORD))) {
      assertThat(CarrierCalls.await(carrier.test().toCompletableFuture()))
          .startsWith("connected to cluster ")
          .endsWith(" with 1 broker as app");
      AttemptOutcome outcome = send(carrier, ORDERS);
      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    }
  }

  @Test
  void wrongPasswordIsTheCarriersFault() throws Exception {
    String wrong = "battery staple";
    try (Carrier carrier = open(broker.loginPort(), new TestContext(1), login(wrong))) {
      AttemptOutcome outcome = send(carrier, ORDERS);

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).startsWith("58 SASL_AUTHENTICATION_FAILED: ");
      assertThat(outcome.toString()).doesNotContain(wrong);
      assertThat(carrier.state().fault()).isEqualTo(outcome.summary());
      assertThat(carrier.state().connections()).isZero();
      assertThatThrownBy(() -> CarrierCalls.await(carrier.test().toCompletableFuture()))
          .hasMessageContaining("SASL_AUTHENTICATION_FAILED");
    }
  }

  @Test
  void forbiddenTopicIsItsOwnFault() throws Exception {
    broker.makeForbiddenTopic();
    String settings = login(KafkaBroker.PASSWORD);
    try (Carrier carrier = open(broker.loginPort(), new TestContext(9), settings)) {
      AttemptOutcome outcome = send(carrier, KafkaBroker.FORBIDDEN);
      assertThat(outcome.made()).isTrue();
      assertThat(outcome.summary()).startsWith("29 TOPIC_AUTHORIZATION_FAILED: ");
      assertThat(carrier.state().fault()).isNull();

      assertThat(send(carrier, ORDERS).succeeded()).isTrue();
      outcome = send(carrier, KafkaBroker.FORBIDDEN);
      assertThat(outcome.made()).isTrue();
      assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(send(carrier, ORDERS).succeeded()).isTrue();
    }
  }

  @Test
  void carrierOutlivesItsBroker() throws Exception {
    TestContext context = new TestContext(1_000);
    try (Carrier carrier = open(broker.port(), context, "")) {
      assertThat(send(carrier, ORDERS).succeeded()).isTrue();
      broker.stop();
      try {
        for (int i = 0; carrier.state().fault() == null && i < MAX_TRIES; i++) {
          assertThat(send(carrier, Duration.ofSeconds(1)).succeeded()).isFalse();
        }
        assertThat(carrier.state().fault()).contains("answers");
        assertThat(send(carrier, Duration.ofSeconds(1)).made()).isFalse();
      } finally {
        broker.start();
      }
      sendUntilTaken(carrier, ORDERS);
      assertThat(context.recoveries()).isPositive();
      assertThat(carrier.state().fault()).isNull();
    }
  }

  private static AttemptOutcome send(Carrier carrier, Duration timeout)
      throws InterruptedException {
    return CarrierCalls.send(carrier, TestAttempts.withTimeout(attempt(ORDERS), timeout));
  }

  /**
   * A broker that has just come back may not lead its partitions yet, and refuses until it does.
   */
  private static void sendUntilTaken(Carrier carrier, String topic) throws InterruptedException {
    Await.value(
        "an attempt that succeeds",
        () -> {
          AttemptOutcome outcome = send(carrier, topic);
          assertThat(outcome.failure())
              .as(outcome.summary())
              .isNotEqualTo(CarrierFailure.PERMANENT);
          return outcome;
        },
        AttemptOutcome::succeeded);
  }

  /** Sends as the engine does: what is given back is sent again. */
  private static AttemptOutcome sendUntilMade(Carrier carrier, String topic)
      throws InterruptedException {
    return Await.value("an attempt that is made", () -> send(carrier, topic), AttemptOutcome::made);
  }
}
