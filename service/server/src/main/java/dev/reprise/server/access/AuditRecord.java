package dev.reprise.server.access;

import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.StrictJson;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A change in the audit log. It holds names of fields, never what they were set to.
 *
 * @param atMillis when it had been made, wall time
 * @param key the id of the API key; {@code dev} in a service without keys
 * @param keyName the name of the key at that time
 * @param project the project that it was made in
 * @param operation the operationId in the description of the API
 * @param target what was changed: a name or an id
 * @param fields the fields that were given
 * @param status the HTTP status of the answer; 500 and above if it may have been made in part
 * @param client the address from which the request came
 */
public record AuditRecord(
    long atMillis,
    String key,
    String keyName,
    String project,
    String operation,
    String target,
    List<String> fields,
    int status,
    String client) {
  private static final int MAX_FIELDS = 50;

  public byte[] write() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("at", atMillis).put("key", key).put("keyName", keyName);
    document.put("project", project).put("operation", operation).put("target", target);
    ArrayNode names = document.putArray("fields");
    fields.forEach(names::add);
    document.put("status", status).put("client", client);
    return StrictJson.MAPPER.writeValueAsBytes(document);
  }

  public static AuditRecord read(byte[] stored) {
    JsonNode document = StrictJson.MAPPER.readTree(stored);
    List<String> fields = new ArrayList<>();
    document.path("fields").forEach(field -> fields.add(field.asString("")));
    return new AuditRecord(
        document.path("at").longValue(),
        document.path("key").asString(""),
        document.path("keyName").asString(""),
        document.path("project").asString(""),
        document.path("operation").asString(""),
        document.path("target").asString(""),
        fields,
        document.path("status").intValue(),
        document.path("client").asString(""));
  }

  /** Returns the names of the fields of an object, those of objects in it behind a dot. */
  static List<String> fieldsOf(JsonNode document) {
    List<String> fields = new ArrayList<>();
    document.forEachEntry(
        (name, value) -> {
          if (value.isObject() && !value.isEmpty()) {
            value.propertyNames().forEach(inner -> fields.add(name + "." + inner));
          } else {
            fields.add(name);
          }
        });
    return fields.stream().limit(MAX_FIELDS).map(RequestFields::shortened).toList();
  }
}
