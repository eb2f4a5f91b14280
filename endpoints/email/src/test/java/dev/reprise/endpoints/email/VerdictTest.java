package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GREETING | 554 5.3.2 no service          | CARRIER
          GREETING | 421 4.3.2 too many            | CARRIER
          EHLO     | 502 no                        | CARRIER
          STARTTLS | 454 4.7.0 TLS not available   | CARRIER
          AUTH     | 535 5.7.8 wrong password      | CARRIER
          AUTH     | 454 4.7.0 try later           | CARRIER
          MAIL     | 421 4.3.2 going down          | RETRY_AND_PAUSE
          MAIL     | 451 4.3.0 try later           | RETRY
          MAIL     | 530 5.7.0 log in first        | CARRIER
          MAIL     | 550 5.7.1 sender not allowed  | CARRIER
          MAIL     | 553 5.1.8 no such domain      | CARRIER
          MAIL     | 501 5.1.7 bad sender          | CARRIER
          MAIL     | 451 4.1.8 sender not found    | CARRIER
          MAIL     | 552 5.3.4 too large           | PERMANENT
          MAIL     | 503 5.5.1 not now             | RETRY
          RCPT     | 421 4.7.0 too fast            | RETRY_AND_PAUSE
          RCPT     | 450 4.2.0 greylisted          | RETRY
          RCPT     | 451 4.3.0 try later           | RETRY
          RCPT     | 452 4.2.2 mailbox full        | RETRY
          RCPT     | 454 4.7.1 relay access denied | RETRY
          RCPT     | 500 5.5.2 what                | PERMANENT
          RCPT     | 501 5.1.3 bad address         | PERMANENT
          RCPT     | 503 5.5.1 MAIL first          | RETRY
          RCPT     | 530 5.7.0 log in first        | CARRIER
          RCPT     | 534 5.7.9 too weak            | CARRIER
          RCPT     | 538 5.7.11 encrypt first      | CARRIER
          RCPT     | 550 5.1.1 no such user        | PERMANENT
          RCPT     | 550 5.1.8 sender's domain     | CARRIER
          RCPT     | 550 5.7.8 not logged in       | CARRIER
          RCPT     | 550 5.7.10 encrypt first      | CARRIER
          RCPT     | 551 5.1.6 moved               | PERMANENT
          RCPT     | 552 5.2.2 mailbox full        | PERMANENT
          RCPT     | 553 5.1.3 not allowed         | PERMANENT
          RCPT     | 554 5.7.1 relay access denied | PERMANENT
          RCPT     | 553 5.7.1 <a@b.c>: Sender address rejected: not owned by user | CARRIER
          RCPT     | 554 5.7.1 <x[192.0.2.1]>: Client host rejected: Access denied | CARRIER
          RCPT     | 554 5.7.1 <a@b.c>: Recipient address rejected: Access denied  | PERMANENT
          RCPT     | 554 5.7.1 <a@b.c>: Recipient: <a>: Sender address rejected: x | PERMANENT
          RCPT     | 556 5.1.10 null MX            | PERMANENT
          RCPT     | 354 what                      | RETRY
          DATA     | 451 4.3.0 try later           | RETRY
          DATA     | 554 5.5.1 no recipients       | PERMANENT
          DATA     | 250 what                      | RETRY
          CONTENT  | 552 5.3.4 too large           | PERMANENT
          END      | 250 2.0.0 queued              | TAKEN
          END      | 251 taken                     | TAKEN
          END      | 354 what                      | RETRY
          END      | 421 4.3.2 going down          | RETRY_AND_PAUSE
          END      | 451 4.3.0 try later           | RETRY
          END      | 452 4.3.1 disk full           | RETRY
          END      | 550 5.7.1 spam                | PERMANENT
          END      | 552 5.3.4 too large           | PERMANENT
          END      | 554 5.6.0 bad content         | PERMANENT
          END      | 535 5.7.8 log in first        | CARRIER
          """)
  void repliesAreJudgedByStep(SmtpStep step, String reply, Verdict verdict) {
    assertThat(Verdict.of(step, SmtpReply.parse(reply.getBytes(US_ASCII)))).isEqualTo(verdict);
  }
}
