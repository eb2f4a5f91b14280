package dev.reprise.webhook;

import java.util.Base64;

/** Keys as text: a prefix that names their kind, and base64. */
final class KeyText {
  static final String SYMMETRIC = "whsec_";
  static final String PRIVATE = "whsk_";
  static final String PUBLIC = "whpk_";

  private KeyText() {}

  static String encode(String prefix, byte[] key) {
    return prefix + Base64.getEncoder().encodeToString(key);
  }

  /**
   * Returns the bytes after the prefix.
   *
   * @throws IllegalArgumentException if they are not base64
   */
  static byte[] decode(String prefix, String text) {
    try {
      return Base64.getDecoder().decode(text.substring(prefix.length()));
    } catch (IllegalArgumentException e) {
      // Its message would show a part of the secret, so it is no cause either.
      throw refused(prefix, "must be base64 after the prefix, and nothing else");
    }
  }

  /** Returns the exception that refuses a key without showing it. */
  static IllegalArgumentException refused(String shown, String rule) {
    return new IllegalArgumentException("key is " + shown + "…: " + rule);
  }
}
