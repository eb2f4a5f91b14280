package dev.reprise.webhook;

import org.jspecify.annotations.Nullable;

/** A key that can sign. Thread-safe. */
sealed interface SigningKey permits HmacKey, Ed25519PrivateKey {
  /** Returns the signature of prefix and body together: version, comma, base64. */
  String sign(byte[] prefix, byte[] body);

  /** Returns the key as text, with its prefix. */
  String reveal();

  /** Returns what receivers are given to verify, as text with its prefix, or null for a secret. */
  @Nullable String publicKey();
}
