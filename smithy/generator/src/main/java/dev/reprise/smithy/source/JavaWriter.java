package dev.reprise.smithy.source;

import dev.reprise.smithy.doc.DocComment;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import software.amazon.smithy.utils.AbstractCodeWriter;

/**
 * Writes one file of Java. In a format, {@code $T} is a {@link JavaType}, which is imported when it
 * must be; {@code $L} is text as it stands, and {@code $S} a string literal. Not thread-safe.
 */
public final class JavaWriter extends AbstractCodeWriter<JavaWriter> {
  private static final String INDENT = "  ";
  private static final int COLUMNS = 100;
  private static final int MAX_ARGUMENTS = 60;
  private static final String NEXT_LINE = "\n" + INDENT.repeat(4);

  private final String packageName;
  private final Set<String> packageNames;
  private final Set<String> nestedNames;
  private final Map<String, String> imports = new TreeMap<>();

  /**
   * Creates the writer of a file.
   *
   * @param packageName the file's package
   * @param packageNames the simple names of the package's classes
   * @param nestedNames the simple names of the classes that are nested in this one
   */
  public JavaWriter(String packageName, Set<String> packageNames, Set<String> nestedNames) {
    this.packageName = packageName;
    this.packageNames = Set.copyOf(packageNames);
    this.nestedNames = Set.copyOf(nestedNames);
    setIndentText(INDENT);
    trimTrailingSpaces(true);
    insertTrailingNewline();
    putFormatter('T', (type, indent) -> name((JavaType) type));
    putFormatter('S', (text, indent) -> literal((String) text));
  }

  /** Returns a type as it is written here, and imports it when it must be. */
  public String name(JavaType type) {
    String name = simpleOrWhole(type);
    if (type.arguments().isEmpty()) {
      return name;
    }
    return type.arguments().stream()
        .map(this::name)
        .collect(Collectors.joining(", ", name + "<", ">"));
  }

  private String simpleOrWhole(JavaType type) {
    if (type.isPrimitive() || type.packageName().equals("java.lang")) {
      return type.name();
    }
    String whole = type.packageName() + "." + type.name();
    // Inside this class the simple name is that of another.
    if (nestedNames.contains(type.name())) {
      return whole;
    }
    if (type.packageName().equals(packageName)) {
      return type.name();
    }
    return packageNames.contains(type.name())
            || !imports.computeIfAbsent(type.name(), unused -> whole).equals(whole)
        ? whole
        : type.name();
  }

  /**
   * Returns a call. Its arguments stand in its line if they are short together, and else each in a
   * line of its own.
   */
  public static String call(String method, List<String> arguments) {
    String oneLine = String.join(", ", arguments);
    String lines = NEXT_LINE + String.join("," + NEXT_LINE, arguments);
    return method + "(" + (oneLine.length() <= MAX_ARGUMENTS ? oneLine : lines) + ")";
  }

  /** Returns a string literal; characters other than printable ASCII are escaped. */
  public static String literal(String text) {
    StringBuilder literal = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> literal.append("\\\"");
        case '\\' -> literal.append("\\\\");
        case '\n' -> literal.append("\\n");
        case '\r' -> literal.append("\\r");
        case '\t' -> literal.append("\\t");
        default -> {
          if (c >= ' ' && c <= '~') {
            literal.append(c);
          } else {
            literal.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          }
        }
      }
    }
    return literal.append('"').toString();
  }

  /**
   * Writes a Javadoc comment, or nothing when there is nothing to say.
   *
   * @param documentation the model's own words, in CommonMark; may be empty
   * @param paragraphs what we add, one paragraph each
   * @param tags block tags
   */
  public JavaWriter doc(String documentation, List<String> paragraphs, List<String> tags) {
    int width = COLUMNS - INDENT.length() * getIndentLevel();
    DocComment.lines(documentation, paragraphs, tags, width).forEach(this::writeWithNoFormatting);
    return this;
  }

  /** Writes a Javadoc comment of our own words, one paragraph. */
  public JavaWriter doc(String paragraph) {
    return doc("", List.of(paragraph), List.of());
  }

  /** Returns the whole file: header, package, imports and what was written. */
  public String file(String header) {
    StringBuilder file =
        new StringBuilder(header).append("\npackage ").append(packageName).append(";\n\n");
    imports.values().stream()
        .sorted()
        .forEach(name -> file.append("import ").append(name).append(";\n"));
    if (!imports.isEmpty()) {
      file.append('\n');
    }
    return file.append(toString()).toString();
  }
}
