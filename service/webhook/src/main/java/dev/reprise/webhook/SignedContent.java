package dev.reprise.webhook;

import java.nio.charset.StandardCharsets;

/**
 * The bytes that are signed: {@code id.timestamp.body}.
 *
 * <p>An id with a full stop would let the same bytes be divided in two ways: part of the body could
 * be presented as the timestamp. So neither a signer nor a verifier takes one.
 */
final class SignedContent {
  static final String ID_RULE = "must be visible ASCII characters, at least one, none of them '.'";

  private SignedContent() {}

  /** Returns true if a message can have this id. */
  static boolean isId(String id) {
    for (int i = 0; i < id.length(); i++) {
      char letter = id.charAt(i);
      if (letter <= ' ' || letter > '~' || letter == '.') {
        return false;
      }
    }
    return !id.isEmpty();
  }

  /** Returns what is signed before the body. */
  static byte[] prefix(String id, long timestampSeconds) {
    return (id + '.' + timestampSeconds + '.').getBytes(StandardCharsets.ISO_8859_1);
  }
}
