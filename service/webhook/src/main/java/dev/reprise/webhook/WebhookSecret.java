package dev.reprise.webhook;

import java.security.SecureRandom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A secret that a sender signs with: symmetric ({@code whsec_} and base64 of 24 to 64 bytes, for
 * HMAC-SHA256), shared with the receiver, or asymmetric ({@code whsk_} and base64 of an Ed25519
 * private key), whose receiver is given the {@linkplain #publicKey public key}. An endpoint should
 * have its own. A signature with the former takes about a microsecond, one with the latter about a
 * millisecond.
 *
 * <p>Immutable and thread-safe. Nothing but {@link #reveal} shows the secret: neither {@link
 * #toString} nor any exception does.
 */
public final class WebhookSecret {
  private final SigningKey key;

  private WebhookSecret(SigningKey key) {
    this.key = key;
  }

  /**
   * Reads a secret: {@code whsec_} with 24 to 64 bytes, or {@code whsk_} with the 32 bytes of a
   * seed, after which the 32 of its public key may stand, as libsodium and Svix write it.
   *
   * @throws IllegalArgumentException if it is none of these; the message does not show it
   * @throws IllegalStateException if it is an Ed25519 key and the JVM has no provider for it
   */
  public static WebhookSecret parse(String text) {
    if (text.startsWith(KeyText.SYMMETRIC)) {
      return new WebhookSecret(HmacKey.parse(text));
    }
    if (text.startsWith(KeyText.PRIVATE)) {
      return new WebhookSecret(Ed25519PrivateKey.parse(text));
    }
    if (text.startsWith(KeyText.PUBLIC)) {
      throw KeyText.refused(KeyText.PUBLIC, "must be the private key, whsk_…; this cannot sign");
    }
    throw KeyText.refused("", "must begin with whsec_ or whsk_");
  }

  /** Makes a symmetric secret of 32 random bytes. */
  public static WebhookSecret generateSymmetric(SecureRandom random) {
    return new WebhookSecret(HmacKey.generate(Objects.requireNonNull(random, "random")));
  }

  /**
   * Makes an asymmetric secret, an Ed25519 key pair.
   *
   * @throws IllegalStateException if the JVM has no provider of Ed25519
   */
  public static WebhookSecret generateAsymmetric(SecureRandom random) {
    return new WebhookSecret(Ed25519PrivateKey.generate(Objects.requireNonNull(random, "random")));
  }

  /**
   * Returns the secret itself as text, to be stored or shown to its owner. An Ed25519 key is given
   * as its seed of 32 bytes, however it was read.
   */
  public String reveal() {
    return key.reveal();
  }

  /**
   * Returns the public key of an asymmetric secret, {@code whpk_} and base64 of 32 bytes, or null
   * for a symmetric one.
   */
  public @Nullable String publicKey() {
    return key.publicKey();
  }

  /** Returns the kind of the secret, and its public key if it has one. */
  @Override
  public String toString() {
    String publicKey = publicKey();
    return publicKey == null ? KeyText.SYMMETRIC + "…" : KeyText.PRIVATE + "… of " + publicKey;
  }

  SigningKey key() {
    return key;
  }
}
