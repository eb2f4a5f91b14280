package dev.reprise.endpoints.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.amqp.ArtemisBroker.Stored;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A real broker: ActiveMQ Artemis. */
@Tag("slow")
final class AmqpArtemisTest {
  private static final String ORDERS = "orders";
  private static final String FAILS_WHEN_FULL = "fails-when-full";
  private static final String BLOCKS_WHEN_FULL = "blocks-when-full";
  private static final int ROOM = 5;

  private static ArtemisBroker broker;

  @BeforeAll
  static void startBroker() {
    broker =
        new ArtemisBroker(AmqpCalls.PASSWORD)
            .queues(ORDERS, ArtemisBroker.FORBIDDEN)
            .fullWith(FAILS_WHEN_FULL, ROOM, AddressFullMessagePolicy.FAIL)
            .fullWith(BLOCKS_WHEN_FULL, ROOM, AddressFullMessagePolicy.BLOCK)
            .start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void empty() {
    broker.purge(ORDERS);
  }

  private static Carrier open() {
    return open(new TestContext(100));
  }

  private static Carrier open(TestContext context) {
    return AmqpCalls.open(broker.port(), context, AmqpCalls.login(AmqpCalls.PASSWORD));
  }

  @Test
  void messageArrivesWithItsAttributes() throws Exception {
    CarrierAttempt attempt =
        TestAttempts.of(
            Protocol.QUEUE,
            ORDERS,
            new CarrierContent("application/json", "{\"total\":1}".getBytes(UTF_8)),
            """
            {"kind": "gold", "count": 9007199254740993, "price": 12.5, "exact": 100.00,
             "long": 123456789012345678901234567890, "urgent": true, "tags": ["a", 1], "none": null,
             "reprise-topic": "forged"}
            """);
    try (Carrier carrier = open()) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      assertThat(outcome.summary()).isEqualTo("accepted");
      assertThat(outcome.address()).isEqualTo("127.0.0.1:" + broker.port());
      assertThat(outcome.durationNanos()).isPositive();
    }
    Stored stored = broker.read(ORDERS).get(0);
    assertThat(stored.id()).isEqualTo(attempt.message().toString());
    assertThat(stored.subject()).isEqualTo("orders");
    assertThat(stored.contentType()).isEqualTo("application/json");
    assertThat(stored.durable()).isTrue();
    assertThat(stored.attributes())
        .containsEntry("kind", "gold")
        .containsEntry("count", 9007199254740993L)
        .containsEntry("price", 12.5)
        .containsEntry("exact", 100.0)
        .containsEntry("long", "123456789012345678901234567890")
        .containsEntry("urgent", true)
        .containsEntry("tags", "[\"a\",1]")
        .doesNotContainKey("none")
        .containsEntry("reprise-attempt", 1)
        .containsEntry("reprise-topic", "orders")
        .containsEntry("reprise-subscription", attempt.subscription());
  }

  @Test
  void largeMessageArrivesInSeveralFrames() throws Exception {
    byte[] body = new byte[1 << 20];
    CarrierAttempt attempt =
        TestAttempts.of(Protocol.QUEUE, ORDERS, new CarrierContent("image/png", body), "{}");
    try (Carrier carrier = open()) {
      assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
    }
    assertThat(broker.count(ORDERS)).isEqualTo(2);
  }

  @Test
  void messagesNeedNotBeDurable() throws Exception {
    String settings = AmqpCalls.login(AmqpCalls.PASSWORD) + ", \"durable\": false";
    try (Carrier carrier = AmqpCalls.open(broker.port(), new TestContext(1), settings)) {
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
    }
    assertThat(broker.read(ORDERS).get(0).durable()).isFalse();
  }

  @Test
  void testSaysWhatWasReached() throws Exception {
    try (Carrier carrier = open()) {
      assertThat(CarrierCalls.await(carrier.test().toCompletableFuture()))
          .startsWith("connected to 127.0.0.1:" + broker.port() + " by SASL PLAIN as app");
    }
  }

  @Test
  void wrongPasswordIsTheCarriersFault() throws Exception {
    String wrong = "battery staple";
    try (Carrier carrier =
        AmqpCalls.open(broker.port(), new TestContext(100), AmqpCalls.login(wrong))) {
      AttemptOutcome outcome = AmqpCalls.send(carrier, ORDERS);

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).contains("login refused: SASL outcome 1 auth");
      assertThat(outcome.toString()).doesNotContain(wrong);
      assertThat(carrier.state().fault()).isEqualTo(outcome.summary());
      assertThat(carrier.state().connections()).isZero();
      assertThat(carrier.state().inFlight()).isZero();
      assertThatThrownBy(() -> CarrierCalls.await(carrier.test().toCompletableFuture()))
          .hasCauseInstanceOf(CarrierException.class)
          .hasMessageContaining("login refused");
    }
  }

  @Test
  void addressThatIsNotThereIsTriedAgainLater() throws Exception {
    try (Carrier carrier = open()) {
      AttemptOutcome outcome = AmqpCalls.send(carrier, ArtemisBroker.NEVER_MADE);

      assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(outcome.summary()).startsWith("link refused: amqp:not-found");
      assertThat(carrier.state().fault()).isNull();
    }
  }

  @Test
  void fullQueueThatRefusesIsAThrottle() throws Exception {
    try (Carrier carrier = open()) {
      for (int i = 0; i < ROOM; i++) {
        assertThat(AmqpCalls.send(carrier, FAILS_WHEN_FULL).succeeded()).isTrue();
      }
      AttemptOutcome outcome = AmqpCalls.send(carrier, FAILS_WHEN_FULL);

      assertThat(outcome.failure()).as(outcome.summary()).isEqualTo(CarrierFailure.THROTTLED);
      assertThat(outcome.summary()).contains("amqp:resource-limit-exceeded");
    }
  }

  @Test
  void fullQueueThatBlocksGivesNoCredit() throws Exception {
    try (Carrier carrier = open()) {
      AttemptOutcome last = null;
      // The broker has granted more before it noticed that there is no room.
      for (int i = 0; i < 5_000 && (last == null || last.succeeded()); i++) {
        last =
            CarrierCalls.send(carrier, AmqpCalls.attempt(BLOCKS_WHEN_FULL, Duration.ofSeconds(2)));
      }
      assertThat(last.failure()).isEqualTo(CarrierFailure.TIMEOUT);
      assertThat(last.summary()).contains("no credit from the broker within 2000 ms");

      AttemptOutcome other = AmqpCalls.send(carrier, ORDERS);
      assertThat(other.succeeded()).as(other.summary()).isTrue();
    }
  }

  @Test
  void oneRefusedMessageAmongGoodOnes() throws Exception {
    int good = 200;
    try (Carrier carrier = open(new TestContext(good + 1))) {
      List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
      CompletableFuture<AttemptOutcome> refused = null;
      for (int i = 0; i < good; i++) {
        if (i == good / 2) {
          refused = AmqpCalls.start(carrier, ArtemisBroker.NEVER_MADE);
        }
        outcomes.add(AmqpCalls.start(carrier, ORDERS));
      }
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        assertThat(CarrierCalls.await(outcome).succeeded()).isTrue();
      }
      assertThat(CarrierCalls.await(refused).succeeded()).isFalse();
    }
    assertThat(broker.count(ORDERS)).isEqualTo(good);
  }

  @Test
  void forbiddenQueueDoesNotHoldUpOthers() throws Exception {
    try (Carrier carrier = open()) {
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
      AttemptOutcome outcome = AmqpCalls.send(carrier, ArtemisBroker.FORBIDDEN);

      assertThat(outcome.succeeded()).isFalse();
      assertThat(outcome.made()).isTrue();
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
    }
  }

  @Test
  void carrierOutlivesItsBroker() throws Exception {
    TestContext context = new TestContext(100);
    try (Carrier carrier = open(context)) {
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
      broker.stop();

      AttemptOutcome down = AmqpCalls.send(carrier, ORDERS);
      while (down.made()) {
        // The end of the connection is still on its way.
        assertThat(down.succeeded()).isFalse();
        down = AmqpCalls.send(carrier, ORDERS);
      }
      assertThat(carrier.state().fault()).isNotNull();
      assertThat(carrier.state().faultSinceMillis()).isPositive();

      broker.start();
      assertThat(AmqpCalls.sendUntilMade(carrier, ORDERS).succeeded()).isTrue();
      assertThat(context.recoveries()).isPositive();
      assertThat(carrier.state().fault()).isNull();
      assertThat(carrier.state().connections()).isOne();
    }
  }

  @Test
  void secondAddressIsUsedWhenTheFirstIsDown() throws Exception {
    // Port 1 is nobody's.
    String settings =
        "{\"addresses\": [\"127.0.0.1:1\", \"127.0.0.1:"
            + broker.port()
            + "\"]"
            + AmqpCalls.login(AmqpCalls.PASSWORD)
            + "}";
    AmqpCarrierType type = new AmqpCarrierType();
    try (Carrier carrier = type.open(CarrierCalls.settings(type, settings), new TestContext(1))) {
      assertThat(AmqpCalls.send(carrier, ORDERS).succeeded()).isTrue();
    }
  }

  @Test
  void linksAreNotMoreThanAllowed() throws Exception {
    AmqpCarrierSettings settings =
        AmqpCalls.settings(broker.port(), AmqpCalls.login(AmqpCalls.PASSWORD));
    try (Carrier carrier = new AmqpCarrier(settings, new TestContext(100), 2)) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++) {
          AttemptOutcome outcome = AmqpCalls.send(carrier, "many-" + i);
          assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
        }
      }
    }
  }

  @Test
  void encryptsWithAnAuthorityOfItsOwn(@TempDir Path folder) throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    String pem = json(Files.readString(authority.certificatePem()));
    String stranger = json(Files.readString(TestAuthority.strangerIn(folder).certificatePem()));
    try (ArtemisBroker encrypted =
        new ArtemisBroker(null, authority.server().keyStore(), TestAuthority.KEY_STORE_PASSWORD)
            .queues(ORDERS)
            .start()) {
      try (Carrier carrier =
          AmqpCalls.open(
              encrypted.port(), new TestContext(1), ", \"tls\": true, \"authority\": " + pem)) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, ORDERS);
        assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      }
      try (Carrier carrier =
          AmqpCalls.open(
              encrypted.port(),
              new TestContext(1),
              ", \"tls\": true, \"authority\": " + stranger)) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, ORDERS);
        assertThat(outcome.made()).isFalse();
        assertThat(outcome.summary()).contains("certification path");
      }
    }
  }

  private static String json(String text) {
    return JsonMapper.shared().writeValueAsString(text);
  }
}
