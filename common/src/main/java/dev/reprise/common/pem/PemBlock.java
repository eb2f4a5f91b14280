package dev.reprise.common.pem;

import java.io.ByteArrayInputStream;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One block of a text in PEM (RFC 7468). Immutable and thread-safe.
 *
 * @param label the word of its first line, such as {@code CERTIFICATE}
 * @param base64 what stands between its first and its last line; null if it has no last line
 */
public record PemBlock(String label, @Nullable String base64) {
  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";

  /** Returns the blocks of a text, in order; what stands between them is of no account. */
  public static List<PemBlock> in(String text) {
    List<PemBlock> blocks = new ArrayList<>();
    for (int at = text.indexOf(BEGIN); at >= 0; ) {
      int labelBegin = at + BEGIN.length();
      at = text.indexOf(BEGIN, labelBegin);
      String rest = text.substring(labelBegin, at < 0 ? text.length() : at);
      int labelEnd = rest.indexOf(DASHES);
      String label = labelEnd < 0 ? "" : rest.substring(0, labelEnd);
      int end = labelEnd < 0 ? -1 : rest.indexOf(END + label + DASHES, labelEnd);
      blocks.add(
          new PemBlock(label, end < 0 ? null : rest.substring(labelEnd + DASHES.length(), end)));
    }
    return blocks;
  }

  /** Returns its content; null if that is not Base64, or there is none. */
  public byte @Nullable [] der() {
    try {
      byte[] der =
          base64 == null ? new byte[0] : Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
      return der.length == 0 ? null : der;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns whether its label is that of a certificate. */
  public boolean isCertificate() {
    return label.equals("CERTIFICATE");
  }

  /** Returns whether its label is that of an unencrypted private key. */
  public boolean isKey() {
    return PrivateKeyDer.isKey(label);
  }

  /**
   * Returns whether it belongs to a key and need not be read: the curve that openssl writes before
   * an EC key, which names it as well.
   */
  public boolean isBesideKey() {
    return label.equals("EC PARAMETERS");
  }

  /**
   * Returns the certificate in it.
   *
   * @throws CertificateException if its content is no X.509 certificate
   */
  public X509Certificate certificate() throws CertificateException {
    byte[] der = der();
    if (der == null) {
      throw new CertificateException("must be Base64");
    }
    return (X509Certificate)
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
  }

  /**
   * Returns the private key in it, RSA or EC, which may be written as PKCS #8, PKCS #1 or SEC 1.
   *
   * @throws IllegalArgumentException if it is not written as its label says; the message is the
   *     rule that is broken
   * @throws InvalidKeySpecException if it is neither an RSA nor an EC key
   */
  public PrivateKey privateKey() throws InvalidKeySpecException {
    byte[] der = der();
    if (der == null) {
      throw new IllegalArgumentException("must be Base64");
    }
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(PrivateKeyDer.pkcs8(label, der));
    for (String algorithm : List.of("EC", "RSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (InvalidKeySpecException | RuntimeException e) {
        // Of the other kind, or of none.
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("the JDK has no keys of " + algorithm, e);
      }
    }
    throw new InvalidKeySpecException("must be an RSA or an EC key");
  }

  /** Omits the content, which may be a key. */
  @Override
  public String toString() {
    return "PemBlock[" + label + "]";
  }
}
