package dev.reprise.endpoints.email;

import dev.reprise.delivery.carrier.CarrierVerdict;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The judgement of a relay's reply. The code decides, then the enhanced status (RFC 3463 and its
 * registry), and only where both leave it open, the words that a provider has written down ({@link
 * SmtpWords}).
 */
final class SmtpVerdicts {
  /**
   * Statuses, without their class, that are about the sender or its host: RFC 3463 (1.7, 1.8), RFC
   * 7372 (7.20 to 7.26, DKIM, SPF, reverse DNS and what is built on them), RFC 7505 (7.27).
   */
  private static final Set<String> SENDERS =
      Set.of("1.7", "1.8", "7.20", "7.21", "7.22", "7.23", "7.24", "7.25", "7.26", "7.27");

  /**
   * Statuses of Exchange Online that are about the account that sends, its address or its host:
   * daily quota (1.90), SendAsDenied and throttled senders (2.252, 2.253), not logged in (7.57), no
   * right to the sender's address (7.60), banned senders and tenants (7.501 to 7.503, 7.511, 7.705,
   * 7.708, 7.750). Banned addresses are 7.606 to 7.649.
   */
  private static final Set<String> SENDERS_OF_EXCHANGE =
      Set.of(
          "1.90", "2.252", "2.253", "7.57", "7.60", "7.501", "7.502", "7.503", "7.511", "7.705",
          "7.708", "7.750");

  private static final Pattern BANNED_ADDRESS_OF_EXCHANGE =
      Pattern.compile("7\\.6(?:0[6-9]|[1-4][0-9])");

  private static final Pattern GREYLIST =
      Pattern.compile("gr[ea]y-?list", Pattern.CASE_INSENSITIVE);

  private SmtpVerdicts() {}

  /**
   * Judges the reply that an attempt ended with.
   *
   * @param step what it replies to
   * @param reply any but the one that takes the message
   * @param recipient the mailbox
   */
  static CarrierVerdict of(SmtpStep step, SmtpReply reply, String recipient) {
    // Nothing was said about a message yet.
    if (step.compareTo(SmtpStep.MAIL) < 0) {
      return CarrierVerdict.CARRIER;
    }
    // An answer that the protocol does not have here: the relay and we are out of step.
    if (reply.isPositive()) {
      return CarrierVerdict.MOMENT;
    }
    CarrierVerdict ofWords = SmtpWords.verdict(reply, recipient);
    if (ofWords != null) {
      return ofWords;
    }
    // The sender is a setting of the carrier. Relays judge it as late as at RCPT, or at the end.
    if (isAboutLogin(reply) || isAboutSender(reply)) {
      return CarrierVerdict.ACCOUNT;
    }
    boolean isBeforeRecipient = step == SmtpStep.MAIL;
    if (reply.code() == 421) {
      return isBeforeRecipient ? CarrierVerdict.CARRIER : CarrierVerdict.CARRIER_BUSY;
    }
    // The order of commands, not the message.
    if (reply.code() == 503) {
      return CarrierVerdict.MOMENT;
    }
    if (isBeforeRecipient) {
      return beforeRecipient(reply);
    }
    return reply.code() < 500 ? forNow(step, reply) : forGood(step, reply);
  }

  /**
   * The sender alone was named so far, unless the relay speaks of size or content for good. For
   * now, it has no room for that size (RFC 1870 §6.1).
   */
  private static CarrierVerdict beforeRecipient(SmtpReply reply) {
    if (reply.hasStatus("2.2")) {
      // The mailbox that is full is the sender's.
      return CarrierVerdict.ACCOUNT;
    }
    boolean isAboutContent =
        reply.code() == 552
            || (reply.code() >= 500 && reply.hasStatus("2.3", "3.4"))
            || reply.status().startsWith("5.6.");
    return isAboutContent ? CarrierVerdict.MESSAGE : CarrierVerdict.CARRIER;
  }

  private static CarrierVerdict forNow(SmtpStep step, SmtpReply reply) {
    // Congestion (RFC 3463 §3.5).
    if (reply.hasStatus("4.5")) {
      return CarrierVerdict.CARRIER_BUSY;
    }
    boolean isGreylist = GREYLIST.matcher(reply.text()).find();
    // The mail system (RFC 3463 §3.4), no room for mails, an error in processing: perhaps for all.
    // The last is how greylists answer as well, to RCPT, and they know each recipient for itself.
    boolean isOfSystem =
        reply.status().startsWith("4.3.")
            || (reply.status().isEmpty()
                && (reply.code() == 452 || (reply.code() == 451 && step != SmtpStep.RCPT)));
    if (isOfSystem && !isGreylist) {
      return CarrierVerdict.SUSPECT;
    }
    return step == SmtpStep.RCPT ? CarrierVerdict.RECIPIENT_FOR_NOW : CarrierVerdict.MOMENT;
  }

  /**
   * 5.7.1 among them: it says that relaying is denied, and also that this mailbox does not want
   * this sender. One mailbox that does not is not to hold up all the others.
   */
  private static CarrierVerdict forGood(SmtpStep step, SmtpReply reply) {
    boolean isAboutMailbox =
        reply.status().startsWith("5.1.")
            || (reply.status().startsWith("5.2.") && !reply.hasStatus("2.3"));
    return step == SmtpStep.RCPT || isAboutMailbox
        ? CarrierVerdict.RECIPIENT
        : CarrierVerdict.MESSAGE;
  }

  /** Not logged in, or not well enough (RFC 4954 §6, RFC 5248). */
  private static boolean isAboutLogin(SmtpReply reply) {
    return switch (reply.code()) {
      case 523, 524, 525, 530, 534, 535, 538 -> true;
      default -> reply.hasStatus("7.8", "7.9", "7.10", "7.11", "7.12", "7.13", "7.14");
    };
  }

  private static boolean isAboutSender(SmtpReply reply) {
    if (reply.status().isEmpty()) {
      return false;
    }
    String detail = reply.status().substring(2);
    return SENDERS.contains(detail)
        || SENDERS_OF_EXCHANGE.contains(detail)
        || BANNED_ADDRESS_OF_EXCHANGE.matcher(detail).matches()
        // Congestion for good is a quota that is used up (RFC 3463 §3.5 has it as 4.4.5 alone).
        || reply.status().equals("5.4.5");
  }

  /** Returns what makes two replies alike, whomever they are about, such as {@code 450 4.7.1}. */
  static String alike(SmtpReply reply) {
    return String.format(Locale.ROOT, "%d %s", reply.code(), reply.status()).strip();
  }
}
