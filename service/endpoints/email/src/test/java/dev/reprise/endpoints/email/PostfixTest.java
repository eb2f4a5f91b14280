package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Against the mail server that most relays are, with real refusals, greylisting and bounces. */
@Tag("slow")
class PostfixTest {
  @TempDir static Path folder;

  private static final ScriptedSmtpServer BOUNCES = new ScriptedSmtpServer();

  private static Postfix postfix;
  private static String authorityPem;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    authorityPem = Files.readString(authority.certificatePem());
    postfix = Postfix.start(folder, BOUNCES.port(), authority.server());
  }

  @AfterAll
  static void stop() throws Exception {
    BOUNCES.close();
    if (postfix != null) {
      postfix.close();
    }
  }

  private static SmtpCarrier carrier(String from) {
    return SmtpTests.carrier(
        SmtpTests.read(
            """
            {"addresses": "localhost:%d", "from": "%s", "authority": %s,
             "returnPath": "%s"}
            """
                .formatted(
                    postfix.port(),
                    from,
                    JsonMapper.shared().writeValueAsString(authorityPem),
                    from.startsWith("refused") ? from : "bounces+{id}@example.com")),
        new TestContext(1));
  }

  private static AttemptOutcome send(SmtpCarrier carrier, String mailbox)
      throws InterruptedException {
    return CarrierCalls.send(carrier, TestAttempts.of(Protocol.EMAIL, mailbox, "Grüße"));
  }

  @Test
  void refusedMailboxesStandAmongGoodOnes() throws Exception {
    try (SmtpCarrier carrier = carrier("orders@example.com")) {
      AttemptOutcome good = send(carrier, "ann@example.net");
      AttemptOutcome unknown = send(carrier, "unknown@example.net");
      AttemptOutcome full = send(carrier, "full@example.net");
      AttemptOutcome foreign = send(carrier, "ann@elsewhere.example");

      assertThat(good.succeeded()).as(good.summary()).isTrue();
      assertThat(good.summary()).matches("250 2\\.0\\.0 Ok: queued as [0-9A-Za-z]+");
      assertThat(unknown.failure()).isEqualTo(CarrierFailure.PERMANENT);
      assertThat(unknown.summary())
          .startsWith("550 5.1.1 <unknown@example.net>: Recipient address rejected: no such user");
      assertThat(full.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(full.summary()).startsWith("452 4.2.2 ");
      assertThat(foreign.succeeded()).as(foreign.summary()).isTrue();
      assertThat(carrier.state().connections()).isEqualTo(1);
    }
  }

  @Test
  void refusedSenderIsAFaultOfTheCarrier() throws Exception {
    try (SmtpCarrier carrier = carrier("refused@example.com")) {
      AttemptOutcome outcome = send(carrier, "ann@example.net");

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary())
          .contains("553 5.7.1 <refused@example.com>: Sender address rejected: not your sender")
          .endsWith("(in reply to RCPT TO)");
    }
  }

  @Test
  void greylistedMessageIsTakenLater() throws Exception {
    try (SmtpCarrier carrier = carrier("orders@example.com")) {
      var attempt = TestAttempts.of(Protocol.EMAIL, "grey@example.net", "Hello");
      AttemptOutcome first = CarrierCalls.send(carrier, attempt);
      assertThat(first.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      assertThat(first.summary()).startsWith("450 4.2.0 ").contains("Greylisted");

      AttemptOutcome next = CarrierCalls.send(carrier, attempt);
      long start = System.nanoTime();
      while (!next.succeeded() && System.nanoTime() - start < TimeUnit.MINUTES.toNanos(1)) {
        assertThat(next.status()).isEqualTo(450);
        next = CarrierCalls.send(carrier, attempt);
      }
      assertThat(next.succeeded()).as(next.summary()).isTrue();
    }
  }

  @Test
  void bounceOfATakenMessageGivesItsReceipt() throws Exception {
    BOUNCES.answering("RCPT", 1, "550 5.1.1 no such user");
    try (SmtpCarrier carrier = carrier("orders@example.com")) {
      AttemptOutcome outcome = send(carrier, "gone@example.net");
      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();

      String mail = BOUNCES.awaitMessage();

      assertThat(carrier.read(mail.getBytes(UTF_8)))
          .isEqualTo(
              new Receipt(
                  outcome.receiptIds().get(0), false, 550, "failed 5.1.1: 550 5.1.1 no such user"));
      assertThat(mail).contains("Original-Envelope-Id: ");
      assertThat(BOUNCES.commands)
          .anyMatch(command -> command.startsWith("RCPT TO:<bounces+"))
          .anyMatch(command -> command.startsWith("MAIL FROM:<>"));
    }
  }
}
