package dev.reprise.cli.terminal;

import dev.reprise.common.text.HarmlessText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Small turns of phrase that several commands share. */
public final class Words {
  private static final List<String> BYTES = List.of("B", "kB", "MB", "GB", "TB");

  private Words() {}

  /** Returns {@code 1 message}, {@code 2 messages}, {@code 2 deliveries}. */
  public static String count(long count, String noun) {
    String many = noun.endsWith("y") ? noun.substring(0, noun.length() - 1) + "ies" : noun + "s";
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? noun : many);
  }

  /** Returns {@code 512 B}, {@code 1.5 GB}: in thousands, as disks are sold. */
  public static String bytes(long bytes) {
    double amount = bytes;
    int unit = 0;
    while (amount >= 999.5 && unit < BYTES.size() - 1) {
      amount /= 1000;
      unit++;
    }
    String form = unit == 0 || amount >= 9.95 ? "%.0f %s" : "%.1f %s";
    return String.format(Locale.ROOT, form, amount, BYTES.get(unit));
  }

  /**
   * Returns the text without harmful characters, or its beginning and three dots if it is wider.
   */
  public static String shortened(String text, int width) {
    return HarmlessText.fitted(HarmlessText.visible(text), width);
  }

  /** Returns the text in lines of at most so many columns, broken at spaces. */
  public static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : HarmlessText.visible(text).strip().split(" +", -1)) {
      if (line.length() > 0 && width(line.toString()) + 1 + width(word) > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    if (line.length() > 0) {
      lines.add(line.toString());
    }
    return lines;
  }

  /** Returns the first line of what an exception says. */
  public static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).strip().lines().findFirst().orElse(e.toString());
  }

  public static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
