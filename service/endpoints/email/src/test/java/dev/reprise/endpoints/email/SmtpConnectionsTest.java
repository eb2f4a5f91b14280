package dev.reprise.endpoints.email;

import static dev.reprise.endpoints.email.ScriptedSmtpServer.HANG_UP;
import static dev.reprise.endpoints.email.ScriptedSmtpServer.SILENCE;
import static dev.reprise.endpoints.email.ScriptedSmtpServer.THEN_HANG_UP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.carrier.CarrierException;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.endpoints.email.SmtpCarrier.Limits;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.Await;
import dev.reprise.testkit.RefusingPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How connections are made, kept, replaced and closed. */
class SmtpConnectionsTest {
  private static final String LOGIN = ", \"username\": \"reprise\", \"password\": \"s3cret\"";

  private final ScriptedSmtpServer server = new ScriptedSmtpServer();

  @AfterEach
  void close() {
    server.close();
  }

  private SmtpCarrier carrier(int maxInFlight, Limits limits) {
    return new SmtpCarrier(
        SmtpTests.settings(server.address(), ""), new TestContext(maxInFlight), limits);
  }

  private SmtpCarrier carrier(int maxInFlight) {
    return carrier(maxInFlight, SmtpTests.PATIENT);
  }

  private static Limits closingIn(Duration closing) {
    Limits patient = SmtpTests.PATIENT;
    return new Limits(
        patient.idle(),
        patient.messages(),
        patient.silence(),
        patient.goodbye(),
        closing,
        patient.test());
  }

  private static void sendWell(SmtpCarrier carrier) throws InterruptedException {
    AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
    assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
  }

  @Test
  void oneConnectionCarriesManyMessages() throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      for (int i = 0; i < 10; i++) {
        sendWell(carrier);
      }
      assertThat(carrier.state().connections()).isEqualTo(1);
    }
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.count("QUIT")).isEqualTo(1);
    assertThat(server.count("NOOP") + server.count("RSET")).isZero();
  }

  @Test
  void connectionCarriesSoManyMessagesAndNoMore() throws Exception {
    Limits limits = limits(Duration.ofMinutes(10), 3);
    try (SmtpCarrier carrier = carrier(1, limits)) {
      for (int i = 0; i < 7; i++) {
        sendWell(carrier);
      }
    }
    assertThat(server.connections()).isEqualTo(3);
    assertThat(server.count("QUIT")).isEqualTo(3);
  }

  @Test
  void idleConnectionIsClosed() throws Exception {
    Limits limits = limits(Duration.ofMillis(10), 100);
    try (SmtpCarrier carrier = carrier(1, limits)) {
      sendWell(carrier);
      server.awaitCommand("QUIT");
      sendWell(carrier);
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  private static Limits limits(Duration idle, int messages) {
    Limits patient = SmtpTests.PATIENT;
    return new Limits(
        idle, messages, patient.silence(), patient.goodbye(), patient.closing(), patient.test());
  }

  @Test
  void everyThreadHasAConnection() throws Exception {
    try (SmtpCarrier carrier = carrier(4)) {
      List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        outcomes.add(CarrierCalls.start(carrier, SmtpTests.attempt()));
      }
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        assertThat(CarrierCalls.await(outcome).succeeded()).isTrue();
      }
      assertThat(server.connections()).isBetween(1, 4);
      assertThat(carrier.state().inFlight()).isZero();
    }
  }

  @Test
  void oneAttemptTooManyIsGivenBack() throws Exception {
    server.answering("RCPT", SILENCE);
    SmtpCarrier carrier = carrier(1, closingIn(Duration.ofMillis(1)));
    var first = CarrierCalls.start(carrier, SmtpTests.attempt());
    server.awaitCommand("RCPT");

    AttemptOutcome second = CarrierCalls.send(carrier, SmtpTests.attempt());

    assertThat(second.made()).isFalse();
    assertThat(carrier.state().inFlight()).isEqualTo(1);
    carrier.close();
    assertThat(CarrierCalls.await(first).made()).isFalse();
  }

  @Test
  void connectionThatDiedIsReplacedUnnoticed() throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      sendWell(carrier);
      server.dropConnections();
      sendWell(carrier);

      assertThat(server.connections()).isEqualTo(2);
      assertThat(server.messages).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"421 4.4.2 timeout" + THEN_HANG_UP, HANG_UP})
  void connectionThatTheRelayHasEndedIsReplaced(String answer) throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      sendWell(carrier);
      server.answering("MAIL", 1, answer);
      sendWell(carrier);

      assertThat(server.connections()).isEqualTo(2);
      assertThat(carrier.state().fault()).isNull();
    }
  }

  @Test
  void silentConnectionIsReplaced() throws Exception {
    Limits patient = SmtpTests.PATIENT;
    Limits limits =
        new Limits(
            patient.idle(),
            patient.messages(),
            Duration.ofMillis(200),
            patient.goodbye(),
            patient.closing(),
            patient.test());
    try (SmtpCarrier carrier = carrier(1, limits)) {
      sendWell(carrier);
      server.answering("MAIL", 1, SILENCE);
      sendWell(carrier);

      assertThat(server.connections()).isEqualTo(2);
    }
  }

  /** A fresh connection that fails as well is not replaced again. */
  @Test
  void replacementIsMadeOnce() throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      sendWell(carrier);
      server.answering("RCPT", HANG_UP);

      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isTrue();
      assertThat(outcome.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  /** The message may have been taken: it is not sent twice in one attempt. */
  @Test
  void contentIsSentOnceInAnAttempt() throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      sendWell(carrier);
      server.answering("END", HANG_UP);

      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.failure()).isEqualTo(CarrierFailure.CONNECTION_LOST);
      assertThat(server.count("DATA")).isEqualTo(2);
    }
  }

  @Test
  void relayThatRefusesConnectionsIsAFault() throws Exception {
    try (RefusingPort port = RefusingPort.take();
        SmtpCarrier carrier = SmtpTests.carrier("127.0.0.1:" + port.number(), "")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary())
          .isEqualTo("127.0.0.1:" + port.number() + ": connection refused");
    }
  }

  @Test
  void unknownHostIsAFault() throws Exception {
    // No label of a name may be this long, so no name server is asked.
    String host = "a".repeat(64) + ".invalid";
    try (SmtpCarrier carrier = SmtpTests.carrier(host, "")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).isEqualTo(host + ":587: unknown host");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"554 5.3.2 no service", HANG_UP})
  void nextRelayStandsIn(String greeting) throws Exception {
    try (ScriptedSmtpServer bad = new ScriptedSmtpServer();
        RefusingPort port = RefusingPort.take()) {
      bad.answering("GREETING", greeting);
      String list =
          "127.0.0.1:%d\", \"%s\", \"%s".formatted(port.number(), bad.address(), server.address());
      SmtpSettings settings =
          SmtpTests.read(
              "{\"addresses\": [\"%s\"], \"security\": \"none\", \"from\": \"a@b.c\"}"
                  .formatted(list));
      try (SmtpCarrier carrier = SmtpTests.carrier(settings, new TestContext(1))) {
        sendWell(carrier);
        server.dropConnections();
        sendWell(carrier);

        // It is not asked first again so soon.
        assertThat(bad.connections()).isEqualTo(1);
        assertThat(server.connections()).isEqualTo(2);
      }
    }
  }

  @Test
  void faultNamesEveryRelay() throws Exception {
    try (ScriptedSmtpServer other = new ScriptedSmtpServer()) {
      server.answering("GREETING", "554 one");
      other.answering("GREETING", "554 two");
      SmtpSettings settings =
          SmtpTests.read(
              "{\"addresses\": [\"%s\", \"%s\"], \"security\": \"none\", \"from\": \"a@b.c\"}"
                  .formatted(server.address(), other.address()));
      try (SmtpCarrier carrier = SmtpTests.carrier(settings, new TestContext(1))) {
        assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).summary())
            .contains(server.address() + ": 554 one", other.address() + ": 554 two");
      }
    }
  }

  /** Ten logins at once with a password that is wrong lock an account. */
  @Test
  void wrongPasswordIsTriedOnce() throws Exception {
    server.offering("AUTH PLAIN").answering("AUTH", "535 5.7.8 wrong");
    SmtpSettings settings = SmtpTests.settings(server.address(), LOGIN);
    try (SmtpCarrier carrier = SmtpTests.carrier(settings, new TestContext(4))) {
      List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        outcomes.add(CarrierCalls.start(carrier, SmtpTests.attempt()));
      }
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        assertThat(CarrierCalls.await(outcome).made()).isFalse();
      }
    }
    // On a machine that stands still for seconds, further tries may follow the first.
    assertThat(server.count("AUTH")).isBetween(1L, 3L);
  }

  @Test
  void secretIsNeverShown() throws Exception {
    server.offering("AUTH LOGIN").answering("AUTH", "535 5.7.8 wrong");
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), LOGIN)) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
      assertThat(outcome.summary() + carrier.state()).doesNotContain("s3cret");
    }
  }

  @Test
  void loginThatIsNotOfferedIsAFault() throws Exception {
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), LOGIN)) {
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).summary())
          .isEqualTo(server.address() + ": a username is set, but no AUTH is offered");
    }
    server.offering("AUTH GSSAPI CRAM-MD5");
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), LOGIN)) {
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).summary())
          .isEqualTo(server.address() + ": AUTH is not offered as PLAIN or LOGIN");
    }
    assertThat(server.messages).isEmpty();
  }

  @Test
  void helloNamesThisMachine() throws Exception {
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), "")) {
      sendWell(carrier);
    }
    try (SmtpCarrier carrier =
        SmtpTests.carrier(server.address(), ", \"heloName\": \"host.example.com\"")) {
      sendWell(carrier);
    }
    assertThat(server.commands).contains("EHLO [127.0.0.1]", "EHLO host.example.com");
  }

  @Test
  void relayThatKnowsReportsIsAskedForThem() throws Exception {
    server.offering("DSN");
    var attempt = SmtpTests.attempt();
    try (SmtpCarrier carrier =
        SmtpTests.carrier(server.address(), ", \"returnPath\": \"b@example.com\"")) {
      assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
    }
    assertThat(server.commands)
        .contains(
            "MAIL FROM:<b@example.com> RET=HDRS ENVID="
                + attempt.message()
                + "."
                + attempt.subscription()
                + "@example.com",
            "RCPT TO:<ann@example.net>");
  }

  @Test
  void dotsAndLineEndsArriveAsTheyWere() throws Exception {
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), "")) {
      var attempt = SmtpTests.attempt(".\n..\r\nRCPT TO:<x@y.z>\r.\r\nend", "", "");
      assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
    }
    assertThat(server.awaitMessage())
        .endsWith("\r\n\r\n.\r\n..\r\nRCPT TO:<x@y.z>\r\n.\r\nend\r\n");
    assertThat(server.count("RCPT")).isEqualTo(1);
  }

  @Test
  void testConnectsAndSendsNothing() throws Exception {
    server.offering("AUTH PLAIN");
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), LOGIN)) {
      String reached = carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES);

      assertThat(reached)
          .isEqualTo("%s (%s), logged in as reprise".formatted(server.address(), server.address()));
      server.awaitCommand("QUIT");
      assertThat(server.commands.stream().map(command -> command.replaceFirst(" .*", "")))
          .containsExactly("EHLO", "AUTH", "NOOP", "QUIT");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EHLO", "AUTH", "NOOP"})
  void testTellsWhatIsInTheWay(String verb) {
    server.offering("AUTH PLAIN").answering(verb, "554 5.7.0 no").answering("HELO", "554 5.7.0 no");
    try (SmtpCarrier carrier = SmtpTests.carrier(server.address(), LOGIN)) {
      assertThatThrownBy(() -> carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(CarrierException.class)
          .hasMessage(server.address() + ": 554 5.7.0 no (in reply to " + verb + ")");
      assertThat(carrier.state().fault()).isNull();
    }
  }

  @Test
  void closedCarrierGivesBack() throws Exception {
    SmtpCarrier carrier = carrier(1);
    sendWell(carrier);
    carrier.close();

    assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).made()).isFalse();
    assertThat(carrier.state().connections()).isZero();
    // A thread has told of its end a moment before it is gone.
    Await.value(
        "its threads end",
        () -> threads(),
        all -> all.stream().noneMatch(name -> name.startsWith("smtp-test")));
    assertThatThrownBy(() -> carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
        .hasRootCauseInstanceOf(CarrierException.class);
  }

  /** Of what surely was not sent the claim is given back; the other may arrive twice. */
  @ParameterizedTest
  @ValueSource(strings = {"GREETING", "MAIL", "RCPT", "END"})
  void closingEndsWhatIsUnderWay(String verb) throws Exception {
    server.answering(verb, SILENCE);
    SmtpCarrier carrier = carrier(2, closingIn(Duration.ofMillis(100)));
    var first = CarrierCalls.start(carrier, SmtpTests.attempt());
    var second = CarrierCalls.start(carrier, SmtpTests.attempt());
    var test = carrier.test().toCompletableFuture();
    if (!verb.equals("GREETING")) {
      server.awaitCommand(verb);
    }

    carrier.close();

    boolean doubt = verb.equals("END");
    assertThat(List.of(CarrierCalls.await(first), CarrierCalls.await(second)))
        .anySatisfy(
            outcome -> {
              assertThat(outcome.made()).isEqualTo(doubt);
              assertThat(outcome.succeeded()).isFalse();
            });
    assertThat(test.handle((reached, failure) -> true).get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void attemptUnderWayMayEndWhenTheCarrierIsClosed() throws Exception {
    SmtpCarrier carrier = carrier(1);
    sendWell(carrier);
    var last = CarrierCalls.start(carrier, SmtpTests.attempt());
    server.awaitCommand("END");
    server.awaitCommand("END");

    carrier.close();

    assertThat(CarrierCalls.await(last).succeeded()).isTrue();
  }

  @Test
  void timeOfAnAttemptIncludesWaitingForAThread() throws Exception {
    server.answering("MAIL", 1, SILENCE);
    try (SmtpCarrier carrier = carrier(1)) {
      AttemptOutcome outcome =
          CarrierCalls.send(
              carrier, TestAttempts.withTimeout(SmtpTests.attempt(), Duration.ofMillis(1)));

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.failure()).isNotNull();
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .toList();
  }

  @Test
  void whatMayNotBeginIsNotSent() throws Exception {
    try (SmtpCarrier carrier = carrier(1)) {
      assertThat(
              CarrierCalls.send(carrier, TestAttempts.withStart(SmtpTests.attempt(), () -> false)))
          .isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);
      sendWell(carrier);
      assertThat(carrier.state().inFlight()).isZero();
    }
    assertThat(server.count("MAIL")).isEqualTo(1);
  }

  @Test
  void whatMayNotBeginOnceThereIsAConnectionIsNotSent() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (SmtpCarrier carrier = carrier(1)) {
      assertThat(
              CarrierCalls.send(
                  carrier,
                  TestAttempts.withStart(SmtpTests.attempt(), () -> asked.incrementAndGet() == 1)))
          .isEqualTo(AttemptOutcome.MAY_NOT_BEGIN);
      sendWell(carrier);
    }
    assertThat(asked).hasValue(2);
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.count("MAIL")).isEqualTo(1);
  }
}
