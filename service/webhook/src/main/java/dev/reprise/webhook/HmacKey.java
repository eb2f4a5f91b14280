package dev.reprise.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A symmetric key: HMAC-SHA256 (RFC 2104), version {@code v1}. */
final class HmacKey implements SigningKey, VerifyingKey {
  private static final String VERSION = "v1,";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MIN_BYTES = 24;
  private static final int MAX_BYTES = 64;
  private static final int GENERATED_BYTES = 32;

  /**
   * One for each thread, and not for each key: a service has more endpoints than threads, and to
   * give it another key costs less than to look for an implementation.
   */
  private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(HmacKey::newMac);

  private final SecretKeySpec key;

  private HmacKey(byte[] bytes) {
    key = new SecretKeySpec(bytes, ALGORITHM);
  }

  static HmacKey parse(String text) {
    byte[] bytes = KeyText.decode(KeyText.SYMMETRIC, text);
    if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
      throw KeyText.refused(
          KeyText.SYMMETRIC,
          "must have " + MIN_BYTES + " to " + MAX_BYTES + " bytes, and has " + bytes.length);
    }
    return new HmacKey(bytes);
  }

  static HmacKey generate(SecureRandom random) {
    byte[] bytes = new byte[GENERATED_BYTES];
    random.nextBytes(bytes);
    return new HmacKey(bytes);
  }

  @Override
  public String sign(byte[] prefix, byte[] body) {
    Mac mac = MAC.get();
    try {
      mac.init(key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM's " + ALGORITHM + " refuses a key", e);
    }
    mac.update(prefix);
    return VERSION + Base64.getEncoder().encodeToString(mac.doFinal(body));
  }

  @Override
  public boolean madeOneOf(List<String> signatures, byte[] prefix, byte[] body) {
    byte[] expected = null;
    for (String signature : signatures) {
      if (!signature.startsWith(VERSION)) {
        continue;
      }
      if (expected == null) {
        expected = sign(prefix, body).getBytes(ISO_8859_1);
      }
      // Takes the same time wherever the first difference is.
      if (MessageDigest.isEqual(expected, signature.getBytes(ISO_8859_1))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String reveal() {
    return KeyText.encode(KeyText.SYMMETRIC, key.getEncoded());
  }

  @Override
  public @Nullable String publicKey() {
    return null;
  }

  private static Mac newMac() {
    try {
      return Mac.getInstance(ALGORITHM);
    } catch (GeneralSecurityException e) {
      // The specification of Java names it among those that every JDK has.
      throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
    }
  }
}
