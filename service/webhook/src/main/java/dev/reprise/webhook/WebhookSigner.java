package dev.reprise.webhook;

import java.util.List;

/**
 * Signs messages with the secrets of one endpoint. Immutable and thread-safe.
 *
 * <p>While a secret is replaced, both the new one and the old one sign, so that a receiver which
 * knows either of them takes every message; the old one is left out once the receiver has the new
 * one.
 */
public final class WebhookSigner {
  /** The most secrets that sign together, 16: verifiers look at no more signatures. */
  public static final int MAX_SECRETS = WebhookVerifier.MAX_SIGNATURES;

  private final List<SigningKey> keys;

  private WebhookSigner(List<SigningKey> keys) {
    this.keys = keys;
  }

  /** Returns a signer with one secret. */
  public static WebhookSigner of(WebhookSecret secret) {
    return of(List.of(secret));
  }

  /**
   * Returns a signer with one or several secrets.
   *
   * @param newestFirst in the order in which their signatures are to stand
   * @throws IllegalArgumentException if there is none, or more than {@link #MAX_SECRETS}
   */
  public static WebhookSigner of(List<WebhookSecret> newestFirst) {
    if (newestFirst.isEmpty() || newestFirst.size() > MAX_SECRETS) {
      throw new IllegalArgumentException(
          "secrets is a list of " + newestFirst.size() + ": must be 1 to " + MAX_SECRETS);
    }
    return new WebhookSigner(newestFirst.stream().map(WebhookSecret::key).toList());
  }

  /**
   * Returns the value of the header {@value WebhookHeaders#SIGNATURE} of one attempt: {@code
   * v1,<base64>} of each symmetric secret and {@code v1a,<base64>} of each asymmetric one, divided
   * by a space.
   *
   * @param id the id of the message, the same in every attempt, for the header {@value
   *     WebhookHeaders#ID}: visible ASCII characters, at least one, and none of them a full stop
   * @param timestampSeconds the time of this attempt in seconds since 1970, at least 0, for the
   *     header {@value WebhookHeaders#TIMESTAMP}
   * @param body the body as it is sent, byte for byte; it is not kept
   * @throws IllegalArgumentException if the id or the timestamp is refused
   */
  public String sign(String id, long timestampSeconds, byte[] body) {
    if (!SignedContent.isId(id)) {
      throw new IllegalArgumentException("id is " + id + ": " + SignedContent.ID_RULE);
    }
    if (timestampSeconds < 0) {
      throw new IllegalArgumentException(
          "timestampSeconds is " + timestampSeconds + ": must be >= 0");
    }
    byte[] prefix = SignedContent.prefix(id, timestampSeconds);
    String newest = keys.get(0).sign(prefix, body);
    if (keys.size() == 1) {
      return newest;
    }
    StringBuilder all = new StringBuilder(newest);
    for (SigningKey key : keys.subList(1, keys.size())) {
      all.append(' ').append(key.sign(prefix, body));
    }
    return all.toString();
  }
}
