package dev.reprise.device.error;

import java.util.regex.Pattern;

/** Makes text of the other side fit for a line of a log. */
final class OneLine {
  private static final Pattern CONTROLS =
      Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9F}\\u2028\\u2029]+");

  private OneLine() {}

  /** Returns the text without line breaks and other control characters, cut off at a length. */
  static String of(String text, int longest) {
    // Cut first: what the other side sends may be megabytes.
    String cut = text.length() <= longest ? text : text.substring(0, longest) + "...";
    // Most texts have none, and a device that cannot connect makes one with each attempt.
    return cut.chars().noneMatch(OneLine::isControl)
        ? cut.strip()
        : CONTROLS.matcher(cut).replaceAll(" ").strip();
  }

  private static boolean isControl(int character) {
    return Character.isISOControl(character) || character == 0x2028 || character == 0x2029;
  }
}
