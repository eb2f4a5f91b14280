package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.text.Normalizer;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import javax.security.sasl.SaslException;
import org.jspecify.annotations.Nullable;

/**
 * One login by a salted challenge and its response (SCRAM, RFC 5802 and RFC 7677), without channel
 * binding: the password is not told, and the peer proves that it knows it too. Not thread-safe.
 */
final class Scram {
  /**
   * The fewest iterations that a peer may ask for (RFC 7677, section 4): fewer make guessing easy.
   */
  private static final int MIN_ITERATIONS = 4_096;

  /** About a second of work, which everything else on the loop waits for. */
  private static final int MAX_ITERATIONS = 1_000_000;

  /** "n,," in Base64: no channel binding. */
  private static final String BINDING = "c=biws";

  private final String hash;
  private final String password;
  private final String firstBare;
  private final String nonce;
  private byte @Nullable [] serverSignature;
  private boolean verified;

  /**
   * Begins a login.
   *
   * @param mechanism such as {@code SCRAM-SHA-256}
   * @param nonce printable text without commas that is never used again
   */
  Scram(String mechanism, String username, String password, String nonce) {
    this.hash = mechanism.substring("SCRAM-SHA-".length());
    this.password = Normalizer.normalize(password, Normalizer.Form.NFKC);
    this.nonce = nonce;
    String name = Normalizer.normalize(username, Normalizer.Form.NFKC);
    this.firstBare = "n=" + name.replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
  }

  /** Returns the first message of the device. */
  byte[] first() {
    return ("n,," + firstBare).getBytes(UTF_8);
  }

  /** Returns whether the peer has proved that it knows the password. */
  boolean isVerified() {
    return verified;
  }

  /**
   * Answers what the peer says: its challenge with the proof of the device, its own proof with
   * nothing.
   *
   * @throws SaslException when it says something else, or its proof is wrong
   */
  byte[] answer(byte[] said) throws SaslException {
    String text = new String(said, UTF_8);
    try {
      byte[] signature = serverSignature;
      if (signature != null) {
        verify(text, signature);
        return new byte[0];
      }
      return proof(text);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new SaslException("the peer's challenge cannot be answered: " + e.getMessage(), e);
    }
  }

  private byte[] proof(String challenge) throws GeneralSecurityException, SaslException {
    Map<Character, String> attributes = attributes(challenge);
    String bothNonces = attributes.getOrDefault('r', "");
    if (attributes.containsKey('m') || !bothNonces.startsWith(nonce)) {
      throw new SaslException("the peer's challenge is not for this login");
    }
    int iterations = Integer.parseInt(attributes.getOrDefault('i', ""));
    if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) {
      throw new SaslException(
          "the peer asks for "
              + iterations
              + " iterations: must be "
              + MIN_ITERATIONS
              + " to "
              + MAX_ITERATIONS);
    }
    byte[] salt = Base64.getDecoder().decode(attributes.getOrDefault('s', ""));
    String lastBare = BINDING + ",r=" + bothNonces;
    byte[] everything = (firstBare + "," + challenge + "," + lastBare).getBytes(UTF_8);

    byte[] salted = salted(salt, iterations);
    byte[] clientKey = mac(salted, "Client Key".getBytes(UTF_8));
    byte[] storedKey = MessageDigest.getInstance("SHA-" + hash).digest(clientKey);
    byte[] proof = mac(storedKey, everything);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= clientKey[i];
    }
    serverSignature = mac(mac(salted, "Server Key".getBytes(UTF_8)), everything);
    return (lastBare + ",p=" + Base64.getEncoder().encodeToString(proof)).getBytes(UTF_8);
  }

  private void verify(String text, byte[] expected) throws SaslException {
    Map<Character, String> attributes = attributes(text);
    String error = attributes.get('e');
    if (error != null) {
      throw new SaslException("the peer refused the login: " + error);
    }
    byte[] signature = Base64.getDecoder().decode(attributes.getOrDefault('v', ""));
    if (!MessageDigest.isEqual(signature, expected)) {
      throw new SaslException("the peer does not know the password");
    }
    verified = true;
  }

  private static Map<Character, String> attributes(String text) throws SaslException {
    Map<Character, String> attributes = new HashMap<>();
    for (String part : text.split(",", -1)) {
      if (part.length() < 2 || part.charAt(1) != '=') {
        throw new SaslException("the peer's challenge has no form that SCRAM knows");
      }
      attributes.put(part.charAt(0), part.substring(2));
    }
    return attributes;
  }

  private byte[] salted(byte[] salt, int iterations) throws GeneralSecurityException {
    int bits = MessageDigest.getInstance("SHA-" + hash).getDigestLength() * Byte.SIZE;
    return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA" + hash)
        .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, bits))
        .getEncoded();
  }

  private byte[] mac(byte[] key, byte[] text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA" + hash);
    mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
    return mac.doFinal(text);
  }
}
