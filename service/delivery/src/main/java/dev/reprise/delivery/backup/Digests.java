package dev.reprise.delivery.backup;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, as {@code sha256sum} writes it. */
final class Digests {
  private Digests() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Returns the checksum of what was digested, and begins anew. */
  static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
