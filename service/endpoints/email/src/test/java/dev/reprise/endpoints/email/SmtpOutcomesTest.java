package dev.reprise.endpoints.email;

import static dev.reprise.endpoints.email.ScriptedSmtpServer.HANG_UP;
import static dev.reprise.endpoints.email.ScriptedSmtpServer.SILENCE;
import static dev.reprise.endpoints.email.ScriptedSmtpServer.THEN_HANG_UP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of the outcome table, against a server that says what it is told to. */
class SmtpOutcomesTest {
  private final ScriptedSmtpServer server = new ScriptedSmtpServer();

  /** One thread, which an attempt waits for: it may have to reset its connection yet. */
  private final TestContext context = new TestContext(1);

  @AfterEach
  void close() {
    server.close();
  }

  private SmtpCarrier carrier(String more) {
    return SmtpTests.carrier(SmtpTests.settings(server.address(), more), context);
  }

  private AttemptOutcome send() throws InterruptedException {
    try (SmtpCarrier carrier = carrier("")) {
      return CarrierCalls.send(carrier, SmtpTests.attempt());
    }
  }

  @Test
  void takenMessageNamesTheQueueAndAReceipt() throws Exception {
    CarrierAttempt attempt = SmtpTests.attempt();
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);

      assertThat(outcome.succeeded()).isTrue();
      assertThat(outcome.status()).isEqualTo(250);
      assertThat(outcome.summary()).isEqualTo("250 2.0.0 queued as 4F2");
      assertThat(outcome.address()).isEqualTo(server.address());
      assertThat(outcome.receiptIds())
          .containsExactly(
              "<" + attempt.message() + "." + attempt.subscription() + "@example.com>");
      assertThat(server.awaitMessage()).contains("Message-ID: " + outcome.receiptIds().get(0));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RCPT, 450 4.2.0 greylisted, TRANSIENT",
    "RCPT, 451 try later, TRANSIENT",
    "RCPT, 452 4.5.3 too many recipients, TRANSIENT",
    "RCPT, 499 odd, TRANSIENT",
    "RCPT, 550 5.1.1 no such user, PERMANENT",
    "RCPT, 552 5.2.2 mailbox full, PERMANENT",
    "RCPT, 553 5.1.3 not allowed, PERMANENT",
    "RCPT, 554 5.7.1 relay access denied, TRANSIENT",
    "RCPT, 503 5.5.1 MAIL first, TRANSIENT",
    "MAIL, 552 5.3.4 too large, PERMANENT",
    "DATA, 451 4.3.0 try later, TRANSIENT",
    "DATA, 554 5.5.1 no, PERMANENT",
    "END, 451 4.3.0 try later, TRANSIENT",
    "END, 452 4.3.1 disk full, TRANSIENT",
    "END, 550 5.7.1 spam, PERMANENT",
    "END, 552 5.3.4 too large, PERMANENT",
    "END, 554 transaction failed, PERMANENT"
  })
  void refusedMessageLeavesTheConnectionUsable(String verb, String reply, String failure)
      throws Exception {
    server.answering(verb, 1, reply);
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome refused = CarrierCalls.send(carrier, SmtpTests.attempt());
      AttemptOutcome next = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(refused.failure())
          .isEqualTo(
              failure.equals("PERMANENT") ? CarrierFailure.PERMANENT : CarrierFailure.TRANSIENT);
      assertThat(refused.status()).isEqualTo(Integer.parseInt(reply.substring(0, 3)));
      assertThat(refused.summary()).startsWith(reply + " (in reply to ");
      assertThat(refused.made()).isTrue();
      assertThat(refused.block()).isNull();
      assertThat(refused.receiptIds()).isEmpty();
      assertThat(next.succeeded()).isTrue();
      assertThat(server.connections()).isEqualTo(1);
      assertThat(server.count("RSET")).isEqualTo(1);
      assertThat(carrier.state().fault()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"RCPT", "DATA", "END"})
  void serviceThatGoesDownPausesTheCarrier(String verb) throws Exception {
    server.answering(verb, 1, "421 4.3.2 going down" + THEN_HANG_UP);
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isTrue();
      assertThat(outcome.failure()).isEqualTo(CarrierFailure.THROTTLED);
      assertThat(outcome.status()).isEqualTo(421);
      assertThat(outcome.block()).isNotNull();
      assertThat(outcome.block().reason()).startsWith("421 4.3.2 going down");
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).made()).isFalse();
    }
  }

  /** The next try comes when the backoff allows it, and tells that it works again. */
  @Test
  void carrierRecovers() throws Exception {
    server.answering("GREETING", 1, "421 4.3.2 too many connections");
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
      assertThat(outcome.made()).isFalse();
      assertThat(carrier.state().fault()).contains("421 4.3.2 too many connections");
      assertThat(carrier.state().faultSinceMillis()).isPositive();
      while (!outcome.made()) {
        outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
      }

      assertThat(outcome.succeeded()).isTrue();
      assertThat(context.recoveries()).isEqualTo(1);
      assertThat(carrier.state().fault()).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GREETING, 554 5.3.2 no service",
    "EHLO, 421 4.3.2 going down",
    "AUTH, 535 5.7.8 wrong password",
    "AUTH, 534 5.7.9 too weak",
    "AUTH, 538 5.7.11 encrypt first",
    "AUTH, 454 4.7.0 try later",
    "AUTH, 500 what",
    "MAIL, 451 4.3.0 try later",
    "MAIL, 452 4.3.4 no room for its size",
    "MAIL, 530 5.7.0 log in first",
    "MAIL, 550 5.7.1 not your sender",
    "MAIL, 553 5.1.8 no such domain",
    "RCPT, 530 5.7.0 log in first",
    "RCPT, 550 5.1.8 sender's domain not found",
    "RCPT, 454 4.7.0 Throttling failure: Daily message quota exceeded",
    "END, 554 5.2.252 SendAsDenied; a@example.com not allowed to send as b",
    "END, 550 5.4.5 Daily user sending limit exceeded",
    "END, 535 5.7.8 log in first"
  })
  void faultOfTheCarrierGivesTheClaimBack(String verb, String reply) throws Exception {
    server.offering("AUTH PLAIN LOGIN").answering(verb, reply).answering("HELO", reply);
    try (SmtpCarrier carrier = carrier(", \"username\": \"reprise\", \"password\": \"s3cret\"")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).startsWith(server.address() + ": " + reply + " (in reply to ");
      assertThat(outcome.block()).isNotNull();
      assertThat(carrier.state().fault()).isEqualTo(outcome.summary());
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).summary())
          .isEqualTo(outcome.summary());
      assertThat(context.recoveries()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GREETING", "EHLO", "AUTH", "MAIL"})
  void hangUpBeforeTheMailboxGivesTheClaimBack(String verb) throws Exception {
    server.offering("AUTH PLAIN").answering(verb, HANG_UP);
    try (SmtpCarrier carrier = carrier(", \"username\": \"reprise\", \"password\": \"s3cret\"")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).startsWith(server.address() + ": connection");
    }
  }

  @ParameterizedTest
  @CsvSource({"RCPT, false", "DATA, false", "END, true"})
  void hangUpAfterTheMailboxIsRetried(String verb, boolean doubt) throws Exception {
    server.answering(verb, HANG_UP);

    AttemptOutcome outcome = send();

    assertThat(outcome.made()).isTrue();
    assertThat(outcome.failure())
        .isEqualTo(doubt ? CarrierFailure.CONNECTION_LOST : CarrierFailure.TRANSIENT);
    assertThat(outcome.block()).isNull();
    assertThat(outcome.summary().contains("perhaps the message was taken")).isEqualTo(doubt);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GREETING", "EHLO", "AUTH", "MAIL"})
  void silenceBeforeTheMailboxGivesTheClaimBack(String verb) throws Exception {
    server.offering("AUTH PLAIN").answering(verb, SILENCE);
    AttemptOutcome outcome = sendUntil(verb);

    assertThat(outcome.made()).isFalse();
    assertThat(outcome.summary()).contains("no answer to");
  }

  @ParameterizedTest
  @ValueSource(strings = {"RCPT", "DATA", "END"})
  void silenceAfterTheMailboxIsATimeout(String verb) throws Exception {
    server.offering("AUTH PLAIN").answering(verb, SILENCE);
    AttemptOutcome outcome = sendUntil(verb);

    assertThat(outcome.made()).isTrue();
    assertThat(outcome.failure()).isEqualTo(CarrierFailure.TIMEOUT);
    assertThat(outcome.summary()).startsWith("no answer to ");
    assertThat(outcome.address()).isEqualTo(server.address());
  }

  /** The time grows until the step is reached. */
  private AttemptOutcome sendUntil(String verb) throws InterruptedException {
    String login = ", \"username\": \"reprise\", \"password\": \"s3cret\"";
    Duration timeout = Duration.ofMillis(150);
    while (true) {
      server.commands.clear();
      server.arrived.clear();
      try (SmtpCarrier carrier = carrier(login)) {
        AttemptOutcome outcome =
            CarrierCalls.send(carrier, TestAttempts.withTimeout(SmtpTests.attempt(), timeout));
        if (verb.equals("GREETING") || server.arrived.contains(verb)) {
          return outcome;
        }
      }
      timeout = timeout.multipliedBy(2);
    }
  }

  @Test
  void repliesInPiecesAreRead() throws Exception {
    server.inPieces().answering("RCPT", "550-5.1.1 no\r\n550 5.1.1 such user");

    assertThat(send().summary()).isEqualTo("550 5.1.1 no such user (in reply to RCPT TO)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "99", "250+ok", "", "\u0001\u0002", "250-begun\u0000"})
  void otherRepliesAreNoAnswer(String reply) throws Exception {
    server.answering("RCPT", reply.replace("\u0000", THEN_HANG_UP));

    AttemptOutcome outcome = send();

    assertThat(outcome.made()).isTrue();
    assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
  }

  @Test
  void endlessReplyEnds() throws Exception {
    server.answering("RCPT", "550-" + "x".repeat(2 * RelaySocket.MAX_REPLY_BYTES));

    AttemptOutcome outcome = send();

    assertThat(outcome.made()).isTrue();
    assertThat(outcome.summary()).contains("longer than 262144 bytes");
  }

  /** A relay that has seen enough says so before the end, and hangs up. */
  @Test
  void refusalInTheMiddleOfTheMessageIsTold() throws Exception {
    server.answering("CONTENT", 1, "552 5.3.4 too large" + THEN_HANG_UP);
    String large = "0123456789\n".repeat(300_000);
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt(large, "", ""));

      // What arrives of the reply after a hang-up with unread data is up to the network.
      assertThat(outcome.made()).isTrue();
      assertThat(outcome.failure()).isIn(CarrierFailure.PERMANENT, CarrierFailure.CONNECTION_LOST);
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).succeeded()).isTrue();
    }
  }

  /** An answer too many is not taken for that of the next message. */
  @Test
  void relayThatAnswersTwiceIsLeft() throws Exception {
    server.answering("END", 1, "250 2.0.0 one\r\n250 2.0.0 two");
    try (SmtpCarrier carrier = carrier("")) {
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).succeeded()).isTrue();
      AttemptOutcome second = CarrierCalls.send(carrier, SmtpTests.attempt());
      AttemptOutcome third = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(second.made()).isTrue();
      assertThat(third.succeeded()).isTrue();
      assertThat(server.messages).hasSize(second.succeeded() ? 3 : 2);
    }
  }

  @Test
  void endpointThatIsNoMailboxIsRefusedHere() throws Exception {
    CarrierAttempt bad = TestAttempts.of(Protocol.EMAIL, "ann@example.net>\r\nRSET", "Hello");
    try (SmtpCarrier carrier = carrier("")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, bad);

      assertThat(outcome.failure()).isEqualTo(CarrierFailure.PERMANENT);
      assertThat(outcome.summary()).startsWith("the endpoint must be a mailbox");
      assertThat(server.connections()).isZero();
    }
  }
}
