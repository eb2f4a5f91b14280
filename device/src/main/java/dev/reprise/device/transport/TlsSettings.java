package dev.reprise.device.transport;

import dev.reprise.device.credential.PemFile;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a connection. The name of the server is always checked against its
 * certificate.
 *
 * <pre>{@code
 * TlsSettings tls =
 *     TlsSettings.system()
 *         .trusting(Path.of("ca.pem"))
 *         .identifiedBy(Path.of("device.pem"), Path.of("device.key"));
 * }</pre>
 *
 * <p>Files are read when the settings are made, never again. Two settings are equal when they share
 * their factories; connections with equal settings can share what is costly, so make the settings
 * once for many devices if they do not differ. Thread-safe.
 *
 * @param keys the device's certificate and key, or null: it shows none
 * @param trust whom it trusts, or null: whom the JVM trusts
 */
public record TlsSettings(@Nullable KeyManagerFactory keys, @Nullable TrustManagerFactory trust) {
  private static final TlsSettings SYSTEM = new TlsSettings(null, null);

  /** Returns settings without a client certificate that trust whom the JVM trusts. */
  public static TlsSettings system() {
    return SYSTEM;
  }

  /**
   * Returns these settings that trust only the authorities in a PEM file.
   *
   * @param certificates the file, with one or more certificates; text between them is ignored
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when it holds no certificate, or one that cannot be read
   */
  public TlsSettings trusting(Path certificates) throws IOException {
    return new TlsSettings(keys, KeyMaterial.trust(PemFile.read(certificates)));
  }

  /**
   * Returns these settings that show a certificate of the device.
   *
   * @param certificates a PEM file with the device's certificate first, then those between it and
   *     the authority
   * @param key a PEM file with the key of the first certificate, RSA or EC, as unencrypted PKCS#8,
   *     PKCS#1 or SEC 1
   * @throws IOException when a file cannot be read
   * @throws IllegalArgumentException when a file holds something else, or the key is not that of
   *     the certificate
   */
  public TlsSettings identifiedBy(Path certificates, Path key) throws IOException {
    return new TlsSettings(KeyMaterial.keys(PemFile.read(certificates), PemFile.read(key)), trust);
  }

  /**
   * Returns these settings that show the certificate of the device in a PKCS12 key store.
   *
   * @param keyStore the file, with exactly one key and its certificates
   * @param password the password of the store and of the key in it
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when it is no PKCS12 key store, the password is wrong, or it
   *     does not hold exactly one key
   */
  public TlsSettings identifiedBy(Path keyStore, char[] password) throws IOException {
    return new TlsSettings(KeyMaterial.keys(keyStore, password), trust);
  }
}
