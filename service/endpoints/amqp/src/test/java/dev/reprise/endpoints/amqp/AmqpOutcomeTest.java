package dev.reprise.endpoints.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.Carrier;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.test.driver.ProtonTestServer;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The outcome of an attempt, for all that a broker can answer. */
@Tag("slow")
final class AmqpOutcomeTest {
  private static final int CREDIT = 100;
  private static final Duration SHORT = Duration.ofMillis(300);

  static List<Arguments> answers() {
    return List.of(
        answer("accepted", s -> s.expectTransfer().accept(), null, "accepted"),
        answer("released", s -> s.expectTransfer().release(), CarrierFailure.TRANSIENT, "released"),
        answer(
            "modified",
            s -> s.expectTransfer().modify(true, false),
            CarrierFailure.TRANSIENT,
            "modified: delivery failed"),
        answer(
            "modified, undeliverable here",
            s -> s.expectTransfer().modify(true, true),
            CarrierFailure.PERMANENT,
            "modified: undeliverable here"),
        answer(
            "rejected",
            s -> s.expectTransfer().reject("amqp:not-allowed", "no\r\ntext here"),
            CarrierFailure.PERMANENT,
            "rejected: amqp:not-allowed (no text here)"),
        answer(
            "rejected for a reason of a stranger",
            s -> s.expectTransfer().reject("acme:bad-poem", "does not rhyme"),
            CarrierFailure.PERMANENT,
            "rejected: acme:bad-poem (does not rhyme)"),
        answer(
            "rejected, full",
            s -> s.expectTransfer().reject("amqp:resource-limit-exceeded", "full"),
            CarrierFailure.THROTTLED,
            "rejected: amqp:resource-limit-exceeded (full)"),
        answer(
            "rejected, busy",
            s -> s.expectTransfer().reject("com.microsoft:server-busy", "later"),
            CarrierFailure.THROTTLED,
            "rejected: com.microsoft:server-busy (later)"),
        answer(
            "rejected, an error of the broker",
            s -> s.expectTransfer().reject("amqp:internal-error", "oops"),
            CarrierFailure.TRANSIENT,
            "rejected: amqp:internal-error (oops)"),
        answer(
            "settled without an outcome",
            s -> s.expectTransfer().respond().withSettled(true),
            CarrierFailure.TRANSIENT,
            "settled by the broker without an outcome"),
        answer(
            "closed in the middle",
            s -> {
              s.expectTransfer();
              s.remoteDetach()
                  .withClosed(true)
                  .withErrorCondition("amqp:link:detach-forced", "bye")
                  .queue();
              s.expectDetach();
              s.expectEnd().optional();
            },
            CarrierFailure.TRANSIENT,
            "link detached by the broker: amqp:link:detach-forced (bye)"),
        answer(
            "detached in the middle",
            s -> {
              s.expectTransfer();
              s.remoteDetach()
                  .withClosed(false)
                  .withErrorCondition("amqp:resource-deleted", "gone")
                  .queue();
              s.expectDetach();
              s.expectEnd().optional();
            },
            CarrierFailure.TRANSIENT,
            "link detached by the broker: amqp:resource-deleted (gone)"),
        answer(
            "too large for the broker",
            s -> {
              s.expectTransfer();
              s.remoteDetach()
                  .withClosed(true)
                  .withErrorCondition("amqp:link:message-size-exceeded", "5 bytes")
                  .queue();
              s.expectDetach();
              s.expectEnd().optional();
            },
            CarrierFailure.PERMANENT,
            "link detached by the broker: amqp:link:message-size-exceeded (5 bytes)"),
        answer(
            "session ended in the middle",
            s -> {
              s.expectTransfer();
              s.remoteEnd().withErrorCondition("amqp:session:window-violation", "bye").queue();
              s.expectEnd();
            },
            CarrierFailure.TRANSIENT,
            "session ended by the broker: amqp:session:window-violation (bye)"),
        answer(
            "connection closed in the middle",
            s -> {
              s.expectTransfer();
              s.remoteClose().withErrorCondition("amqp:connection:forced", "bye").queue();
              s.expectClose();
            },
            CarrierFailure.CONNECTION_LOST,
            "amqp:connection:forced (bye)"),
        answer(
            "hung up in the middle",
            s -> {
              s.expectTransfer();
              s.dropAfterLastHandler();
            },
            CarrierFailure.CONNECTION_LOST,
            "connection lost before the outcome: "));
  }

  private static Arguments answer(
      String name, Consumer<ProtonTestServer> script, CarrierFailure failure, String summary) {
    return arguments(name, script, failure, summary);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("answers")
  void outcomeOfAnswer(
      String name, Consumer<ProtonTestServer> script, CarrierFailure failure, String summary)
      throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().grant(CREDIT)) {
      script.accept(broker.script());
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, "orders");

        assertThat(outcome.failure()).isEqualTo(failure);
        assertThat(outcome.summary()).contains(summary).doesNotContain("\n");
        assertThat(outcome.address()).startsWith("127.0.0.1:");
        assertThat(outcome.made()).isTrue();
        assertThat(carrier.state().inFlight()).isZero();
      }
    }
  }

  static List<Arguments> refusals() {
    return List.of(
        arguments("amqp:not-found", RetrySafety.YES, false),
        arguments("amqp:internal-error", RetrySafety.YES, false),
        arguments("amqp:resource-limit-exceeded", RetrySafety.YES, true),
        arguments("amqp:link:detach-forced", RetrySafety.YES, false),
        arguments("acme:whatever", RetrySafety.YES, false),
        arguments("amqp:not-allowed", RetrySafety.NO, false),
        arguments("amqp:invalid-field", RetrySafety.NO, false));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void outcomeOfRefusedLink(String condition, RetrySafety safety, boolean throttle)
      throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      broker.script().expectAttach().ofSender().reject(true, condition, "no");
      broker.script().expectDetach();
      broker.script().expectEnd();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, "orders");

        RetryInfo failure = outcome.failure();
        assertThat(failure).isNotNull();
        assertThat(failure.isRetrySafe()).isEqualTo(safety);
        assertThat(failure.isThrottle()).isEqualTo(throttle);
        assertThat(outcome.made()).isTrue();
        assertThat(outcome.summary()).isEqualTo("link refused: " + condition + " (no)");
        assertThat(carrier.state().fault()).isNull();
      }
    }
  }

  @Test
  void sessionEndedOverItsAddressIsARefusedLink() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      broker.script().expectAttach().ofSender();
      broker.script().remoteEnd().withErrorCondition("amqp:invalid-field", "no such").queue();
      broker.script().expectEnd();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, "/nonsense");

        assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
        assertThat(outcome.summary())
            .isEqualTo("link refused by the session's end: amqp:invalid-field (no such)");
      }
    }
  }

  @Test
  void unauthorizedAccountIsTheCarriersFault() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      for (int i = 1; i <= CarrierFault.MIN_ALIKE; i++) {
        if (i > 1) {
          broker.script().expectBegin().respond();
        }
        broker.script().expectAttach().ofSender().reject(true, "amqp:unauthorized-access", "no");
        broker.script().expectDetach();
        broker.script().expectEnd();
      }
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
          AttemptOutcome alone = AmqpCalls.send(carrier, "orders-" + i);
          assertThat(alone.made()).isTrue();
          assertThat(alone.failure()).isEqualTo(CarrierFailure.TRANSIENT);
          assertThat(carrier.state().fault()).isNull();
        }
        AttemptOutcome outcome = AmqpCalls.send(carrier, "orders-5");

        assertThat(outcome.made()).isFalse();
        assertThat(carrier.state().fault())
            .isEqualTo("orders-5: link refused: amqp:unauthorized-access (no)");
        assertThat(AmqpCalls.send(carrier, "orders-5").made()).isFalse();
      }
    }
  }

  @Test
  void oneForbiddenAddressIsItsOwnFaultWhereOthersWork() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().grant(CREDIT)) {
      broker.script().expectTransfer().accept();
      broker.script().expectTransfer().reject("amqp:unauthorized-access", "not you");
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        assertThat(AmqpCalls.send(carrier, "orders").succeeded()).isTrue();
        AttemptOutcome outcome = AmqpCalls.send(carrier, "orders");

        assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
        assertThat(outcome.made()).isTrue();
        assertThat(carrier.state().fault()).isNull();
      }
    }
  }

  @Test
  void noCreditIsATimeoutThatSaysSo() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().attach();
        Carrier carrier = AmqpCalls.open(broker.start())) {
      AttemptOutcome outcome = timedOut(carrier, "no credit");

      assertThat(outcome.summary()).startsWith("no credit from the broker within ");
    }
  }

  @Test
  void linkWithoutAnswerIsATimeout() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      broker.script().expectAttach().ofSender();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        assertThat(timedOut(carrier, "no answer to the link").failure())
            .isEqualTo(CarrierFailure.TIMEOUT);
      }
    }
  }

  @Test
  void messageNeverSettledIsATimeout() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().grant(CREDIT)) {
      broker.script().expectTransfer();
      broker.script().expectDisposition().withSettled(true);
      broker.script().expectTransfer().accept();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        AttemptOutcome outcome =
            CarrierCalls.send(carrier, AmqpCalls.attempt("orders", Duration.ofSeconds(5)));

        assertThat(outcome.failure()).isEqualTo(CarrierFailure.TIMEOUT);
        assertThat(outcome.summary()).isEqualTo("no outcome from the broker within 5000 ms");
        assertThat(AmqpCalls.send(carrier, "orders").succeeded()).isTrue();
      }
    }
  }

  /** Tries with more and more time until the step that the test is about is reached. */
  private static AttemptOutcome timedOut(Carrier carrier, String summary)
      throws InterruptedException {
    for (Duration time = SHORT; time.toMinutes() < 1; time = time.multipliedBy(2)) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, AmqpCalls.attempt("orders", time));
      if (outcome.summary().contains(summary)) {
        assertThat(outcome.failure()).isEqualTo(CarrierFailure.TIMEOUT);
        return outcome;
      }
    }
    throw new AssertionError("never: " + summary);
  }

  @Test
  void secondAnswerIsPassedOver() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().grant(CREDIT)) {
      broker.script().expectTransfer().accept();
      broker
          .script()
          .remoteDisposition()
          .withRole(true)
          .withFirst(0)
          .withSettled(true)
          .withState()
          .released()
          .queue();
      broker.script().expectTransfer().accept();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        assertThat(AmqpCalls.send(carrier, "orders").succeeded()).isTrue();
        assertThat(AmqpCalls.send(carrier, "orders").succeeded()).isTrue();
      }
    }
  }

  @Test
  void messageThatIsTooLargeIsNotSent() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      broker
          .script()
          .expectAttach()
          .ofSender()
          .respond()
          .withMaxMessageSize(UnsignedLong.valueOf(100));
      broker
          .script()
          .remoteFlow()
          .withLinkCredit(10)
          .withDeliveryCount(0)
          .withNextIncomingId(0)
          .withIncomingWindow(1_000)
          .withOutgoingWindow(1_000)
          .withNextOutgoingId(0)
          .withHandle(0)
          .queue();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        AttemptOutcome outcome = AmqpCalls.send(carrier, "orders");

        assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
        assertThat(outcome.summary()).startsWith("not sent: amqp:link:message-size-exceeded");
      }
    }
  }

  @Test
  @SuppressWarnings(
      "try") // What is under way when the carrier is closed is what the test is about.
  void moreThanTheMostInFlightIsGivenBack() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().grant(CREDIT)) {
      int most = 3;
      for (int i = 0; i < most; i++) {
        broker.script().expectTransfer();
      }
      try (Carrier carrier = AmqpCalls.open(broker.start(), new TestContext(most), "")) {
        List<CompletableFuture<AttemptOutcome>> under = new ArrayList<>();
        for (int i = 0; i < most; i++) {
          under.add(AmqpCalls.start(carrier, "orders"));
        }

        assertThat(carrier.state().inFlight()).isEqualTo(most);
        assertThat(AmqpCalls.send(carrier, "orders").made()).isFalse();
        broker.script().waitForScriptToComplete();
        carrier.close();
        for (CompletableFuture<AttemptOutcome> each : under) {
          AttemptOutcome outcome = CarrierCalls.await(each);
          assertThat(outcome.failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
          assertThat(outcome.summary()).isEqualTo("the carrier is closed before the outcome");
        }
        assertThat(AmqpCalls.send(carrier, "orders").made()).isFalse();
      }
    }
  }

  @Test
  void whatMayNotBeginWhenThereIsCreditIsNotSent() throws Exception {
    try (ScriptedBroker broker = new ScriptedBroker().begin()) {
      broker.script().expectAttach().ofSender().respond();
      broker
          .script()
          .remoteFlow()
          .withLinkCredit(10)
          .withDeliveryCount(0)
          .withNextIncomingId(0)
          .withIncomingWindow(1_000)
          .withOutgoingWindow(1_000)
          .withNextOutgoingId(0)
          .withHandle(0)
          .queue();
      try (Carrier carrier = AmqpCalls.open(broker.start())) {
        assertThat(
                CarrierCalls.send(
                    carrier, TestAttempts.withStart(AmqpCalls.attempt("orders"), () -> false)))
            .isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);
      }
    }
  }
}
