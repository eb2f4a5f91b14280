package dev.reprise.endpoints.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A second real broker, of another house: RabbitMQ 3.10. */
@Tag("slow")
final class AmqpRabbitTest {
  private static final String ORDERS = "/queue/orders";
  private static final String NONSENSE = "/nonsense/orders";

  @TempDir private static Path folder;
  private static RabbitBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = RabbitBroker.start(folder);
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  private static Carrier open(TestContext context, String password) {
    return AmqpCalls.open(
        broker.port(), context, ", \"username\": \"guest\", \"password\": \"" + password + "\"");
  }

  @Test
  void messageIsTaken() throws Exception {
    try (Carrier carrier = open(new TestContext(1), "guest")) {
      assertThat(CarrierCalls.await(carrier.test().toCompletableFuture()))
          .startsWith("connected to 127.0.0.1:");
      AttemptOutcome outcome =
          CarrierCalls.send(
              carrier,
              TestAttempts.of(
                  Protocol.QUEUE,
                  ORDERS,
                  new CarrierContent("text/plain", new byte[300_000]),
                  "{\"kind\": \"gold\", \"count\": 7, \"tags\": [1, 2]}"));
      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    }
  }

  @Test
  void wrongPasswordIsTheCarriersFault() throws Exception {
    try (Carrier carrier = open(new TestContext(1), "wrong")) {
      AttemptOutcome outcome = AmqpCalls.send(carrier, ORDERS);

      assertThat(outcome.made()).isFalse();
      assertThat(carrier.state().fault()).isNotNull();
    }
  }

  @Test
  void addressThatItDoesNotKnowIsPermanent() throws Exception {
    try (Carrier carrier = open(new TestContext(1), "guest")) {
      AttemptOutcome outcome = AmqpCalls.send(carrier, NONSENSE);

      assertThat(outcome.failure()).as(outcome.summary()).isEqualTo(CarrierFailure.PERMANENT);
      assertThat(outcome.summary()).contains("amqp:invalid-field");
    }
  }

  @Test
  void exchangeThatIsNotThereIsTriedAgainLater() throws Exception {
    try (Carrier carrier = open(new TestContext(1), "guest")) {
      AttemptOutcome outcome = AmqpCalls.send(carrier, "/exchange/none/orders");

      assertThat(outcome.failure()).as(outcome.summary()).isEqualTo(CarrierFailure.TRANSIENT);
    }
  }

  @Test
  void sessionThatEndsCostsTheOthersNothing() throws Exception {
    int good = 200;
    try (Carrier carrier = open(new TestContext(good + 1), "guest")) {
      List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
      CompletableFuture<AttemptOutcome> refused = null;
      for (int i = 0; i < good; i++) {
        if (i == good / 2) {
          refused = AmqpCalls.start(carrier, NONSENSE);
        }
        outcomes.add(AmqpCalls.start(carrier, ORDERS));
      }
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        AttemptOutcome each = CarrierCalls.await(outcome);
        assertThat(each.succeeded()).as(each.summary()).isTrue();
      }
      assertThat(CarrierCalls.await(refused).failure()).isEqualTo(CarrierFailure.PERMANENT);
    }
  }
}
