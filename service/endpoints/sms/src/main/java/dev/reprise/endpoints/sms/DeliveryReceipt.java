package dev.reprise.endpoints.sms;

import dev.reprise.common.text.HarmlessText;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A delivery receipt, read from the text that appendix B of SMPP 3.4 suggests ({@code id:… sub:…
 * dlvrd:… submit date:… done date:… stat:… err:… text:…}) and from TLVs, which go before the text.
 * Reads whatever strangers send, in time that grows with its length alone.
 *
 * @param id the id as the SMS centre wrote it, from 1 to {@value #MAX_ID} characters
 * @param state the state of the message
 * @param error the SMS centre's own error, empty for none
 */
record DeliveryReceipt(String id, MessageState state, String error) {
  /** The longest message_id (SMPP 3.4 §4.4.2). */
  static final int MAX_ID = 64;

  private static final int MAX_ERROR = 20;

  /** Blanks between the colon and the value, as some SMS centres write. */
  private static final int MAX_BLANKS = 8;

  private static final List<String> FIELDS =
      List.of("id:", "sub:", "dlvrd:", "submit", "done", "stat:", "err:", "text:");

  /**
   * A text that has nothing but fields of a receipt up to its state, which is written out. Such a
   * text from a handset is taken for a receipt: the report it makes changes no delivery.
   */
  private static final Pattern ONE =
      Pattern.compile(
          "\\s{0,8}id:\\s{0,8}[^\\s:]{1,64}"
              + "(?:\\s{1,8}(?:sub|dlvrd|submit date|done date|err):\\s{0,8}[^\\s:]{0,20}){0,8}"
              + "\\s{1,8}stat:\\s{0,8}"
              + "(?:DELIVRD|DELIVERED|EXPIRED|DELETED|UNDELIV|UNDELIVERABLE|REJECTD|REJECTED"
              + "|ENROUTE|ACCEPTD|ACCEPTED|UNKNOWN)(?:\\s.*)?",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /**
   * Reads a receipt.
   *
   * @param text the text; empty for none
   * @param receiptedId the TLV receipted_message_id; null for none
   * @param messageState the TLV message_state; null for none
   * @return null if no id or no known state is found
   */
  static @Nullable DeliveryReceipt read(
      String text, @Nullable String receiptedId, @Nullable Integer messageState) {
    String id = receiptedId == null || receiptedId.isBlank() ? field(text, "id:") : receiptedId;
    MessageState state = messageState == null ? null : MessageState.ofCode(messageState);
    if (state == null) {
      state = MessageState.ofWord(field(text, "stat:"));
    }
    String harmless = HarmlessText.oneLine(id);
    if (harmless.isEmpty() || harmless.length() > MAX_ID || state == null) {
      return null;
    }
    return new DeliveryReceipt(
        harmless, state, HarmlessText.oneLine(field(text, "err:"), MAX_ERROR));
  }

  /** Returns whether a text is a receipt, though nothing but the text says so. */
  static boolean isOne(String text) {
    return ONE.matcher(text).matches();
  }

  /** Returns the line for people, such as {@code UNDELIV, error 011}. */
  String summary() {
    boolean noError = error.chars().allMatch(character -> character == '0');
    return noError ? state.word() : state.word() + ", error " + error;
  }

  /**
   * Returns the value of a field, up to the next space; empty if there is none, or another field
   * follows. The message's own text, which comes last, is not looked at.
   */
  private static String field(String text, String name) {
    String lower = text.toLowerCase(Locale.ROOT);
    // Lower case may take more room than the text, in which case no field is where it seems to be.
    if (lower.length() != text.length()) {
      return "";
    }
    int own = wordAt(lower, "text:");
    int end = own < 0 ? text.length() : own;
    int at = wordAt(lower, name);
    if (at < 0 || at >= end) {
      return "";
    }
    int from = at + name.length();
    int latest = Math.min(end, from + MAX_BLANKS);
    while (from < latest && Character.isWhitespace(text.charAt(from))) {
      from++;
    }
    int begin = from;
    if (FIELDS.stream().anyMatch(field -> lower.startsWith(field, begin))) {
      return "";
    }
    int to = from;
    while (to < end && !Character.isWhitespace(text.charAt(to))) {
      to++;
    }
    return text.substring(from, to);
  }

  /** Returns where a name first begins a word; -1 if it does not. */
  private static int wordAt(String text, String name) {
    int at = text.indexOf(name);
    while (at > 0 && !Character.isWhitespace(text.charAt(at - 1))) {
      at = text.indexOf(name, at + 1);
    }
    return at;
  }
}
