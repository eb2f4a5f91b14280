package dev.reprise.endpoints.sms;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The states of a message at the SMS centre (SMPP 3.4 §5.2.28 and appendix B). */
enum MessageState {
  ENROUTE(1, "ENROUTE", false),
  DELIVERED(2, "DELIVRD", true),
  EXPIRED(3, "EXPIRED", true),
  DELETED(4, "DELETED", true),
  UNDELIVERABLE(5, "UNDELIV", true),
  /** Final by the letter, but many SMS centres send it before the message is delivered. */
  ACCEPTED(6, "ACCEPTD", false),
  /** Does not show whether the message has arrived, so nothing is reported. */
  UNKNOWN(7, "UNKNOWN", false),
  REJECTED(8, "REJECTD", true);

  private final int code;
  private final String word;
  private final boolean isFinal;

  MessageState(int code, String word, boolean isFinal) {
    this.code = code;
    this.word = word;
    this.isFinal = isFinal;
  }

  /** Returns the value of the TLV message_state. */
  int code() {
    return code;
  }

  /** Returns the word of a receipt's text. */
  String word() {
    return word;
  }

  /** Returns whether no other state follows. */
  boolean isFinal() {
    return isFinal;
  }

  static @Nullable MessageState ofCode(int code) {
    return Stream.of(values()).filter(state -> state.code == code).findFirst().orElse(null);
  }

  /**
   * Returns the state of a word. SMS centres cut words to seven letters or write them out, so their
   * beginnings are compared.
   */
  static @Nullable MessageState ofWord(String word) {
    String upper = word.toUpperCase(Locale.ROOT);
    return Stream.of(values())
        .filter(
            state ->
                upper.equals(state.word)
                    || upper.equals(state.name())
                    || (upper.length() >= 5 && state.name().startsWith(upper)))
        .findFirst()
        .orElse(null);
  }
}
