package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;

/**
 * A change in the audit log.
 *
 * @param at when it had been made, in RFC 3339
 * @param project that it was made in
 */
@Described(name = "AuditRecord")
public record AuditDocument(
    @Described(kind = Kind.TIME) String at,
    @Described("The id of the API key; dev without keys, empty for a start of the service.")
        String key,
    @Described("Its name at that time.") String keyName,
    String project,
    @Described("The operationId.") String operation,
    @Described("The id or name of what was changed.") String target,
    @Described("The names of the fields that were given, never their values.") List<String> fields,
    @Described(value = "failed: it may have been made in part.", oneOf = "done, failed")
        String outcome,
    @Described("The HTTP status of the answer.") int status,
    @Described("The address from which the request came.") String client) {
  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public AuditDocument {
    fields = fields == null ? List.of() : fields;
  }
}
