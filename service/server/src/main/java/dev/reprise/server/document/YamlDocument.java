package dev.reprise.server.document;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A document of a YAML file.
 *
 * @param file what errors call the file
 * @param json what the document holds; a null node if it is empty
 * @param marks where each part begins, by its JSON pointer ({@code /topics/orders}): a field where
 *     its name stands, an element where its value does. Empty for a document in JSON that YAML
 *     refuses, such as one with tabs
 */
public record YamlDocument(String file, JsonNode json, Map<String, Mark> marks) {
  /**
   * A place in a file.
   *
   * @param line from 1
   * @param column from 1
   */
  public record Mark(int line, int column) {}

  public YamlDocument {
    marks = Map.copyOf(marks);
  }

  /** Returns the file and, if it is known, the line and column of a part. */
  public String place(String pointer) {
    Mark mark = marks.get(pointer);
    return mark == null ? file : place(file, mark);
  }

  static String place(String file, @Nullable Mark mark) {
    return mark == null ? file : file + ", line " + mark.line() + ", column " + mark.column();
  }

  /** Returns the pointer to a field or an element of a part. */
  public static String pointer(String parent, String name) {
    return parent + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
