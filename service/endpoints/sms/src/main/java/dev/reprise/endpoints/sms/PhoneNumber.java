package dev.reprise.endpoints.sms;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The phone numbers of the world (ITU-T E.164), with a plus and without spaces. */
final class PhoneNumber {
  private static final Pattern E164 = Pattern.compile("\\+[1-9][0-9]{6,14}");
  private static final String RULE =
      "must be a phone number with its country code, such as +4915112345678: + and 7 to 15 digits,"
          + " the first not 0";

  private PhoneNumber() {}

  static boolean is(String text) {
    return E164.matcher(text).matches();
  }

  /** Returns the rule that a text breaks; null if it is a phone number. */
  static @Nullable String problem(String text) {
    return is(text) ? null : RULE;
  }
}
