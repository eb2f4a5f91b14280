package dev.reprise.delivery.catalog;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.document.Codec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A secret as it is stored: encrypted, and in clear only where an attempt needs it.
 *
 * @param text what {@link SecretKeys#seal} has made
 */
public record SealedSecret(String text) {
  static final String RULE = "must be a text of 1 to 16384 characters";

  private static final String FIELD = "sealed";
  private static final int MAX_CHARS = 16_384;

  /** Stored as {@code {"sealed": …}}; in requests a text, which is sealed before it is read. */
  static final Codec<SealedSecret> CODEC =
      new Codec<>(
          "secret",
          RULE,
          (checks, path, value) -> {
            if (!isSealed(value)) {
              checks.complain(path, JsonNodeFactory.instance.stringNode("not shown"), RULE);
              return null;
            }
            return new SealedSecret(value.path(FIELD).stringValue());
          },
          secret -> secret.toJson(),
          JsonNodeFactory.instance
              .objectNode()
              .put("type", "string")
              .put("minLength", 1)
              .put("maxLength", MAX_CHARS)
              .put("writeOnly", true));

  /** Encrypts a text. */
  static SealedSecret of(String secret, String field, SecretKeys keys) {
    return new SealedSecret(keys.seal(secret, field));
  }

  /** Whether a text can be a secret. */
  static boolean fits(String secret) {
    return !secret.isEmpty() && secret.length() <= MAX_CHARS;
  }

  static boolean isSealed(JsonNode value) {
    return value.isObject() && value.path(FIELD).isString();
  }

  /**
   * Returns the secret in clear.
   *
   * @param field the field that it belongs to
   * @throws SecretKeys.UnreadableSecretException if the keys do not decrypt it
   */
  public String open(String field, SecretKeys keys) {
    return keys.open(text, field);
  }

  /** Returns the stored form. */
  ObjectNode toJson() {
    return JsonNodeFactory.instance.objectNode().put(FIELD, text);
  }

  /** Returns what the API shows: that there is one, and under which key. */
  static ObjectNode shown(JsonNode sealed) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("set", true)
        .put("key", SecretKeys.idOf(sealed.path(FIELD).asString("")));
  }
}
