package dev.reprise.cli.apply;

import dev.reprise.policy.document.FieldNames;
import dev.reprise.server.document.YamlDocument;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A part of a file.
 *
 * @param document the document that it stands in
 * @param pointer where it stands there, as a JSON pointer
 * @param path the same with dots, for people
 * @param json the part itself
 */
record Part(YamlDocument document, String pointer, String path, JsonNode json) {
  static Part of(YamlDocument document) {
    return new Part(document, "", "", document.json());
  }

  /** Returns a field; a null node if it is not there. */
  Part field(String name) {
    JsonNode value = json.get(name);
    return new Part(
        document,
        YamlDocument.pointer(pointer, name),
        path.isEmpty() ? name : path + "." + name,
        value == null ? JsonNodeFactory.instance.nullNode() : value);
  }

  boolean isAbsent() {
    return json.isNull();
  }

  /** Returns the fields of an object; none of anything else. */
  List<Part> fields() {
    List<Part> fields = new ArrayList<>();
    if (json.isObject()) {
      json.propertyNames().forEach(name -> fields.add(field(name)));
    }
    return fields;
  }

  List<Part> elements() {
    List<Part> elements = new ArrayList<>();
    for (int i = 0; i < (json.isArray() ? json.size() : 0); i++) {
      elements.add(new Part(document, pointer + "/" + i, path + "[" + i + "]", json.get(i)));
    }
    return elements;
  }

  /** Returns the name under which a field stands. */
  String name() {
    String last = pointer.substring(pointer.lastIndexOf('/') + 1);
    return last.replace("~1", "/").replace("~0", "~");
  }

  /** Returns where the part stands: the file, the line and the path. */
  String place() {
    return document.place(pointer) + (path.isEmpty() ? "" : ": " + path);
  }

  /** Returns the mistake of this part, as a line. */
  String mistake(String rule) {
    return document.place(pointer) + ": " + (path.isEmpty() ? "" : path + " ") + rule;
  }

  /** Adds a mistake for each field that is not known here. */
  void rejectUnknown(List<String> known, List<String> mistakes) {
    for (Part field : fields()) {
      if (!known.contains(field.name())) {
        mistakes.add(
            field.mistake(
                "is no field here"
                    + FieldNames.nearest(field.name(), known)
                        .map(nearest -> "; did you mean " + nearest + "?")
                        .orElse(": fields are " + String.join(", ", known))));
      }
    }
  }

  /** Returns whether the part is an object or absent; anything else is a mistake. */
  boolean isObject(List<String> mistakes) {
    if (!json.isObject() && !json.isNull()) {
      mistakes.add(mistake("must be an object"));
    }
    return json.isObject();
  }
}
