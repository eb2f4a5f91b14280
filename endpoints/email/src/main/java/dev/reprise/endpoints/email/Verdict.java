package dev.reprise.endpoints.email;

import java.util.regex.Pattern;

/** The meaning of a relay's reply for an attempt. */
enum Verdict {
  /** The relay has taken the message. */
  TAKEN,
  /** The next attempt may succeed. */
  RETRY,
  /** The same, and all attempts through this relay wait. */
  RETRY_AND_PAUSE,
  /** Every further attempt would fail in the same way. */
  PERMANENT,
  /** The carrier's own fault: no message fares better, and this one is not to blame. */
  CARRIER;

  /**
   * Postfix defers what it says of the sender or of us to RCPT TO (smtpd_delay_reject), with the
   * status 5.7.1 of everything else; the words tell it apart. No mailbox has a bracket in it.
   */
  private static final Pattern NOT_THE_MAILBOX =
      Pattern.compile("<[^<>]*>: (?:Sender address|Client host|Helo command) rejected: ");

  /**
   * Judges the reply that an attempt ended with.
   *
   * @param step what it replies to
   */
  static Verdict of(SmtpStep step, SmtpReply reply) {
    // Nothing was said about a message yet.
    if (step.compareTo(SmtpStep.MAIL) < 0) {
      return CARRIER;
    }
    if (step == SmtpStep.END && reply.isDone()) {
      return TAKEN;
    }
    // An answer that the protocol does not have here: the relay and we are out of step.
    if (reply.isPositive()) {
      return RETRY;
    }
    if (reply.code() == 421) {
      return RETRY_AND_PAUSE;
    }
    // Not logged in, or not well enough (RFC 4954 §6, RFC 5248).
    if (isAboutLogin(reply)) {
      return CARRIER;
    }
    // The sender is a setting of the carrier. Relays judge it as late as at RCPT.
    if (reply.hasStatus("1.7", "1.8") || NOT_THE_MAILBOX.matcher(reply.text()).lookingAt()) {
      return CARRIER;
    }
    if (reply.code() < 500) {
      return RETRY;
    }
    // The order of commands, not the message.
    if (reply.code() == 503) {
      return RETRY;
    }
    // The sender alone was named so far, unless the relay speaks of size or content.
    if (step == SmtpStep.MAIL && !isAboutContent(reply)) {
      return CARRIER;
    }
    // 5.7.1 among them: it says that relaying is denied, and also that this mailbox does not want
    // this sender. One mailbox that does not is not to hold up all the others.
    return PERMANENT;
  }

  private static boolean isAboutLogin(SmtpReply reply) {
    return switch (reply.code()) {
      case 523, 524, 525, 530, 534, 535, 538 -> true;
      default -> reply.hasStatus("7.8", "7.9", "7.10", "7.11", "7.12", "7.13", "7.14");
    };
  }

  private static boolean isAboutContent(SmtpReply reply) {
    return reply.code() == 552
        || reply.hasStatus("2.3", "3.4")
        || reply.status().startsWith("5.6.");
  }
}
