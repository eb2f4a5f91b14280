package dev.reprise.delivery.catalog;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.webhook.WebhookSecret;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The change of the secret by which deliveries are signed. */
public final class SigningSecrets {
  private static final String CURRENT = "http.signingSecret";
  private static final String OLD = "http.oldSigningSecret";

  private SigningSecrets() {}

  /**
   * Returns the settings with a new secret. The one before signs as well until a time, so that
   * receivers may change whenever they like until then; an older one ends at once.
   *
   * @param until when the secret before ends; of no meaning if there was none
   * @throws InvalidRequestException if the endpoint is no URL, or there is no key for secrets
   */
  public static SubscriptionSettings rotated(
      SubscriptionSettings settings, WebhookSecret fresh, Instant until, SecretKeys keys) {
    if (!settings.isUrl()) {
      throw new InvalidRequestException(
          "protocol", settings.protocol().wireName(), "must be one whose endpoint is a URL");
    }
    if (keys.isEmpty()) {
      throw new InvalidRequestException(CURRENT, "not shown", SecretFields.NO_KEY);
    }
    HttpSettings http = settings.http();
    String text = readable(http.signingSecret(), keys);
    return settings.withHttp(
        http.withSigning(
            SealedSecret.of(fresh.reveal(), CURRENT, keys),
            // It is bound to its field, so it is encrypted anew for the other.
            text == null ? null : SealedSecret.of(text, OLD, keys),
            text == null ? null : until));
  }

  /** Returns the secret so far in clear; null if there is none, or no key decrypts it. */
  private static @Nullable String readable(@Nullable SealedSecret secret, SecretKeys keys) {
    try {
      return secret == null ? null : secret.open(CURRENT, keys);
    } catch (SecretKeys.UnreadableSecretException e) {
      return null;
    }
  }
}
