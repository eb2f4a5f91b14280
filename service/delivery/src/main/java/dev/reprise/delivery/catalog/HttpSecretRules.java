package dev.reprise.delivery.catalog;

import dev.reprise.delivery.http.HttpTls;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.webhook.WebhookSecret;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The rules of secrets that can be judged in clear only, when they are set. */
final class HttpSecretRules {
  private HttpSecretRules() {}

  /**
   * Checks the secrets of settings.
   *
   * @throws InvalidRequestException naming the field and the rule, never the secret
   */
  static void check(HttpEndpointSettings http, SecretKeys keys) {
    signs("signingSecret", http.signingSecret(), keys);
    signs("oldSigningSecret", http.oldSigningSecret(), keys);
    tls(http, keys);
  }

  /**
   * Returns a secret in clear; null if there is none, or it is an older one that no key decrypts.
   */
  private static @Nullable String readable(
      @Nullable SealedSecret secret, String name, SecretKeys keys) {
    try {
      return secret == null ? null : secret.open(name, keys);
    } catch (SecretKeys.UnreadableSecretException e) {
      return null;
    }
  }

  private static void tls(HttpEndpointSettings http, SecretKeys keys) {
    String key = readable(http.privateKey(), "http.privateKey", keys);
    if (key == null && http.privateKey() != null) {
      return;
    }
    String problem = HttpTls.problem(http.certificate(), key, http.authority(), Instant.now());
    if (problem != null) {
      throw new InvalidRequestException("http", "not shown", problem);
    }
  }

  private static void signs(String field, @Nullable SealedSecret secret, SecretKeys keys) {
    String name = "http." + field;
    String text = readable(secret, name, keys);
    if (text == null) {
      return;
    }
    try {
      for (OldSecret each : OldSecret.read(text, null)) {
        WebhookSecret.parse(each.secret());
      }
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          name,
          "not shown",
          "must be whsec_ and 24 to 64 bytes in Base64, or whsk_ and an Ed25519 key in Base64");
    }
  }
}
