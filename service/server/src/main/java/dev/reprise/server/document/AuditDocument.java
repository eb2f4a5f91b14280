package dev.reprise.server.document;

import java.util.List;

/**
 * A change in the audit log.
 *
 * @param at when it had been made, in RFC 3339
 * @param key the id of the API key; {@code dev} without keys, empty for a start of the service
 * @param keyName the name of the key at that time
 * @param project that it was made in
 * @param operation the operationId
 * @param target what was changed: an id or a name
 * @param fields the names of the fields that were given
 * @param outcome {@code done}, or {@code failed} if it may have been made in part
 * @param status the HTTP status of the answer
 * @param client the address from which the request came
 */
public record AuditDocument(
    String at,
    String key,
    String keyName,
    String project,
    String operation,
    String target,
    List<String> fields,
    String outcome,
    int status,
    String client) {
  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public AuditDocument {
    fields = fields == null ? List.of() : fields;
  }
}
