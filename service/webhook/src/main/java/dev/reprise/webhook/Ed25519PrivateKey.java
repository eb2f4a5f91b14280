package dev.reprise.webhook;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Base64;

/** The private half of an asymmetric key, with the public one: Ed25519, version {@code v1a}. */
final class Ed25519PrivateKey implements SigningKey {
  /** The place of the seed in a key's encoding (RFC 8410 section 7). */
  private static final int PKCS8_SEED = 16;

  private final byte[] seed;
  private final PrivateKey key;
  private final Ed25519PublicKey publicKey;

  private Ed25519PrivateKey(byte[] seed) {
    this.seed = seed;
    KeyPair pair = keyPair(seed);
    key = pair.getPrivate();
    publicKey = Ed25519PublicKey.of(pair.getPublic());
  }

  /** Reads the seed, or the seed and the public key after it: libraries write one or the other. */
  static Ed25519PrivateKey parse(String text) {
    byte[] bytes = KeyText.decode(KeyText.PRIVATE, text);
    if (bytes.length != Ed25519.KEY_BYTES && bytes.length != 2 * Ed25519.KEY_BYTES) {
      throw KeyText.refused(
          KeyText.PRIVATE,
          "must have 32 bytes, or 64 with the public key, and has " + bytes.length);
    }
    Ed25519PrivateKey key = new Ed25519PrivateKey(Arrays.copyOf(bytes, Ed25519.KEY_BYTES));
    if (bytes.length > Ed25519.KEY_BYTES
        && !Arrays.equals(
            key.publicKey.bytes(), Arrays.copyOfRange(bytes, Ed25519.KEY_BYTES, bytes.length))) {
      throw KeyText.refused(KeyText.PRIVATE, "must end with the public key of its first 32 bytes");
    }
    return key;
  }

  static Ed25519PrivateKey generate(SecureRandom random) {
    byte[] seed = new byte[Ed25519.KEY_BYTES];
    random.nextBytes(seed);
    return new Ed25519PrivateKey(seed);
  }

  @Override
  public String sign(byte[] prefix, byte[] body) {
    try {
      Signature signature = Signature.getInstance(Ed25519.NAME);
      signature.initSign(key);
      signature.update(prefix);
      signature.update(body);
      return Ed25519.VERSION + Base64.getEncoder().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw Ed25519.missing(e);
    }
  }

  @Override
  public String reveal() {
    return KeyText.encode(KeyText.PRIVATE, seed);
  }

  @Override
  public String publicKey() {
    return publicKey.text();
  }

  /**
   * Returns both keys of a seed. The JDK has no method for that; its generator takes the seed as it
   * comes from the source of randomness, and one that did otherwise would be found out.
   */
  private static KeyPair keyPair(byte[] seed) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(Ed25519.NAME);
      generator.initialize(NamedParameterSpec.ED25519, new FixedRandom(seed));
      KeyPair pair = generator.generateKeyPair();
      byte[] made = pair.getPrivate().getEncoded();
      if (made.length >= PKCS8_SEED + seed.length
          && Arrays.equals(made, PKCS8_SEED, PKCS8_SEED + seed.length, seed, 0, seed.length)) {
        return pair;
      }
    } catch (GeneralSecurityException e) {
      throw Ed25519.missing(e);
    }
    throw new IllegalStateException(
        "this JVM's first provider of " + Ed25519.NAME + " does not make a key from a given seed");
  }

  /** Gives the bytes that it was made with, whatever it is asked for. */
  private static final class FixedRandom extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final byte[] given;

    FixedRandom(byte[] given) {
      this.given = given;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(given, 0, bytes, 0, Math.min(given.length, bytes.length));
    }
  }
}
