package dev.reprise.smithy.names;

import java.util.Arrays;
import java.util.Locale;
import javax.lang.model.SourceVersion;

/** Turns the names of a model into the spelling of Java, and knows what Java allows. */
public final class JavaWords {
  private JavaWords() {}

  /**
   * Returns whether the name can be that of a package: identifiers, none reserved, joined by dots.
   */
  public static boolean isPackageName(String name) {
    return !name.isEmpty() && Arrays.stream(name.split("\\.", -1)).allMatch(JavaWords::isName);
  }

  /** Returns whether Java allows the word as a name. */
  static boolean isName(String word) {
    return SourceVersion.isName(word, SourceVersion.RELEASE_17);
  }

  /** Returns the name of a type: {@code noSuch_city} becomes {@code NoSuchCity}. */
  static String typeName(String name) {
    StringBuilder words = new StringBuilder();
    for (String word : name.split("_", -1)) {
      if (!word.isEmpty()) {
        words.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
      }
    }
    if (words.isEmpty()) {
      return "Shape";
    }
    return Character.isDigit(words.charAt(0)) ? "Shape" + words : words.toString();
  }

  /**
   * Returns the name of a member's accessor: {@code CancellationReasons} becomes {@code
   * cancellationReasons}, {@code HTTPCode} {@code httpCode}, and {@code retry_after} {@code
   * retryAfter}.
   */
  static String memberName(String name) {
    String type = typeName(name);
    int capitals = 0;
    while (capitals < type.length() && isCapital(type.charAt(capitals))) {
      capitals++;
    }
    // The last capital of several begins the next word, unless nothing but digits follows.
    boolean wordFollows = capitals < type.length() && Character.isLowerCase(type.charAt(capitals));
    int lower = capitals > 1 && wordFollows ? capitals - 1 : capitals;
    return type.substring(0, lower).toLowerCase(Locale.ROOT) + type.substring(lower);
  }

  /** Returns the name of a constant: {@code notReady} and {@code not-ready} become NOT_READY. */
  static String constantName(String name) {
    String words = name.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("([a-z0-9])([A-Z])", "$1_$2");
    String constant = words.replaceAll("^_+|_+$", "").toUpperCase(Locale.ROOT);
    return constant.isEmpty() || Character.isDigit(constant.charAt(0))
        ? "VALUE_" + constant
        : constant;
  }

  private static boolean isCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }
}
