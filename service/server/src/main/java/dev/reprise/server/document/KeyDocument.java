package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An API key, without its secret.
 *
 * @param id of the key
 * @param createdAt in RFC 3339
 */
@Described(name = "Key")
public record KeyDocument(
    String id,
    @Described("What it is for.") String name,
    @Described(
            value = "The parts of the API that it opens; manage includes read.",
            oneOf = "publish, read, manage")
        List<String> scopes,
    @Described(
            value = "The only project that it is for; null for an operator's key.",
            orNull = true)
        @Nullable String project,
    @Described(kind = Kind.TIME) String createdAt,
    @Described(value = "RFC 3339; null for never.", kind = Kind.TIME, orNull = true)
        @Nullable String expiresAt,
    @Described(
            value =
                "The time until which the secret before a rotation stays valid; null if it is"
                    + " not valid any more.",
            kind = Kind.TIME,
            orNull = true)
        @Nullable String oldSecretUntil,
    @Described(
            value = "To the minute; null for never. A crash forgets up to a minute.",
            kind = Kind.TIME,
            orNull = true)
        @Nullable String lastUsedAt,
    @Described(
            "That it has expired, or will within 14 days. Absent if there is nothing to" + " say.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> warnings) {
  /** Replaces what is absent. */
  @SuppressWarnings("NullAway") // JSON may lack anything
  public KeyDocument {
    scopes = scopes == null ? List.of() : scopes;
    warnings = warnings == null ? List.of() : warnings;
  }

  /**
   * A key that was just made, or has another secret.
   *
   * @param id of the key
   */
  @Described(name = "FreshKey")
  public record Fresh(
      String id,
      @Described("What it is for.") String name,
      @Described("The key itself. It is shown this once only.") String key) {}
}
