package dev.reprise.cli.base;

import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.policy.document.JsonFault;
import dev.reprise.server.document.Documents;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON as it is read from users and from the service. */
public final class Json {
  private static final JsonMapper MAPPER = JsonFault.strictMapper();

  private Json() {}

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Returns documents as an array. */
  public static ArrayNode array(Collection<? extends Record> documents) {
    ArrayNode array = MAPPER.createArrayNode();
    documents.forEach(document -> array.add(Documents.tree(document)));
    return array;
  }

  /** Returns a text as JSON has it, in quotes. */
  public static JsonNode text(String text) {
    return MAPPER.getNodeFactory().stringNode(text);
  }

  /** Returns what the text holds, or null when it is not JSON. */
  public static @Nullable JsonNode tryRead(String text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      return node.isMissingNode() ? null : node;
    } catch (JacksonException notJson) {
      return null;
    }
  }

  /** Returns what is wrong with the text, or null when it is JSON. */
  public static @Nullable String fault(String text) {
    try {
      return MAPPER.readTree(text).isMissingNode() ? "empty" : null;
    } catch (JacksonException e) {
      String where =
          e.getLocation() == null
              ? ""
              : "line "
                  + e.getLocation().getLineNr()
                  + ", column "
                  + e.getLocation().getColumnNr()
                  + ": ";
      return where + HarmlessText.visible(JsonFault.describe(e));
    }
  }

  /**
   * Reads the value of an option or a file.
   *
   * @throws CommandFailure when it is not JSON
   */
  public static JsonNode read(String what, String text) {
    String fault = fault(text);
    if (fault != null) {
      throw CommandFailure.wrongUsage(what + " is not JSON: " + fault);
    }
    return MAPPER.readTree(text);
  }

  /**
   * Reads a document that the service has answered.
   *
   * @throws CommandFailure when a field is not of its type
   */
  public static <T> T document(JsonNode answer, Class<T> type) {
    try {
      return Documents.read(answer, type);
    } catch (JacksonException e) {
      throw CommandFailure.failed(
          "the service's answer cannot be read: " + HarmlessText.visible(e.getOriginalMessage()));
    }
  }

  public static String compact(JsonNode node) {
    return node.toString();
  }

  /** Prints what the service answered: indented for people, one line for programs. */
  public static void print(Terminal terminal, JsonNode node) {
    terminal.line(terminal.interactiveOut() ? node.toPrettyString() : compact(node));
  }
}
