package dev.reprise.delivery.attempt;

import org.jspecify.annotations.Nullable;

/**
 * One finding of the check of a receiver.
 *
 * @param check the thing that was looked at
 * @param passed whether the receiver does right; null if that is not known
 * @param text a sentence with what happened, for people
 */
public record ReceiverFinding(Check check, @Nullable Boolean passed, String text) {
  /** The things that are looked at. */
  public enum Check {
    /** A message is taken. */
    ACCEPTED("accepted"),
    /** A message whose signature is wrong is refused. */
    SIGNATURE("signature"),
    /** A message that was signed an hour ago is refused. */
    TIMESTAMP("timestamp"),
    /** A message that was taken before is taken again. */
    REPETITION("repetition"),
    /** Answers come in time. */
    TIMEOUT("timeout"),
    /** The largest message is taken. */
    BODY("body");

    private final String wireName;

    Check(String wireName) {
      this.wireName = wireName;
    }

    /** Returns the name that the API has for it. */
    public String wireName() {
      return wireName;
    }
  }

  static ReceiverFinding passed(Check check, String text) {
    return new ReceiverFinding(check, true, text);
  }

  static ReceiverFinding failed(Check check, String text) {
    return new ReceiverFinding(check, false, text);
  }

  static ReceiverFinding unknown(Check check, String reason) {
    return new ReceiverFinding(check, null, "Not checked: " + reason + ".");
  }
}
