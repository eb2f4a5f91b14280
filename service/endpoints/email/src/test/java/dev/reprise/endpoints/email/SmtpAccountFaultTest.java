package dev.reprise.endpoints.email;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetryInfo;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierFault;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A backlog behind an account that may not send, against a server that says so. */
class SmtpAccountFaultTest {
  private static final int BACKLOG = 100;

  private final ScriptedSmtpServer server = new ScriptedSmtpServer();
  private final TestContext context = new TestContext(1);

  @AfterEach
  void close() {
    server.close();
  }

  private static CarrierAttempt to(int recipient) {
    return TestAttempts.of(Protocol.EMAIL, "ann" + recipient + "@example.net", "Hello");
  }

  private SmtpCarrier carrier() {
    return SmtpTests.carrier(SmtpTests.settings(server.address(), ""), context);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "554 5.2.252 SendAsDenied; a@example.com not allowed to send as b@example.com",
        "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException",
        "550-5.4.5 Daily user sending limit exceeded. For more\r\n550 5.4.5  information - gsmtp",
        "554 Message rejected: Email address is not verified.",
        "454 Throttling failure: Daily message quota exceeded"
      })
  void nothingOfTheBacklogIsCharged(String reply) throws Exception {
    server.answering("END", 1, reply);
    try (SmtpCarrier carrier = carrier()) {
      for (int i = 0; i < BACKLOG; i++) {
        AttemptOutcome outcome = CarrierCalls.send(carrier, to(i));
        // The pause may be over on a machine that stands still; then the account is mended.
        assertThat(!outcome.made() || outcome.succeeded()).isTrue();
        assertThat(carrier.state().fault() == null).isEqualTo(outcome.succeeded());
      }

      AttemptOutcome last = CarrierCalls.send(carrier, to(BACKLOG));
      while (!last.made()) {
        last = CarrierCalls.send(carrier, to(BACKLOG));
      }
      assertThat(last.succeeded()).isTrue();
      assertThat(context.recoveries()).isEqualTo(1);
    }
  }

  @Test
  void relayThatHasNoRoomForAnybodyIsPausedAfterAFew() throws Exception {
    server.answering("END", "452 4.3.1 insufficient system storage");
    try (SmtpCarrier carrier = carrier()) {
      for (int i = 1; i < CarrierFault.MIN_ALIKE; i++) {
        AttemptOutcome charged = CarrierCalls.send(carrier, to(i));
        assertThat(charged.made()).isTrue();
        assertThat(charged.failure()).isEqualTo(CarrierFailure.TRANSIENT);
      }
      assertThat(carrier.state().fault()).isNull();

      AttemptOutcome fifth = CarrierCalls.send(carrier, to(CarrierFault.MIN_ALIKE));
      assertThat(fifth.made()).isFalse();
      assertThat(carrier.state().fault()).contains("452 4.3.1 insufficient system storage");
    }
  }

  @Test
  void oneMailboxThatIsBusyForEverHoldsUpNobody() throws Exception {
    server.answering("RCPT", 2 * CarrierFault.MIN_ALIKE, "451 4.3.0 not this one");
    try (SmtpCarrier carrier = carrier()) {
      for (int i = 0; i < 2 * CarrierFault.MIN_ALIKE; i++) {
        assertThat(CarrierCalls.send(carrier, to(1)).made()).isTrue();
      }

      assertThat(CarrierCalls.send(carrier, to(2)).succeeded()).isTrue();
    }
  }

  /** It tells more of the carrier than a message that nobody takes. */
  @Test
  void aRecipientThatIsRefusedIsToldFromARefusedMessage() throws Exception {
    server.answering("RCPT", 1, "550 5.1.1 no such user");
    server.answering("END", 1, "552 5.3.4 message too big");
    try (SmtpCarrier carrier = carrier()) {
      RetryInfo recipient = CarrierCalls.send(carrier, to(1)).failure();
      assertThat(CarrierFailure.isRecipientRefused(recipient)).isTrue();

      RetryInfo message = CarrierCalls.send(carrier, to(2)).failure();
      assertThat(CarrierFailure.isOfRecipient(message)).isTrue();
    }
  }
}
