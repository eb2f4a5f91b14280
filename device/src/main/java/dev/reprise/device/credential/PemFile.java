package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.reprise.common.pem.PrivateKeyDer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file in PEM (RFC 7468). Immutable and thread-safe.
 *
 * @param path where it was read, for messages
 * @param blocks what it holds, in order
 */
public record PemFile(Path path, List<Block> blocks) {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";

  /**
   * One block of a file.
   *
   * @param label what its first line calls it, such as {@code CERTIFICATE}
   * @param base64 what stands between its first and its last line
   */
  public record Block(String label, String base64) {
    /** Omits the content, which may be a key. */
    @Override
    public String toString() {
      return "Block[" + label + "]";
    }
  }

  /** Copies the list. */
  public PemFile {
    blocks = List.copyOf(blocks);
  }

  /**
   * Reads a file.
   *
   * @throws IOException when it cannot be read
   */
  public static PemFile read(Path path) throws IOException {
    Matcher matcher = BLOCK.matcher(Files.readString(path, ISO_8859_1));
    List<Block> blocks = new ArrayList<>();
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return new PemFile(path, blocks);
  }

  /**
   * Returns the certificates, in order.
   *
   * @throws IllegalArgumentException when there is none, or one cannot be read
   */
  public List<X509Certificate> certificates() {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Block block : blocks) {
        if (block.label().equals(CERTIFICATE)) {
          certificates.add(
              (X509Certificate)
                  factory.generateCertificate(new ByteArrayInputStream(decode(block))));
        }
      }
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          path + " holds a certificate that cannot be read: must be X.509", e);
    }
    if (certificates.isEmpty()) {
      throw new IllegalArgumentException(
          path + " holds no certificate: must hold at least one BEGIN CERTIFICATE");
    }
    return certificates;
  }

  /**
   * Returns the private key, RSA or EC.
   *
   * @throws IllegalArgumentException when there is none, or it is not unencrypted PKCS#8, PKCS#1 or
   *     SEC 1
   */
  public PrivateKey privateKey() {
    for (Block block : blocks) {
      if (PrivateKeyDer.isKey(block.label())) {
        return key(block);
      }
    }
    for (Block block : blocks) {
      // These are keys, but written in another way; the way to change that is known.
      if (block.label().endsWith(PRIVATE_KEY)) {
        throw new IllegalArgumentException(
            path
                + " holds "
                + block.label()
                + ": must be unencrypted PKCS#8, as written by openssl pkcs8 -topk8 -nocrypt");
      }
    }
    throw new IllegalArgumentException(path + " holds no key: must hold BEGIN PRIVATE KEY");
  }

  private PrivateKey key(Block block) {
    Exception refusal = null;
    byte[] content = decode(block);
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm)
            .generatePrivate(new PKCS8EncodedKeySpec(PrivateKeyDer.pkcs8(block.label(), content)));
      } catch (InvalidKeySpecException | IllegalArgumentException e) {
        refusal = e;
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has " + algorithm, e);
      }
    }
    throw new IllegalArgumentException(
        path
            + " holds a key that cannot be read: must be an RSA or EC key as PKCS#8, PKCS#1 or SEC"
            + " 1",
        refusal);
  }

  private byte[] decode(Block block) {
    try {
      return Base64.getMimeDecoder().decode(block.base64());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          path + " holds a broken " + block.label() + ": must be base64", e);
    }
  }
}
