package dev.reprise.delivery.catalog;

import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.webhook.WebhookSecret;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The change of the secret by which deliveries are signed. */
public final class SigningSecrets {
  private static final String CURRENT = "http.signingSecret";
  private static final String OLD = "http.oldSigningSecret";

  private SigningSecrets() {}

  /**
   * Returns the settings with a new secret. The previous secret signs as well until a time, so that
   * receivers may change whenever they like until then; older ones keep the time that they were
   * given. If the previous secret ends at once, so do they: then none of them may be used any more.
   *
   * @param now the present time
   * @param until when the previous secret ends; of no meaning if there was none
   * @throws InvalidRequestException if the endpoint is no URL, there is no key for secrets, or
   *     {@value OldSecret#MAX_OLD_SECRETS} older ones sign already
   */
  public static SubscriptionSettings rotated(
      SubscriptionSettings settings,
      WebhookSecret fresh,
      Instant now,
      Instant until,
      SecretKeys keys) {
    if (!settings.isUrl()) {
      throw new InvalidRequestException(
          "protocol", settings.protocol().wireName(), "must be one whose endpoint is a URL");
    }
    if (keys.isEmpty()) {
      throw new InvalidRequestException(CURRENT, "not shown", SecretFields.NO_KEY);
    }
    HttpEndpointSettings http = settings.http();
    List<OldSecret> old = new ArrayList<>();
    String text = readable(http.signingSecret(), CURRENT, keys);
    if (text != null && until.isAfter(now)) {
      old.add(new OldSecret(text, until.toEpochMilli()));
      String older = readable(http.oldSigningSecret(), OLD, keys);
      if (older != null) {
        OldSecret.read(older, http.oldSigningUntil()).stream()
            .filter(each -> each.untilMillis() > now.toEpochMilli())
            .forEach(old::add);
      }
    }
    if (old.size() > OldSecret.MAX_OLD_SECRETS) {
      long first = old.stream().mapToLong(OldSecret::untilMillis).min().orElse(0);
      throw new InvalidRequestException(
          OLD,
          "not shown",
          "must not be more than "
              + OldSecret.MAX_OLD_SECRETS
              + " at a time: the first ends at "
              + Instant.ofEpochMilli(first)
              + ", and an overlap of 0s ends all of them");
    }
    long last = old.stream().mapToLong(OldSecret::untilMillis).max().orElse(0);
    return settings.withHttp(
        http.withSigning(
            SealedSecret.of(fresh.reveal(), CURRENT, keys),
            // It is bound to its field, so it is encrypted anew for the other.
            old.isEmpty() ? null : SealedSecret.of(OldSecret.write(old), OLD, keys),
            old.isEmpty() ? null : Instant.ofEpochMilli(last)));
  }

  /** Returns the secret so far in clear; null if there is none, or no key decrypts it. */
  private static @Nullable String readable(
      @Nullable SealedSecret secret, String field, SecretKeys keys) {
    try {
      return secret == null ? null : secret.open(field, keys);
    } catch (SecretKeys.UnreadableSecretException e) {
      return null;
    }
  }
}
