package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.carrier.CarrierVerdict;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SmtpVerdictsTest {
  private static CarrierVerdict of(SmtpStep step, String reply) {
    return of(step, reply, "ann@example.net");
  }

  private static CarrierVerdict of(SmtpStep step, String reply, String recipient) {
    byte[] bytes = reply.replace("\\n", "\r\n").getBytes(UTF_8);
    return SmtpVerdicts.of(step, SmtpReply.parse(bytes), recipient);
  }

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
          MAIL     | 421 4.3.2 going down          | CARRIER
          MAIL     | 451 4.3.0 try later           | CARRIER
          MAIL     | 452 4.4.5 Messages per second limit exceeded | CARRIER
          MAIL     | 530 5.7.0 log in first        | ACCOUNT
          MAIL     | 550 5.7.1 sender not allowed  | CARRIER
          MAIL     | 552 5.2.2 mailbox full        | ACCOUNT
          MAIL     | 553 5.1.8 no such domain      | ACCOUNT
          MAIL     | 501 5.1.7 bad sender          | ACCOUNT
          MAIL     | 451 4.1.8 sender not found    | ACCOUNT
          MAIL     | 552 5.3.4 too large           | MESSAGE
          MAIL     | 550 5.2.3 too large           | MESSAGE
          MAIL     | 554 5.6.1 no such content     | MESSAGE
          MAIL     | 452 4.3.4 no room for its size | CARRIER
          MAIL     | 451 4.2.3 longer than allowed now | CARRIER
          MAIL     | 452 4.2.2 mailbox full        | ACCOUNT
          MAIL     | 503 5.5.1 not now             | MOMENT
          RCPT     | 421 4.7.0 too fast            | CARRIER_BUSY
          RCPT     | 450 4.2.0 greylisted          | RECIPIENT_FOR_NOW
          RCPT     | 451 4.7.1 Greylisting in action | RECIPIENT_FOR_NOW
          RCPT     | 451 Greylisted, come back     | RECIPIENT_FOR_NOW
          RCPT     | 451 Please try again later    | RECIPIENT_FOR_NOW
          RCPT     | 452 No room                   | SUSPECT
          RCPT     | 450 4.3.2 greylisted for now  | RECIPIENT_FOR_NOW
          RCPT     | 451 4.3.0 try later           | SUSPECT
          RCPT     | 452 4.4.5 busy                | CARRIER_BUSY
          RCPT     | 452 4.2.2 mailbox full        | RECIPIENT_FOR_NOW
          RCPT     | 454 4.7.1 relay access denied | SUSPECT
          RCPT     | 500 5.5.2 what                | RECIPIENT
          RCPT     | 501 5.1.3 bad address         | RECIPIENT
          RCPT     | 503 5.5.1 MAIL first          | MOMENT
          RCPT     | 530 5.7.0 log in first        | ACCOUNT
          RCPT     | 534 5.7.9 too weak            | ACCOUNT
          RCPT     | 538 5.7.11 encrypt first      | ACCOUNT
          RCPT     | 550 5.1.1 no such user        | RECIPIENT
          RCPT     | 550 5.1.8 sender's domain     | ACCOUNT
          RCPT     | 550 5.7.8 not logged in       | ACCOUNT
          RCPT     | 550 5.7.10 encrypt first      | ACCOUNT
          RCPT     | 551 5.1.6 moved               | RECIPIENT
          RCPT     | 552 5.2.2 mailbox full        | RECIPIENT
          RCPT     | 553 5.1.3 not allowed         | RECIPIENT
          RCPT     | 554 5.7.1 relay access denied | SUSPECT
          RCPT     | 556 5.1.10 null MX            | RECIPIENT
          RCPT     | 354 what                      | MOMENT
          DATA     | 451 4.3.0 try later           | SUSPECT
          DATA     | 554 5.5.1 no recipients       | MESSAGE
          DATA     | 250 what                      | MOMENT
          CONTENT  | 552 5.3.4 too large           | MESSAGE
          END      | 354 what                      | MOMENT
          END      | 421 4.3.2 going down          | CARRIER_BUSY
          END      | 451 4.3.0 try later           | SUSPECT
          END      | 451 Temporary local problem   | SUSPECT
          END      | 451 4.7.1 Greylisted for now  | MOMENT
          END      | 451 4.6.0 try later           | MOMENT
          END      | 452 4.3.1 disk full           | SUSPECT
          END      | 550 5.1.1 no such user        | RECIPIENT
          END      | 550 5.7.1 spam                | MESSAGE
          END      | 552 5.2.3 too large           | MESSAGE
          END      | 552 5.3.4 too large           | MESSAGE
          END      | 554 5.6.0 bad content         | MESSAGE
          END      | 535 5.7.8 log in first        | ACCOUNT
          """)
  void repliesAreJudgedByStep(SmtpStep step, String reply, CarrierVerdict verdict) {
    assertThat(of(step, reply)).isEqualTo(verdict);
  }

  /** What providers say of the account that sends: the same to every message, at whichever step. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          554 5.2.252 SendAsDenied; a@example.com not allowed to send as b@example.com
          550 5.7.60 SMTP; Client does not have permissions to send as this sender
          554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed
          554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process
          554 5.2.0 STOREDRV.Submission.Exception:OutboundSpamException; WASCL UserAction verdict
          550 5.1.90 Your message can't be sent because you've reached your daily limit for recipients
          550 5.2.253 Sender throttled due to continuous invalid license errors
          550 5.7.501 Access denied, spam abuse detected
          550 5.7.606 Access denied, banned sending IP [192.0.2.1]
          550 5.7.649 Access denied, banned sending IP [192.0.2.1]
          550 5.7.705 Access denied, tenant has exceeded threshold
          550 5.7.708 Access denied, traffic not accepted from this IP
          550-5.4.5 Daily user sending limit exceeded. For more\\n550 5.4.5  https://support.google.com - gsmtp
          550 5.4.5 Daily sending quota exceeded
          550 5.7.26 Unauthenticated email from example.com is not accepted
          550 5.7.25 The IP address sending this message does not have a PTR record setup
          550 5.7.23 SPF validation failed
          553 5.7.27 Sender address has null MX
          454 Throttling failure: Daily message quota exceeded
          454 4.7.0 Throttling failure: Maximum sending rate exceeded.
          554 Message rejected: Email address is not verified.
          554 Message rejected: Sending paused for this account.
          554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.spamcop.net; see
          550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus.
          554 5.7.1 <x[192.0.2.1]>: Client host rejected: Access denied
          450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]
          450 4.7.1 <a@b.c>: Sender address rejected: Deferring: Too many messages from sender
          553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred
          550 5.4.5 <ann@example.net>: Recipient address rejected: Domain Sending Quota Exceeded
          550 Outgoing mail from "orders@example.com" has been suspended.
          550 Sender verify failed
          403 You are not authorized to send from that email address
          550 Authenticated user is not authorized to send mail
          450-Requested mail action not taken: mailbox unavailable\\n450 Mail send limit exceeded.
          554 5.1.8 Email Outgoing Blocked
          550-Requested action not taken: mailbox unavailable\\n550 Sender address is not allowed.
          450 Your SMTP account is not yet activated. Please contact us to request activation.
          550 5.7.1 Anonymous client does not have permissions to send as this sender
          550 5.7.1 Client was not authenticated
          501 Mail from address must be same as authorization user
          553 Mail from must equal authorized user
          553 From address not verified - see the help
          551 5.7.1 Not authorised to send from this header address
          550 5.1.0 <john.smith@example.com> sender rejected
          550 5.7.1 Sender address rejected: not owned by auth user.
          """)
  void wordsAboutTheAccountPauseTheCarrier(String reply) {
    for (SmtpStep step : new SmtpStep[] {SmtpStep.RCPT, SmtpStep.DATA, SmtpStep.END}) {
      assertThat(of(step, reply)).as("%s to %s", reply, step).isEqualTo(CarrierVerdict.ACCOUNT);
    }
  }

  /** Near misses: much the same words, about one mailbox or one message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          452 4.2.2 The recipient's inbox is out of storage space  | RECIPIENT_FOR_NOW
          552 5.2.2 The recipient's mailbox is over quota          | RECIPIENT
          554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException | RECIPIENT
          550 Quota Exceeded                                       | RECIPIENT
          450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents | RECIPIENT_FOR_NOW
          550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents | RECIPIENT
          550 5.2.1 The email account that you tried to reach is disabled | RECIPIENT
          550 5.2.1 User's daily receiving limit exceeded          | RECIPIENT
          432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded | RECIPIENT_FOR_NOW
          550 5.7.12 Sender was not authenticated by organization  | RECIPIENT
          550 5.7.124 Sender not in allowed-senders list           | RECIPIENT
          550 5.7.504 Recipient address rejected: Access denied    | RECIPIENT
          550 5.7.505 Access denied, banned recipient              | RECIPIENT
          550 5.7.507 Access denied, rejected by recipient         | RECIPIENT
          554 5.7.1 <a@b.c>: Recipient address rejected: Access denied  | RECIPIENT
          554 5.7.1 <a@b.c>: Recipient: <a>: Sender address rejected: x | RECIPIENT
          550 5.7.1 <a@b.c>: I do not like mail from blocked using zen.spamhaus.org | RECIPIENT
          450 4.1.1 <a@b.c>: Recipient address rejected: unverified address: host mx.b.c said: 554 Service unavailable; Client host [192.0.2.1] blocked using x | RECIPIENT_FOR_NOW
          550 5.7.1 The user or domain that you are sending to (or from) has a policy | RECIPIENT
          550 5.1.1 <a@b.c> Message rejected: Email address is not verified | RECIPIENT
          550 Requested action not taken: mailbox unavailable      | RECIPIENT
          452 4.5.3 Error: too many recipients                     | RECIPIENT_FOR_NOW
          """)
  void wordsAboutOneMailboxStayThere(String reply, CarrierVerdict verdict) {
    assertThat(of(SmtpStep.RCPT, reply)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          554 5.7.9 Message not accepted for policy reasons. See the error codes
          554 Transaction failed: Local address contains control or whitespace
          552 5.7.0 This message was blocked because its content presents a potential security issue
          550 5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail
          """)
  void wordsAboutOneMessageStayThere(String reply) {
    assertThat(of(SmtpStep.END, reply)).isEqualTo(CarrierVerdict.MESSAGE);
  }

  /** One that may not be relayed to, or all: the next recipients tell. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          554 5.7.1 <ann@example.net>: Relay access denied
          550 5.7.1 ann@example.net... Relaying denied. Proper authentication required.
          550 relay not permitted
          550 5.7.1 Unable to relay
          550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain
          550 5.7.64 TenantAttribution; Relay Access Denied
          553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
          """)
  void deniedRelayingIsLeftToTheNextRecipients(String reply) {
    assertThat(of(SmtpStep.RCPT, reply)).isEqualTo(CarrierVerdict.SUSPECT);
  }

  @ParameterizedTest
  @CsvSource({
    "orders@example.com, ann@example.net, ACCOUNT",
    "'orders@example.com, ann@example.net', ann@example.net, ACCOUNT",
    "Ann@example.net, ann@example.net, SUSPECT",
  })
  void sandboxNamesWhoeverIsNotVerified(String named, String recipient, CarrierVerdict verdict) {
    String reply =
        "554 Message rejected: Email address is not verified. The following identities failed the"
            + " check in region EU-CENTRAL-1: "
            + named;

    assertThat(of(SmtpStep.END, reply, recipient)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @EnumSource(SmtpWords.class)
  void everyEntryFitsItsOwnWordsAlone(SmtpWords words) {
    SmtpReply own = words.example();
    assertThat(SmtpWords.verdict(own, "ann@example.net")).isEqualTo(words.verdict());

    // Handed on within the words of another server, they are about its mailbox.
    String handedOn = "550 5.1.1 <ann@example.net>: mx.example.net said: " + own.text();
    assertThat(of(SmtpStep.RCPT, handedOn)).isEqualTo(CarrierVerdict.RECIPIENT);
    // And the text alone does not do without its code.
    SmtpReply otherCode = new SmtpReply(200, "", own.text());
    assertThat(SmtpWords.verdict(otherCode, "ann@example.net")).isNull();
  }
}
