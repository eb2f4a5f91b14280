package dev.reprise.server.settings;

import dev.reprise.policy.document.FieldNames;
import dev.reprise.server.document.InvalidYamlException;
import dev.reprise.server.document.YamlDocument;
import dev.reprise.server.document.YamlText;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The settings that a file has: in YAML, or as properties where its name ends with {@code
 * .properties}. Keys are the names of {@link Settings}; the name of a file that is relative begins
 * in the folder of this one.
 *
 * @param path the file, as it was named
 * @param values the values that are not empty
 */
public record SettingsFile(Path path, Map<Setting<?>, Value> values) {
  /** More than any file of settings has. */
  private static final long MAX_BYTES = 1 << 20;

  /**
   * A value.
   *
   * @param text as the file has it
   * @param place the file and, if it is known, the line
   */
  public record Value(String text, String place) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read, is malformed, or has an unknown key; the
   *     message names the file
   */
  public static SettingsFile read(Path path) {
    String text = text(path);
    Map<String, Value> read =
        path.toString().endsWith(".properties") ? properties(path, text) : yaml(path, text);
    Map<Setting<?>, Value> values = new LinkedHashMap<>();
    read.forEach(
        (key, value) -> {
          Setting<?> setting =
              Settings.named(key)
                  .orElseThrow(() -> wrong(value.place(), key + ": " + unknown(key)));
          if (!value.text().isEmpty()) {
            values.put(
                setting,
                setting.isFile() ? new Value(beside(path, value.text()), value.place()) : value);
          }
        });
    return new SettingsFile(path, values);
  }

  private static String beside(Path path, String name) {
    Path folder = path.toAbsolutePath().getParent();
    return folder == null ? name : folder.resolve(name).normalize().toString();
  }

  private static String unknown(String key) {
    List<String> known = Settings.ALL.stream().map(Setting::name).toList();
    return "there is no such setting"
        + FieldNames.nearest(key, known)
            .map(nearest -> "; did you mean " + nearest + "?")
            .orElse("; ./reprise serve --help lists all");
  }

  private static String text(Path path) {
    try {
      if (Files.isDirectory(path)) {
        throw wrong(path, "is a folder: a file is needed");
      }
      if (Files.size(path) > MAX_BYTES) {
        throw wrong(path, "has more than " + MAX_BYTES + " bytes");
      }
      String text = Files.readString(path);
      // Some editors begin every file with a mark that means nothing in UTF-8.
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (NoSuchFileException e) {
      throw wrong(path, "there is no such file");
    } catch (AccessDeniedException e) {
      throw wrong(path, "may not be read");
    } catch (CharacterCodingException e) {
      throw wrong(path, "is not text in UTF-8");
    } catch (IOException e) {
      throw wrong(path, "cannot be read: " + e.getMessage());
    }
  }

  private static Map<String, Value> properties(Path path, String text) {
    Map<String, Value> values = new LinkedHashMap<>();
    Set<String> twice = new LinkedHashSet<>();
    Properties read =
        new Properties() {
          private static final long serialVersionUID = 1;

          @Override
          public synchronized @Nullable Object put(Object key, Object value) {
            Value text = new Value(value.toString().strip(), path.toString());
            if (values.put(key.toString(), text) != null) {
              twice.add(key.toString());
            }
            return null;
          }
        };
    try {
      read.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      throw wrong(path, "cannot be read: " + e.getMessage());
    }
    if (!twice.isEmpty()) {
      throw wrong(path, String.join(", ", twice) + ": given twice");
    }
    return values;
  }

  private static Map<String, Value> yaml(Path path, String text) {
    List<YamlDocument> documents;
    try {
      documents = YamlText.documents(path.toString(), text);
    } catch (InvalidYamlException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    if (documents.size() > 1) {
      throw wrong(path, "has several documents: settings are one");
    }
    Map<String, Value> values = new LinkedHashMap<>();
    for (YamlDocument document : documents) {
      if (document.json().isNull()) {
        continue;
      }
      if (!document.json().isObject()) {
        throw wrong(path, "must be lines such as history: 72h");
      }
      document
          .json()
          .propertyStream()
          .forEach(field -> values.put(field.getKey(), value(document, field)));
    }
    return values;
  }

  private static Value value(YamlDocument document, Map.Entry<String, JsonNode> field) {
    String pointer = YamlDocument.pointer("", field.getKey());
    YamlDocument.Mark mark = document.marks().get(pointer);
    String place = document.file() + (mark == null ? "" : ", line " + mark.line());
    JsonNode json = field.getValue();
    List<JsonNode> parts = json.isArray() ? json.valueStream().toList() : List.of(json);
    if (parts.stream().anyMatch(JsonNode::isContainer)) {
      throw wrong(place, field.getKey() + ": must be a value, or a list of values");
    }
    return new Value(
        parts.stream()
            .map(part -> part.isNull() ? "" : part.asString().strip())
            .collect(Collectors.joining(",")),
        place);
  }

  private static IllegalArgumentException wrong(Path path, String message) {
    return wrong(path.toString(), message);
  }

  private static IllegalArgumentException wrong(String place, String message) {
    return new IllegalArgumentException(place + ": " + message);
  }
}
