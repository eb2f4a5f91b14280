package dev.reprise.device.error;

import java.util.Locale;
import java.util.regex.Pattern;

/** The one way in which codes are written: decimal, but those of MQTT 5 as {@code 0x9F}. */
final class Codes {
  /** The value of a code that is no number. */
  static final int NO_NUMBER = -1;

  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}");
  private static final Pattern HEXADECIMAL = Pattern.compile("0[xX][0-9a-fA-F]{1,7}");

  private Codes() {}

  /** Returns a code as the table writes it; a code that is no number as it is, without blanks. */
  static String written(String protocol, String code) {
    String stripped = code.strip();
    int number = number(stripped);
    if (number == NO_NUMBER) {
      return stripped;
    }
    return protocol.startsWith("mqtt5-")
        ? String.format(Locale.ROOT, "0x%02X", number)
        : Integer.toString(number);
  }

  /** Reads a decimal or hexadecimal number of at least 0; else {@link #NO_NUMBER}. */
  static int number(String code) {
    if (DECIMAL.matcher(code).matches()) {
      return Integer.parseInt(code);
    }
    return HEXADECIMAL.matcher(code).matches()
        ? Integer.parseInt(code.substring(2), 16)
        : NO_NUMBER;
  }

  static String lowerCase(String code) {
    return code.toLowerCase(Locale.ROOT);
  }
}
