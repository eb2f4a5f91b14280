package dev.reprise.webhook;

import java.security.GeneralSecurityException;

/** Common to both halves of an Ed25519 key (RFC 8032). */
final class Ed25519 {
  static final String NAME = "Ed25519";
  static final String VERSION = "v1a,";

  /** The bytes of a private key's seed, and those of a public key. */
  static final int KEY_BYTES = 32;

  static final int SIGNATURE_BYTES = 64;

  private Ed25519() {}

  static IllegalStateException missing(GeneralSecurityException cause) {
    return new IllegalStateException(
        "this JVM does not do " + NAME + ": before JDK 22 it needs the module jdk.crypto.ec",
        cause);
  }
}
