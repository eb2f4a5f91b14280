package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.server.http.Caller;
import dev.reprise.server.http.Scope;
import dev.reprise.server.http.StrictJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A stored API key.
 *
 * @param id names it in the API and stands in it
 * @param createdAtMillis when it was created, wall time
 * @param hash the SHA-256 of the whole key
 * @param oldHash that of the key before it was rotated; empty if it is worthless
 * @param oldUntilMillis the time until which that one opens the API as well
 * @param caller its holder
 */
public record ApiKey(
    String id,
    long createdAtMillis,
    byte[] hash,
    byte[] oldHash,
    long oldUntilMillis,
    Caller caller) {
  private static final byte[] NOTHING = {};

  static ApiKey create(String text, long createdAtMillis, Caller caller) {
    return new ApiKey(caller.key(), createdAtMillis, sha256(text), NOTHING, 0, caller);
  }

  /** The same key with another secret; the previous one is good until {@code oldUntilMillis}. */
  ApiKey rotated(String text, long oldUntilMillis) {
    return new ApiKey(id, createdAtMillis, sha256(text), hash, oldUntilMillis, caller);
  }

  /** Returns true if it is the hash of this key, or of the one that it was until a while ago. */
  boolean isOpenedBy(byte[] given, long nowMillis) {
    return MessageDigest.isEqual(hash, given)
        || (nowMillis < oldUntilMillis && MessageDigest.isEqual(oldHash, given));
  }

  boolean hasExpired(long nowMillis) {
    return caller.expiresAtMillis() != 0 && nowMillis >= caller.expiresAtMillis();
  }

  /** Returns true if, with this key, all others could be made anew at any time to come. */
  boolean isForEver() {
    return caller.isOperator() && caller.has(Scope.MANAGE) && caller.expiresAtMillis() == 0;
  }

  /** Reads a stored key. Those of earlier versions are operators' keys that may do everything. */
  static ApiKey read(String id, byte[] value) {
    JsonNode stored = StrictJson.read(value);
    List<String> names = new ArrayList<>();
    stored.path("scopes").forEach(name -> names.add(name.asString("")));
    Set<Scope> scopes = stored.has("scopes") ? Scope.read(names, "scopes") : Scope.ALL;
    @Nullable String project = stored.path("project").asString(null);
    return new ApiKey(
        id,
        stored.get("createdAt").longValue(),
        HexFormat.of().parseHex(stored.get("sha256").stringValue()),
        HexFormat.of().parseHex(stored.path("oldSha256").asString("")),
        stored.path("oldUntil").asLong(0),
        new Caller(
            id,
            stored.get("name").stringValue(),
            scopes,
            project,
            stored.path("expiresAt").asLong(0)));
  }

  /** Reads when a stored key was last used; 0 for never. */
  static long lastUsed(byte[] value) {
    return StrictJson.read(value).path("lastUsed").asLong(0);
  }

  byte[] write(long lastUsedMillis) {
    ObjectNode stored = JsonNodeFactory.instance.objectNode();
    stored.put("name", caller.name());
    stored.put("createdAt", createdAtMillis);
    stored.put("sha256", HexFormat.of().formatHex(hash));
    if (oldHash.length > 0) {
      stored.put("oldSha256", HexFormat.of().formatHex(oldHash)).put("oldUntil", oldUntilMillis);
    }
    ArrayNode scopes = stored.putArray("scopes");
    Scope.wireNames(caller.scopes()).forEach(scopes::add);
    if (caller.project() != null) {
      stored.put("project", caller.project());
    }
    if (caller.expiresAtMillis() != 0) {
      stored.put("expiresAt", caller.expiresAtMillis());
    }
    if (lastUsedMillis != 0) {
      stored.put("lastUsed", lastUsedMillis);
    }
    return StrictJson.MAPPER.writeValueAsBytes(stored);
  }

  /** Returns the hash by which keys are known. */
  static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
