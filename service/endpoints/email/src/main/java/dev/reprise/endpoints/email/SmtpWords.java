package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.carrier.CarrierVerdict;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Words that decide where a reply's code does not: the same {@code 550 5.7.1} says that a mailbox
 * wants nothing of this sender, that the sender may send nothing at all, and that its address is on
 * a blocklist.
 *
 * <p>Each entry has a code, the beginning of a text and the provider's own words, which the tests
 * try. A text that merely contains such words, such as that of another server which a relay hands
 * on, is not matched. New entries go to {@code service/endpoints/OUTCOMES.md} as well.
 */
enum SmtpWords {
  // --- about one recipient or one message, whatever the status says otherwise --------------------

  EXCHANGE_RECIPIENT_THREADS(
      "432",
      "STOREDRV\\.Deliver; recipient thread limit exceeded",
      CarrierVerdict.RECIPIENT_FOR_NOW,
      "432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded",
      "Exchange Online, NDR codes"),
  EXCHANGE_RECIPIENT_DISABLED(
      "5..",
      "STOREDRV\\.Deliver",
      CarrierVerdict.RECIPIENT,
      "550 5.7.13 STOREDRV.Deliver.Exception:AccountDisabledException.MapiExceptionADUserDisabled",
      "Exchange Online, NDR codes"),
  EXCHANGE_RECIPIENT_RESTRICTED(
      "5..",
      "(?:Sender was not authenticated by organization|RESOLVER\\.)",
      CarrierVerdict.RECIPIENT,
      "550 5.7.12 Sender was not authenticated by organization; RESOLVER.RST.AuthRequired",
      "Exchange Online, NDR codes"),
  YAHOO_POLICY(
      "554",
      "Message not accepted for policy reasons",
      CarrierVerdict.MESSAGE,
      "554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com",
      "Yahoo, SMTP error codes"),

  // --- about the sender's account --------------------------------------------------------------

  SES_SUSPENDED(
      "554",
      "Message rejected: (?:Sending (?:suspended|paused) for|Account (?:is|has been) paused)",
      CarrierVerdict.ACCOUNT,
      "554 Message rejected: Sending suspended for this account. For more information, please check"
          + " the inbox of the email address associated with your AWS account.",
      "Amazon SES, email sending errors"),
  SES_UNVERIFIED(
      "554",
      "Message rejected: Email address is not verified",
      CarrierVerdict.ACCOUNT,
      "554 Message rejected: Email address is not verified. The following identities failed the"
          + " check in region EU-CENTRAL-1: orders@example.com",
      "Amazon SES, email sending errors"),
  SES_DENIED(
      "554",
      "Access denied: User \\S+ is not authorized to perform \\W?ses:",
      CarrierVerdict.ACCOUNT,
      "554 Access denied: User arn:aws:iam::123456789012:user/ses is not authorized to perform"
          + " ses:SendRawEmail on resource",
      "Amazon SES, SMTP response codes"),
  SES_THROTTLED(
      "454",
      "Throttling failure: ",
      CarrierVerdict.ACCOUNT,
      "454 Throttling failure: Maximum sending rate exceeded",
      "Amazon SES, errors related to the sending quotas"),
  GMAIL_DAILY_RELAY(
      "550",
      "Daily SMTP relay (?:sending )?limit exceeded for",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Daily SMTP relay limit exceeded for customer. For more information on SMTP relay"
          + " sending limits please contact your administrator",
      "Google Workspace, SMTP relay service error messages"),
  GMAIL_PEAK_RELAY(
      "450",
      "Peak SMTP relay limit exceeded for",
      CarrierVerdict.ACCOUNT,
      "450 4.2.1 Peak SMTP relay limit exceeded for customer. This is a temporary error.",
      "Google Workspace, SMTP relay service error messages"),
  GMAIL_DENIED(
      "550",
      "(?:Mail (?:Sending|relay) denied|Invalid credentials for relay)",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address you've registered",
      "Google Workspace, SMTP relay service error messages"),
  GMAIL_DIRECT(
      "550",
      "The IP you're using to send (?:mail|email) is not authorized",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 The IP you're using to send mail is not authorized to send email directly to our"
          + " servers.",
      "Google Workspace, SMTP errors"),
  UNSOLICITED_RATE(
      "5..",
      "(?:\\[\\w+] )?Our system has detected an unusual (?:rate|amount) of unsolicited (?:e?mail)"
          + " originating from your (?:IP )?address",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Our system has detected an unusual rate of unsolicited mail originating from your"
          + " IP address.",
      "Google Workspace, SMTP errors; hosters' relays"),
  DMARC(
      "5..",
      "(?:<[^<>]*>: )?(?:Unauthenticated email from \\S+ is not accepted due to"
          + "|Email rejected per DMARC policy|Reject due to (?:SPF|DMARC) policy)",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Unauthenticated email from example.com is not accepted due to domain's DMARC"
          + " policy.",
      "Google, Zoho, GMX: sender policies"),
  EXCHANGE_SUBMISSION(
      "554",
      "STOREDRV\\.Submission\\.Exception:(?:SubmissionQuotaExceeded|SendAsDenied"
          + "|SendOnBehalfOfDenied|OutboundSpam)",
      CarrierVerdict.ACCOUNT,
      "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException",
      "Exchange Online, sending limits; field reports"),
  EXCHANGE_SENDER_FULL(
      "55[024]",
      "(?:mailbox full; )?STOREDRV\\.Submission\\.Exception:QuotaExceeded",
      CarrierVerdict.ACCOUNT,
      "554 5.2.2 mailbox full; STOREDRV.Submission.Exception:QuotaExceededException",
      "Exchange Online: the sender's own mailbox"),
  EXCHANGE_SENDER_THREADS(
      "432",
      "(?:STOREDRV\\.\\w+; sender thread limit exceeded|Concurrent connections limit exceeded)",
      CarrierVerdict.ACCOUNT,
      "432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded",
      "Exchange Online, SMTP AUTH limits"),
  OUTLOOK_BLOCKLIST(
      "550",
      "Unfortunately, messages from \\[[^\\[\\]]*] weren't sent",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your"
          + " Internet service provider since part of their network is on our block list (S3140).",
      "Outlook.com, sender support"),
  YAHOO_BLOCKLIST(
      "55[0-4]",
      "\\[(?:TSS?|BL|PH)[0-9]+] (?:All messages|Messages|Connections) ",
      CarrierVerdict.ACCOUNT,
      "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in"
          + " Spamhaus's list",
      "Yahoo, SMTP error codes"),
  BLOCKLIST(
      "[45]5.",
      "Service unavailable[;,] (?:Client host|Sender address|Helo command) \\[[^\\[\\]]*] blocked"
          + " using ",
      CarrierVerdict.ACCOUNT,
      "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
      "Postfix, reject_rbl_client; Exchange Online"),
  CPANEL_BLOCKLIST(
      "550",
      "\"?JunkMail rejected - [^\"]* is in an RBL",
      CarrierVerdict.ACCOUNT,
      "550 \"JunkMail rejected - mail.example.com [192.0.2.1]:4711 is in an RBL: listed\"",
      "cPanel's Exim"),
  GODADDY_ADDRESS(
      "55[04]",
      "This IP (?:address )?(?:has (?:been|sent)|is listed on) ",
      CarrierVerdict.ACCOUNT,
      "550 This IP has sent too many messages this hour. IB504",
      "GoDaddy, bounceback messages"),
  POSTFIX_SENDER(
      "[45]5.",
      "(?:<[^<>]*>: )?(?:Sender address|Client host|Helo command) rejected: ",
      CarrierVerdict.ACCOUNT,
      "553 5.7.1 <orders@example.com>: Sender address rejected: not owned by user shop",
      "Postfix, access(5); policy servers' quotas"),
  POLICY_SENDER_QUOTA(
      "[45]5.",
      "<[^<>]*>: Recipient address rejected: (?:Sender|User|Domain)(?: Domain)?"
          + " (?:Hourly|Daily|Sending)(?: Bounce)? (?:Quota|Limit) Exceeded",
      CarrierVerdict.ACCOUNT,
      "550 5.4.6 <ann@example.net>: Recipient address rejected: Sender Hourly Quota Exceeded",
      "Neo and Titan, reject codes"),
  EXIM_SENDER_VERIFY(
      "[45]5.",
      "(?:Verification failed for <[^<>]*> .{0,120})?(?:Sender verify failed"
          + "|Could not complete sender verify)",
      CarrierVerdict.ACCOUNT,
      "550-Verification failed for <orders@example.com>\r\n550-No such person at this address\r\n"
          + "550 Sender verify failed",
      "Exim, sender verification"),
  CPANEL_LIMIT(
      "[45]5.",
      "(?:Domain \\S+ has exceeded the max (?:emails|defers and failures) per hour"
          + "|Outgoing mail from \\S+ has been suspended)",
      CarrierVerdict.ACCOUNT,
      "550 Domain example.com has exceeded the max emails per hour (101/100 (101%)) allowed."
          + " Message discarded.",
      "cPanel, email limits"),
  SENDGRID_CREDITS(
      "451",
      "Authentication failed: Maximum credits exceeded",
      CarrierVerdict.ACCOUNT,
      "451 Authentication failed: Maximum credits exceeded",
      "SendGrid, SMTP errors"),
  SENDGRID_SENDER(
      "403|55.",
      "(?:You are not authorized to send from that email address"
          + "|The from address does not match a verified Sender Identity"
          + "|Unauthenticated senders not allowed"
          + "|Authenticated user is not authorized to send mail)",
      CarrierVerdict.ACCOUNT,
      "550 The from address does not match a verified Sender Identity. Mail cannot be sent until"
          + " this error is resolved.",
      "SendGrid, SMTP errors"),
  MAILGUN_SANDBOX(
      "421|55.",
      "Domain \\S+ is not allowed to send: Sandbox subdomains are for test purposes only",
      CarrierVerdict.SUSPECT,
      "550 Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test"
          + " purposes only. Please add your own domain or add the address to authorized"
          + " recipients",
      "Mailgun, authorized recipients"),
  MAILGUN_DOMAIN(
      "421|55.",
      "Domain \\S+ is not allowed to send: ",
      CarrierVerdict.ACCOUNT,
      "421 Domain mg.example.com is not allowed to send: Please activate your Mailgun account.",
      "Mailgun, disabled domains"),
  MAILGUN_PROBATION(
      "55.",
      "Your account is on probation and domains are limited to",
      CarrierVerdict.ACCOUNT,
      "554 Your account is on probation and domains are limited to 100 messages / hour. Account"
          + " will be enabled in 341 seconds",
      "Mailgun, probation"),
  SPARKPOST(
      "[45]..",
      "(?:Unconfigured Sending Domain|Exceed Sending Limit)",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Unconfigured Sending Domain <example.com>",
      "SparkPost, SMTP"),
  GMX_SENDER(
      "[45]5.",
      "(?:Requested (?:mail )?action (?:not taken: mailbox unavailable|aborted: \\w[\\w ]*)[;:]? )?"
          + "(?:Sender address is not allowed|Mail send limit exceeded)",
      CarrierVerdict.ACCOUNT,
      "450-Requested mail action not taken: mailbox unavailable\r\n450 Mail send limit exceeded.",
      "GMX, web.de, IONOS: submission"),
  BREVO(
      "450|502|55.",
      "(?:Unable to send email\\. )?Your SMTP account is not yet activated",
      CarrierVerdict.ACCOUNT,
      "502 5.7.0 Your SMTP account is not yet activated. Please contact us to request activation",
      "Brevo, activation"),
  EXCHANGE_PERMISSIONS(
      "5..",
      "(?:SMTP; )?(?:Anonymous )?Client (?:was not authenticated"
          + "|does not have permissions to (?:submit|send (?:as|on behalf)))",
      CarrierVerdict.ACCOUNT,
      "550 5.7.1 Client does not have permissions to send as this sender",
      "Exchange Server, receive connectors"),
  SENDER_OF_LOGIN(
      "5..",
      "(?:Mail from address must be same as authorization user"
          + "|Mail from must equal authorized user"
          + "|From address is not one of your addresses"
          + "|From address not verified"
          + "|Not authorised to send from this header address"
          + "|<[^<>]*> sender rejected)",
      CarrierVerdict.ACCOUNT,
      "550 5.7.0 From address is not one of your addresses",
      "iCloud, QQ, 163, Yahoo, Fastmail, Forpsi: submission"),
  POSTFIX_RATE(
      "[45]5.",
      "(?:Error: )?too (?:much mail|many recipients|many AUTH commands) from ",
      CarrierVerdict.ACCOUNT,
      "450 4.7.1 Error: too much mail from 192.0.2.1",
      "Postfix, anvil(8)"),
  ZOHO_SENDER(
      "55.",
      "(?:Relaying disallowed as |Unusual sending activity detected)",
      CarrierVerdict.ACCOUNT,
      "553 Relaying disallowed as orders@example.com",
      "Zoho Mail, SMTP errors"),

  // --- about one recipient, or about what the account may relay at all ---------------------------

  RELAYING(
      "[45]5.",
      "(?:<?[^<> ]*>?(?::|\\.\\.\\.) )?(?:(?:TenantAttribution|SMTP); )?(?:Relay access denied"
          + "|Relaying denied|relay not permitted|Unable to relay"
          + "|we do not relay|not allowed to relay through this machine"
          + "|Please turn on SMTP Authentication in your mail client"
          + "|sorry, that domain isn't in my list of allowed rcpthosts)",
      CarrierVerdict.SUSPECT,
      "554 5.7.1 <ann@example.net>: Relay access denied",
      "Postfix, Exim, sendmail, qmail, Exchange: relaying");

  private final Pattern codes;
  private final Pattern beginning;
  private final CarrierVerdict verdict;
  private final String example;
  private final String source;

  SmtpWords(String codes, String beginning, CarrierVerdict verdict, String example, String source) {
    this.codes = Pattern.compile(codes);
    this.beginning = Pattern.compile(beginning, Pattern.CASE_INSENSITIVE);
    this.verdict = verdict;
    this.example = example;
    this.source = source;
  }

  /**
   * Returns the verdict of the first entry that fits; null if none does.
   *
   * @param recipient the mailbox
   */
  static @Nullable CarrierVerdict verdict(SmtpReply reply, String recipient) {
    for (SmtpWords words : values()) {
      if (words.fit(reply)) {
        return words == SES_UNVERIFIED && isRecipient(reply, recipient)
            ? CarrierVerdict.SUSPECT
            : words.verdict;
      }
    }
    return null;
  }

  private boolean fit(SmtpReply reply) {
    return codes.matcher(Integer.toString(reply.code())).matches()
        && beginning.matcher(reply.text()).lookingAt();
  }

  /** In SES' sandbox recipients have to be verified as well, and are named in the same words. */
  private static boolean isRecipient(SmtpReply reply, String recipient) {
    return !recipient.isEmpty()
        && reply
            .text()
            .toLowerCase(Locale.ROOT)
            .endsWith(": " + recipient.toLowerCase(Locale.ROOT));
  }

  /** Returns what is done about such a reply. */
  CarrierVerdict verdict() {
    return verdict;
  }

  /** Returns a reply in the provider's own words. */
  SmtpReply example() {
    SmtpReply reply = SmtpReply.parse(example.getBytes(UTF_8));
    if (reply == null) {
      throw new IllegalStateException(name() + ": the example is no reply");
    }
    return reply;
  }

  /** Returns where the words are written down. */
  String source() {
    return source;
  }
}
