package dev.reprise.delivery.catalog;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Violation;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The way of secrets in and out of objects of settings: encrypted as they come in, hidden as they
 * are shown, encrypted again under a new key.
 */
final class SecretFields {
  /** The rule that a request with a secret breaks where there is no key. */
  static final String NO_KEY =
      "cannot be kept: this service has no key for secrets. Start it with --secret-keys FILE"
          + " (./reprise secret-key makes a line of one)";

  private SecretFields() {}

  /**
   * Encrypts the secrets of a request in place. A field that is not a text but an object, as {@link
   * #hide} shows it, is taken out: the secret stays as it is.
   *
   * @param path where the object stands in the request; empty for the whole
   * @param owner the first part of the name that each secret is bound to
   */
  static void seal(
      Checks checks,
      String path,
      ObjectNode object,
      Collection<String> fields,
      String owner,
      SecretKeys keys) {
    for (String field : fields) {
      JsonNode value = object.get(field);
      if (value == null || value.isNull()) {
        continue;
      }
      if (value.isObject() && value.path("set").asBoolean(false)) {
        object.remove(field);
      } else if (!value.isString() || !SealedSecret.fits(value.stringValue())) {
        object.remove(field);
        checks.add(new Violation(Checks.join(path, field), "not shown", SealedSecret.RULE));
      } else if (keys.isEmpty()) {
        object.remove(field);
        checks.add(new Violation(Checks.join(path, field), "not shown", NO_KEY));
      } else {
        SealedSecret sealed = SealedSecret.of(value.stringValue(), Checks.join(owner, field), keys);
        object.set(field, sealed.toJson());
      }
    }
  }

  /** Has every secret of a request that is not null count as set, whatever it is. */
  static void assume(ObjectNode object, Collection<String> fields) {
    for (String field : fields) {
      JsonNode value = object.get(field);
      if (value != null && !value.isNull()) {
        object.putObject(field).put("sealed", "");
      }
    }
  }

  /** Replaces the secrets of a stored object by what may be shown of them. */
  static ObjectNode hide(ObjectNode object, Collection<String> fields) {
    for (String field : fields) {
      JsonNode value = object.get(field);
      if (value != null) {
        object.set(field, SealedSecret.shown(value));
      }
    }
    return object;
  }

  /** Returns the secrets of a stored object, encrypted, by the names that they are bound to. */
  static Map<String, String> of(ObjectNode object, Collection<String> fields, String owner) {
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String field : fields) {
      String sealed = object.path(field).path("sealed").asString("");
      if (!sealed.isEmpty()) {
        secrets.put(Checks.join(owner, field), sealed);
      }
    }
    return secrets;
  }

  /**
   * Decrypts the secrets of a stored object in place.
   *
   * @throws SecretKeys.UnreadableSecretException if the keys do not decrypt one
   */
  static ObjectNode open(
      ObjectNode object, Collection<String> fields, String owner, SecretKeys keys) {
    for (String field : fields) {
      JsonNode value = object.get(field);
      if (value != null && SealedSecret.isSealed(value)) {
        String sealed = value.path("sealed").stringValue();
        object.put(field, keys.open(sealed, Checks.join(owner, field)));
      }
    }
    return object;
  }

  /**
   * Encrypts the secrets of a stored object again that are not under the current key; those that
   * cannot be decrypted stay as they are.
   *
   * @return whether something has changed
   */
  static boolean rotate(
      ObjectNode object, Collection<String> fields, String owner, SecretKeys keys) {
    boolean changed = false;
    for (String field : fields) {
      JsonNode value = object.get(field);
      String sealed = value == null ? "" : value.path("sealed").asString("");
      if (sealed.isEmpty() || SecretKeys.idOf(sealed).equals(keys.currentId())) {
        continue;
      }
      String name = Checks.join(owner, field);
      try {
        object.set(field, SealedSecret.of(keys.open(sealed, name), name, keys).toJson());
        changed = true;
      } catch (SecretKeys.UnreadableSecretException e) {
        // Its key may be given at another start.
      }
    }
    return changed;
  }
}
