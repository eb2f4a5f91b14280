package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import java.time.Duration;

/** Settings, carriers and attempts of the tests of email. */
final class SmtpTests {
  /** Nothing in it ends while a test stands still. */
  static final SmtpCarrier.Limits PATIENT =
      new SmtpCarrier.Limits(
          Duration.ofMinutes(10),
          100,
          Duration.ofMinutes(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofMinutes(1));

  private SmtpTests() {}

  /**
   * Settings of a relay without protection.
   *
   * @param more fields, each with a comma in front
   */
  static SmtpSettings settings(String address, String more) {
    return read(
        """
        {"addresses": "%s", "security": "none", "from": "Orders <orders@example.com>" %s}
        """
            .formatted(address, more));
  }

  static SmtpSettings read(String json) {
    return CarrierCalls.settings(new SmtpType(), json);
  }

  static SmtpCarrier carrier(String address, String more) {
    return carrier(settings(address, more), new TestContext(4));
  }

  static SmtpCarrier carrier(SmtpSettings settings, TestContext context) {
    return new SmtpCarrier(settings, context, PATIENT);
  }

  static CarrierAttempt attempt() {
    return TestAttempts.of(Protocol.EMAIL, "ann@example.net", "Hello");
  }

  static CarrierAttempt attempt(String text, String subject, String html) {
    return TestAttempts.of(
        Protocol.EMAIL,
        "ann@example.net",
        new CarrierContent("text/plain", text.getBytes(UTF_8), subject, html),
        "{}");
  }
}
