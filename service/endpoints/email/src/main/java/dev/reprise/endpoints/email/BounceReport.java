package dev.reprise.endpoints.email;

import dev.reprise.delivery.carrier.Receipt;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A delivery status notification (RFC 3464): the mail in which a mail server reports how a message
 * fared, of one recipient.
 *
 * @param messageId the Message-ID of the message that it is about, with its angle brackets; empty
 *     if it is not given
 * @param action how the message fared
 * @param status the status code (RFC 3463), such as {@code 5.1.1}; empty if there is none
 * @param diagnostic the last server's own words, such as {@code 550 5.1.1 no such user}; empty if
 *     there are none
 * @param finalRecipient the mailbox; empty if it is not named
 */
public record BounceReport(
    String messageId, Action action, String status, String diagnostic, String finalRecipient) {
  /** More of a mail is not read, in bytes. */
  public static final int MAX_BYTES = 1 << 20;

  private static final Set<String> STATUS_TYPES =
      Set.of("message/delivery-status", "message/global-delivery-status");

  private static final Set<String> RETURNED_TYPES =
      Set.of(
          "message/rfc822",
          "text/rfc822-headers",
          "message/global",
          "message/global-headers",
          "message/rfc822-headers");

  private static final Pattern STATUS = Pattern.compile("[245]\\.[0-9]{1,3}\\.[0-9]{1,3}");
  private static final Pattern MESSAGE_ID = Pattern.compile("<[!-;=?-~]{1,900}>");
  private static final Pattern ENVELOPE_ID = Pattern.compile("[!-;=?-~]{1,100}");
  private static final Pattern CODE = Pattern.compile("[245][0-9]{2}(?![0-9])");

  /** The actions of RFC 3464 §2.3.3. */
  public enum Action {
    /** The message could not be delivered, and will not be. */
    FAILED,
    /** It could not be delivered so far. */
    DELAYED,
    /** It has reached its mailbox. */
    DELIVERED,
    /** It has gone to a system that sends no such reports. */
    RELAYED,
    /** It has gone to several mailboxes. */
    EXPANDED;

    private static Optional<Action> of(String text) {
      for (Action action : values()) {
        String name = action.wireName();
        if (text.equals(name) || text.startsWith(name + " ") || text.startsWith(name + "(")) {
          return Optional.of(action);
        }
      }
      return Optional.empty();
    }

    private String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Reads a mail, its first {@value #MAX_BYTES} bytes. Of a report on several recipients it takes
   * the first that failed, otherwise the first.
   *
   * @return empty if it is not a delivery status notification
   */
  public static Optional<BounceReport> read(byte[] mail) {
    String envelopeId = "";
    String messageId = "";
    Optional<BounceReport> found = Optional.empty();
    byte[] head = mail.length <= MAX_BYTES ? mail : Arrays.copyOf(mail, MAX_BYTES);
    for (MailPart part : MailPart.of(head).parts()) {
      if (STATUS_TYPES.contains(part.type())) {
        List<String> lines = part.decodedLines();
        for (int next = 0; next < lines.size(); ) {
          Map<String, String> group = new HashMap<>();
          next = MailPart.readHeaders(lines, next, group);
          envelopeId = envelopeId.isEmpty() ? envelopeId(group) : envelopeId;
          found = worse(found, ofRecipient(group));
        }
      } else if (RETURNED_TYPES.contains(part.type()) && messageId.isEmpty()) {
        messageId = first(MESSAGE_ID, MailPart.of(part.decodedLines()).header("message-id"));
      }
    }
    String id = messageId.isEmpty() ? envelopeId : messageId;
    return found.map(report -> report.about(id));
  }

  private static Optional<BounceReport> worse(
      Optional<BounceReport> known, Optional<BounceReport> next) {
    boolean failedFirst =
        next.isPresent()
            && known.isPresent()
            && known.get().action != Action.FAILED
            && next.get().action == Action.FAILED;
    return known.isEmpty() || failedFirst ? next : known;
  }

  private static Optional<BounceReport> ofRecipient(Map<String, String> group) {
    return Action.of(group.getOrDefault("action", "").toLowerCase(Locale.ROOT))
        .map(
            action ->
                new BounceReport(
                    "",
                    action,
                    first(STATUS, group.getOrDefault("status", "")),
                    untyped(group.getOrDefault("diagnostic-code", "")),
                    untyped(group.getOrDefault("final-recipient", ""))));
  }

  /** We give relays the Message-ID without its brackets as the id of the envelope. */
  private static String envelopeId(Map<String, String> group) {
    String id = group.getOrDefault("original-envelope-id", "");
    return id.indexOf('@') > 0 && ENVELOPE_ID.matcher(id).matches() ? "<" + id + ">" : "";
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group() : "";
  }

  /** Removes the type in front, as in {@code smtp; 550 no such user}. */
  private static String untyped(String value) {
    return SmtpReply.line(value.substring(value.indexOf(';') + 1));
  }

  private BounceReport about(String id) {
    return new BounceReport(id, action, status, diagnostic, finalRecipient);
  }

  /**
   * Returns the receipt of the delivery that the message was of; empty if the report is not the
   * last word, or names no message.
   */
  public Optional<Receipt> toReceipt() {
    if (messageId.isEmpty() || (action != Action.FAILED && action != Action.DELIVERED)) {
      return Optional.empty();
    }
    Matcher code = CODE.matcher(diagnostic);
    return Optional.of(
        new Receipt(
            messageId,
            action != Action.FAILED,
            code.lookingAt() ? Integer.parseInt(code.group()) : 0,
            summary()));
  }

  private String summary() {
    StringBuilder summary = new StringBuilder(action.wireName());
    if (!status.isEmpty()) {
      summary.append(' ').append(status);
    }
    if (!diagnostic.isEmpty()) {
      summary.append(": ").append(diagnostic);
    }
    return SmtpReply.line(summary.toString());
  }
}
