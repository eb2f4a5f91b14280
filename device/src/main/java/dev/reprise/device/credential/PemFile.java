package dev.reprise.device.credential;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.reprise.common.pem.PemBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.util.ArrayList;
import java.util.List;

/**
 * A file in PEM (RFC 7468). Immutable and thread-safe.
 *
 * @param path where it was read, for messages
 * @param blocks what it holds, in order
 */
public record PemFile(Path path, List<PemBlock> blocks) {
  private static final String PRIVATE_KEY = "PRIVATE KEY";

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
    return new PemFile(path, PemBlock.in(Files.readString(path, ISO_8859_1)));
  }

  /**
   * Returns the certificates, in order.
   *
   * @throws IllegalArgumentException when there is none, or one cannot be read
   */
  public List<X509Certificate> certificates() {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      for (PemBlock block : blocks) {
        if (block.isCertificate()) {
          checkDer(block);
          certificates.add(block.certificate());
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
    for (PemBlock block : blocks) {
      if (block.isKey()) {
        return key(block);
      }
    }
    for (PemBlock block : blocks) {
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

  private PrivateKey key(PemBlock block) {
    checkDer(block);
    try {
      return block.privateKey();
    } catch (InvalidKeySpecException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          path
              + " holds a key that cannot be read: must be an RSA or EC key as PKCS#8, PKCS#1 or"
              + " SEC 1",
          e);
    }
  }

  private void checkDer(PemBlock block) {
    if (block.der() == null) {
      throw new IllegalArgumentException(
          path
              + " holds a broken "
              + block.label()
              + (block.base64() == null ? ": must have its last line" : ": must be base64"));
    }
  }
}
