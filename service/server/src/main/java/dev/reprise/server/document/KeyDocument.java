package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An API key, without its secret.
 *
 * @param id of the key
 * @param name whom or what it is for
 * @param scopes the parts of the API that it opens
 * @param project the only project that it is for; null for an operator's key
 * @param createdAt in RFC 3339
 * @param expiresAt in RFC 3339; null for never
 * @param oldSecretUntil the time until which the previous secret is good after a rotation; null if
 *     it is not
 * @param lastUsedAt in RFC 3339, to the minute; null for never
 * @param warnings of its end; absent if there are none
 */
public record KeyDocument(
    String id,
    String name,
    List<String> scopes,
    @Nullable String project,
    String createdAt,
    @Nullable String expiresAt,
    @Nullable String oldSecretUntil,
    @Nullable String lastUsedAt,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {
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
   * @param name whom or what it is for
   * @param key the secret, which is shown this once
   */
  public record Fresh(String id, String name, String key) {}
}
