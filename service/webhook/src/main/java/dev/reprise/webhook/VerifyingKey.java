package dev.reprise.webhook;

import java.util.List;

/** A key that can tell whether a signature was made with it, or with its private half. */
sealed interface VerifyingKey permits HmacKey, Ed25519PublicKey {
  /**
   * Returns true if one of the signatures is one of prefix and body together.
   *
   * @param signatures as they came; those of other versions are passed over
   */
  boolean madeOneOf(List<String> signatures, byte[] prefix, byte[] body);

  /**
   * Reads a key of a receiver.
   *
   * @throws IllegalArgumentException if it is none; the message does not show it
   */
  static VerifyingKey parse(String text) {
    if (text.startsWith(KeyText.SYMMETRIC)) {
      return HmacKey.parse(text);
    }
    if (text.startsWith(KeyText.PUBLIC)) {
      return Ed25519PublicKey.parse(text);
    }
    if (text.startsWith(KeyText.PRIVATE)) {
      throw KeyText.refused(
          KeyText.PRIVATE, "must be the public key, whpk_…; the private one is the sender's alone");
    }
    throw KeyText.refused("", "must begin with whsec_ or whpk_");
  }
}
