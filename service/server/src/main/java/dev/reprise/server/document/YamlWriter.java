package dev.reprise.server.document;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Writes trees of Jackson as YAML in blocks, which {@link YamlText} reads back to the same trees.
 * Text that YAML, of version 1.1 or 1.2, could take for something else stands in quotes; text of
 * several lines is a block where it can be.
 */
public final class YamlWriter {
  /** Text that no version of YAML takes for anything else. */
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z_/][A-Za-z0-9_./@+*-]*(?:[ :]?[A-Za-z0-9_./@+*=?%-]+)*");

  private static final Pattern WORD =
      Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null|\\.?nan|[-+.]?inf");

  private static final int MAX_PLAIN = 500;

  private final StringBuilder out = new StringBuilder();

  private YamlWriter() {}

  /** Returns a document; it ends with a line break. */
  public static String write(JsonNode node) {
    YamlWriter writer = new YamlWriter();
    if (isBlock(node)) {
      writer.block(node, "");
    } else {
      writer.inline(node, "");
    }
    return writer.out.toString();
  }

  private static boolean isBlock(JsonNode node) {
    return node.isContainer() && !node.isEmpty();
  }

  private void block(JsonNode node, String indent) {
    if (node.isArray()) {
      for (JsonNode element : node) {
        out.append(indent).append("- ");
        element(element, indent + "  ");
      }
      return;
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      out.append(indent);
      field(field, indent);
    }
  }

  private void field(Map.Entry<String, JsonNode> field, String indent) {
    out.append(text(field.getKey())).append(':');
    JsonNode value = field.getValue();
    if (isBlock(value) && !isShort(value)) {
      out.append('\n');
      block(value, indent + "  ");
    } else {
      out.append(' ');
      inline(value, indent);
    }
  }

  /** The first field of an object stands behind the dash of its element. */
  private void element(JsonNode element, String indent) {
    if (!isBlock(element) || isShort(element)) {
      inline(element, indent.substring(2));
      return;
    }
    if (element.isArray()) {
      out.setLength(out.length() - 1);
      out.append('\n');
      block(element, indent);
      return;
    }
    Iterator<Map.Entry<String, JsonNode>> fields = element.properties().iterator();
    field(fields.next(), indent);
    while (fields.hasNext()) {
      out.append(indent);
      field(fields.next(), indent);
    }
  }

  /** A few words in a list, or one word under a name, are read best on one line. */
  private static boolean isShort(JsonNode node) {
    if (!node.valueStream().allMatch(each -> each.isValueNode() && !isLines(each))) {
      return false;
    }
    return node.isArray() ? node.toString().length() <= 60 : node.size() == 1 && isSource(node);
  }

  /** The place of a text that stands elsewhere. */
  private static boolean isSource(JsonNode node) {
    return List.of("file", "variable").contains(node.propertyNames().iterator().next());
  }

  private void inline(JsonNode node, String indent) {
    if (isLines(node)) {
      lines(node.stringValue(), indent + "  ");
    } else {
      flow(node);
      out.append('\n');
    }
  }

  private void flow(JsonNode node) {
    String separator = "";
    if (node.isArray()) {
      out.append('[');
      for (JsonNode element : node) {
        out.append(separator);
        flow(element);
        separator = ", ";
      }
      out.append(']');
    } else if (node.isObject()) {
      out.append('{');
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        out.append(separator).append(text(field.getKey())).append(": ");
        flow(field.getValue());
        separator = ", ";
      }
      out.append('}');
    } else {
      out.append(node.isString() ? text(node.stringValue()) : node.toString());
    }
  }

  private static boolean isLines(JsonNode node) {
    if (!node.isString() || !node.stringValue().contains("\n")) {
      return false;
    }
    String text = node.stringValue();
    return !text.startsWith("\n")
        && !text.startsWith(" ")
        && !text.endsWith("\n\n")
        && text.codePoints().allMatch(point -> point == '\n' || isVisible(point))
        && text.lines().allMatch(line -> line.equals(line.stripTrailing()));
  }

  private static boolean isVisible(int point) {
    return (point >= ' ' && point < 0x7f)
        || (point >= 0xa0
            && Character.isDefined(point)
            && point != '\ufeff'
            && Character.getType(point) != Character.LINE_SEPARATOR
            && Character.getType(point) != Character.PARAGRAPH_SEPARATOR
            && Character.getType(point) != Character.FORMAT
            && Character.getType(point) != Character.SURROGATE);
  }

  private void lines(String text, String indent) {
    out.append(text.endsWith("\n") ? "|" : "|-").append('\n');
    text.lines()
        .forEach(line -> out.append(line.isEmpty() ? "" : indent).append(line).append('\n'));
  }

  private static String text(String text) {
    boolean plain =
        text.length() <= MAX_PLAIN
            && PLAIN.matcher(text).matches()
            && !WORD.matcher(text).matches();
    return plain ? text : quoted(text);
  }

  /**
   * In double quotes YAML has all that JSON has; of what it takes for line breaks, JSON escapes
   * less.
   */
  private static String quoted(String text) {
    String json = JsonNodeFactory.instance.stringNode(text).toString();
    StringBuilder quoted = new StringBuilder();
    json.codePoints()
        .forEach(
            point -> {
              if (isVisible(point)) {
                quoted.appendCodePoint(point);
              } else if (point > 0xffff) {
                quoted.append(String.format(Locale.ROOT, "\\U%08x", point));
              } else {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", point));
              }
            });
    return quoted.toString();
  }
}
