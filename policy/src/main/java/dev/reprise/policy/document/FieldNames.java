package dev.reprise.policy.document;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the known names that are meant by unknown ones. */
public final class FieldNames {
  /** More changes than these make another word, not a slip of the finger. */
  private static final int MAX_SLIPS = 4;

  private FieldNames() {}

  /**
   * Returns the rule that an unknown field breaks, with the known field that was probably meant.
   */
  static String unknownRule(String name, List<String> known) {
    return nearest(name, known)
        .map(nearest -> "no such field; did you mean " + nearest + "?")
        .orElse("no such field; known here: " + String.join(", ", known));
  }

  /** Returns the known name that was probably meant; empty when none is near. */
  public static Optional<String> nearest(String name, List<String> known) {
    return known.stream()
        .filter(candidate -> isNear(name, candidate))
        .min(Comparator.comparingInt(candidate -> slips(name, candidate)));
  }

  /** Returns true when the name is a known one, or one with a slip of the finger. */
  public static boolean isNear(String name, List<String> known) {
    return known.stream().anyMatch(candidate -> isNear(name, candidate));
  }

  /** Half of a short word is another word. */
  private static boolean isNear(String name, String candidate) {
    return slips(name, candidate) <= Math.min(MAX_SLIPS, candidate.length() / 2);
  }

  /** Returns how many letters must be added, dropped or changed to get from one to the other. */
  private static int slips(String written, String known) {
    if (Math.abs(written.length() - known.length()) > MAX_SLIPS) {
      return Integer.MAX_VALUE;
    }
    String a = written.toLowerCase(Locale.ROOT);
    String b = known.toLowerCase(Locale.ROOT);
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(changed, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
