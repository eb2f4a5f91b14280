package dev.reprise.server.cli.terminal;

import dev.reprise.server.cli.terminal.Terminal.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Small turns of phrase that several commands share. */
public final class Words {
  private Words() {}

  /** Returns {@code 1 message}, {@code 2 messages}, {@code 2 deliveries}. */
  public static String count(long count, String noun) {
    String many = noun.endsWith("y") ? noun.substring(0, noun.length() - 1) + "ies" : noun + "s";
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? noun : many);
  }

  /**
   * Returns a URL that is wrong, to be shown: without its control characters, and without what may
   * be a password. Nobody knows where one ends in such a URL, so all up to the last {@code @} goes.
   */
  public static String wrongUrl(String url) {
    int at = url.lastIndexOf('@');
    if (at < 0) {
      return safe(url);
    }
    int slashes = url.indexOf("//");
    int from = slashes < 0 || slashes > at ? 0 : slashes + 2;
    return safe(url.substring(0, from) + "***" + url.substring(at));
  }

  /**
   * Returns the text with its control characters made visible: what an endpoint answered must not
   * steer the terminal that shows it.
   */
  public static String safe(String text) {
    StringBuilder safe = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean control = Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
      if (control && safe == null) {
        safe = new StringBuilder(text.length() + 8).append(text, 0, i);
      }
      if (safe != null) {
        safe.append(control ? escaped(c) : String.valueOf(c));
      }
    }
    return safe == null ? text : safe.toString();
  }

  private static String escaped(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> " ";
      default -> String.format("\\u%04x", (int) c);
    };
  }

  public static String shortened(String text, int width) {
    String safe = safe(text);
    return width(safe) <= width
        ? safe
        : safe.substring(0, safe.offsetByCodePoints(0, width - 3)) + "...";
  }

  /** Returns the text in lines of at most so many columns, broken at spaces. */
  public static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : safe(text).strip().split(" +", -1)) {
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

  public static Style styleOf(String status) {
    return switch (status) {
      case "delivered" -> Style.GOOD;
      case "pending" -> Style.WAITING;
      case "dead-lettered", "discarded", "expired" -> Style.BAD;
      default -> Style.PLAIN;
    };
  }
}
