package dev.reprise.policy.document;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Values of a document as they appear in messages: on one line, and not longer than a message. */
public final class Quoted {
  private static final int MAX_CHARACTERS = 60;

  private Quoted() {}

  public static String text(String text) {
    return json(StringNode.valueOf(text));
  }

  public static String json(JsonNode value) {
    return shorten(value.toString());
  }

  /** Returns a field name: as it is when it is a plain word, else quoted. */
  static String fieldName(String name) {
    boolean plain =
        !name.isEmpty()
            && name.length() <= MAX_CHARACTERS
            && name.chars().allMatch(Quoted::isWordChar);
    return plain ? name : text(name);
  }

  /** Returns a message of the JSON parser without line breaks, and only as long as it may help. */
  static String line(String message) {
    String line = message.replaceAll("\\s+", " ").strip();
    return line.length() <= 4 * MAX_CHARACTERS ? line : line.substring(0, 4 * MAX_CHARACTERS) + "…";
  }

  private static boolean isWordChar(int c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-';
  }

  private static String shorten(String json) {
    return json.length() <= MAX_CHARACTERS ? json : json.substring(0, MAX_CHARACTERS) + "…";
  }
}
