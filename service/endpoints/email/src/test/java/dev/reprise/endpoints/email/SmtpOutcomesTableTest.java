package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.endpoints.fixtures.OutcomesTable;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Compares the document with the code, for SMTP. */
class SmtpOutcomesTableTest {
  private static final String RECIPIENT = "ann@example.net";

  private final OutcomesTable table = new OutcomesTable();

  private void row(SmtpStep step, String reply, String words, String source) {
    SmtpReply parsed = Objects.requireNonNull(SmtpReply.parse(reply.getBytes(US_ASCII)));
    table.row(
        "`" + reply + "` to " + step.command() + (words.isEmpty() ? "" : ": " + words),
        SmtpVerdicts.of(step, parsed, RECIPIENT),
        source);
  }

  @Test
  void codesAndStatuses() {
    row(SmtpStep.GREETING, "554", "and every refusal before MAIL FROM", "RFC 5321 3.1");
    row(SmtpStep.AUTH, "535 5.7.8", "", "RFC 4954 6");
    row(
        SmtpStep.MAIL,
        "451",
        "and most 4xx and 5xx: only settings were named so far",
        "RFC 5321 4.3");
    row(SmtpStep.MAIL, "452 4.3.4", "no room for the size of it now", "RFC 1870 6.1");
    row(SmtpStep.MAIL, "552 5.2.2", "the sender's mailbox is full", "RFC 3463 3.3");
    row(SmtpStep.MAIL, "552 5.3.4", "and 5.2.3, 5.6.x", "RFC 3463 3.4");
    row(SmtpStep.RCPT, "421", "", "RFC 5321 3.8");
    row(SmtpStep.RCPT, "452 4.4.5", "congestion", "RFC 3463 3.5");
    row(SmtpStep.RCPT, "450 4.2.0", "greylisted, and every other 4xx", "RFC 6647");
    row(SmtpStep.RCPT, "451 4.3.0", "and 4.3.x, 452 without a status", "RFC 3463 3.4");
    row(SmtpStep.RCPT, "503", "", "RFC 5321 4.2.3");
    row(SmtpStep.RCPT, "530", "and 523, 524, 525, 534, 535, 538", "RFC 4954 6, RFC 5248");
    row(SmtpStep.RCPT, "550 5.7.8", "and 5.7.9 to 5.7.14", "RFC 4954 6, RFC 5248");
    row(SmtpStep.RCPT, "550 5.1.1", "and every other 5xx", "RFC 3463 3.2");
    row(SmtpStep.RCPT, "552 5.2.2", "the recipient's mailbox is full", "RFC 3463 3.3");
    row(SmtpStep.END, "550 5.1.8", "and 1.7, of either class", "RFC 3463 3.2");
    row(
        SmtpStep.END,
        "550 5.7.26",
        "and 7.20 to 7.27: DKIM, SPF, DMARC, no reverse name, null MX",
        "RFC 7372, RFC 7505");
    row(SmtpStep.END, "550 5.4.5", "", "RFC 3463 3.5; Gmail: daily limits");
    row(
        SmtpStep.END,
        "554 5.2.252",
        "and 5.1.90, 5.2.253, 5.7.57, 5.7.60",
        "Exchange Online: SMTP AUTH");
    row(
        SmtpStep.END,
        "550 5.7.501",
        "and 5.7.502, 503, 511, 606 to 649, 705, 708, 750",
        "Exchange Online, NDR codes");
    row(SmtpStep.END, "452 4.3.1", "and 4.3.x, 451 and 452 without a status", "RFC 3463 3.4");
    row(SmtpStep.END, "451 4.6.0", "and every other 4xx", "RFC 5321 4.2.1");
    row(SmtpStep.END, "554 5.6.0", "and every other 5xx", "RFC 5321 4.2.1");
    table.check("SMTP: codes");
  }

  @Test
  void words() {
    for (SmtpWords each : SmtpWords.values()) {
      table.row("`" + each.example() + "`", each.verdict(), each.source());
    }
    table.check("SMTP: words");
  }
}
