package dev.reprise.webhook;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** The public half of an asymmetric key: Ed25519, version {@code v1a}. */
final class Ed25519PublicKey implements VerifyingKey {
  /** SubjectPublicKeyInfo up to the key itself (RFC 8410 section 4). */
  private static final byte[] X509 = HexFormat.of().parseHex("302a300506032b6570032100");

  /**
   * The points whose order divides 8, as their y coordinates. An attacker who knows that a receiver
   * trusts one can forge signatures; zeros, as an example may have them, are among them. libsodium
   * refuses the same.
   */
  private static final Set<String> SMALL_ORDER =
      Set.of(
          "0000000000000000000000000000000000000000000000000000000000000000",
          "0100000000000000000000000000000000000000000000000000000000000000",
          "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
          "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
          "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

  private final PublicKey key;

  private Ed25519PublicKey(PublicKey key) {
    this.key = key;
  }

  static Ed25519PublicKey of(PublicKey key) {
    return new Ed25519PublicKey(key);
  }

  static Ed25519PublicKey parse(String text) {
    byte[] bytes = KeyText.decode(KeyText.PUBLIC, text);
    if (bytes.length != Ed25519.KEY_BYTES) {
      throw KeyText.refused(
          KeyText.PUBLIC, "must have " + Ed25519.KEY_BYTES + " bytes, and has " + bytes.length);
    }
    if (isOfSmallOrder(bytes)) {
      throw KeyText.refused(KeyText.PUBLIC, "must not be a point of small order");
    }
    byte[] encoded = Arrays.copyOf(X509, X509.length + bytes.length);
    System.arraycopy(bytes, 0, encoded, X509.length, bytes.length);
    try {
      PublicKey key =
          KeyFactory.getInstance(Ed25519.NAME).generatePublic(new X509EncodedKeySpec(encoded));
      // Whether the bytes are a point of the curve is found out only here.
      Signature.getInstance(Ed25519.NAME).initVerify(key);
      return of(key);
    } catch (InvalidKeySpecException | InvalidKeyException e) {
      throw KeyText.refused(KeyText.PUBLIC, "must be a point of the curve Ed25519");
    } catch (GeneralSecurityException e) {
      throw Ed25519.missing(e);
    }
  }

  @Override
  public boolean madeOneOf(List<String> signatures, byte[] prefix, byte[] body) {
    for (String signature : signatures) {
      if (signature.startsWith(Ed25519.VERSION)
          && made(signature.substring(Ed25519.VERSION.length()), prefix, body)) {
        return true;
      }
    }
    return false;
  }

  private boolean made(String base64, byte[] prefix, byte[] body) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return false;
    }
    if (bytes.length != Ed25519.SIGNATURE_BYTES) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(Ed25519.NAME);
      signature.initVerify(key);
      signature.update(prefix);
      signature.update(body);
      return signature.verify(bytes);
    } catch (SignatureException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw Ed25519.missing(e);
    }
  }

  String text() {
    return KeyText.encode(KeyText.PUBLIC, bytes());
  }

  byte[] bytes() {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, X509.length, encoded.length);
  }

  private static boolean isOfSmallOrder(byte[] bytes) {
    byte[] y = bytes.clone();
    // The highest bit is the sign of x.
    y[y.length - 1] &= 0x7f;
    return SMALL_ORDER.contains(HexFormat.of().formatHex(y));
  }
}
