package dev.reprise.device.transport;

import dev.reprise.device.credential.PemFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
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
 * <p>Files are read when the settings are made, and again at each attempt to connect: a running
 * client takes over certificates and keys that were replaced, in a new TLS session. Files that
 * cannot be used leave what they held before, and the log has a warning. Replace a certificate and
 * its key, or a key store, by moving new files into their place; of two files that do not fit
 * together neither is used.
 *
 * <p>Two settings are equal when they share their factories or files; connections with equal
 * settings can share what is costly, so make the settings once for many devices if they do not
 * differ. Thread-safe.
 */
public final class TlsSettings {
  private static final TlsSettings SYSTEM = new TlsSettings(null, null);

  private final @Nullable KeyManagerFactory keys;
  private final @Nullable TrustManagerFactory trust;
  private final @Nullable TlsFiles<KeyManagerFactory> keyFiles;
  private final @Nullable TlsFiles<TrustManagerFactory> trustFiles;

  /** Not a monitor: a virtual thread of JDK 21 that waits for one keeps its carrier. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Guarded by {@link #reading}. */
  private @Nullable TlsSettings latest;

  /**
   * Creates settings that never change.
   *
   * @param keys the device's certificate and key, or null: it shows none
   * @param trust whom it trusts, or null: whom the JVM trusts
   */
  public TlsSettings(@Nullable KeyManagerFactory keys, @Nullable TrustManagerFactory trust) {
    this(keys, trust, null, null);
  }

  private TlsSettings(
      @Nullable KeyManagerFactory keys,
      @Nullable TrustManagerFactory trust,
      @Nullable TlsFiles<KeyManagerFactory> keyFiles,
      @Nullable TlsFiles<TrustManagerFactory> trustFiles) {
    this.keys = keys;
    this.trust = trust;
    this.keyFiles = keyFiles;
    this.trustFiles = trustFiles;
  }

  /** Returns settings without a client certificate that trust whom the JVM trusts. */
  public static TlsSettings system() {
    return SYSTEM;
  }

  /** Returns the device's certificate and key as they were last read, or null: it shows none. */
  public @Nullable KeyManagerFactory keys() {
    return keyFiles == null ? keys : keyFiles.current();
  }

  /** Returns whom it trusts, as it was last read, or null: whom the JVM trusts. */
  public @Nullable TrustManagerFactory trust() {
    return trustFiles == null ? trust : trustFiles.current();
  }

  /**
   * Returns these settings that trust only the authorities in a PEM file.
   *
   * @param certificates the file, with one or more certificates; text between them is ignored
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when it holds no certificate, or one that cannot be read
   */
  public TlsSettings trusting(Path certificates) throws IOException {
    return new TlsSettings(
        keys,
        null,
        keyFiles,
        new TlsFiles<>(List.of(certificates), () -> KeyMaterial.trust(PemFile.read(certificates))));
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
    return new TlsSettings(
        null,
        trust,
        new TlsFiles<>(
            List.of(certificates, key),
            () -> KeyMaterial.keys(PemFile.read(certificates), PemFile.read(key))),
        trustFiles);
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
    char[] kept = password.clone();
    return new TlsSettings(
        null,
        trust,
        new TlsFiles<>(List.of(keyStore), () -> KeyMaterial.keys(keyStore, kept)),
        trustFiles);
  }

  /** Returns whether files hold a part of them, so that {@link #latest} reads. */
  public boolean isReadAgain() {
    return keyFiles != null || trustFiles != null;
  }

  /**
   * Returns the settings for the next connection: these, or as the files say now. Blocks for as
   * long as the disk does.
   *
   * @return settings that never change; the same as before when no file has changed
   */
  public TlsSettings latest() {
    if (!isReadAgain()) {
      return this;
    }
    reading.lock();
    try {
      return readAgain();
    } finally {
      reading.unlock();
    }
  }

  private TlsSettings readAgain() {
    KeyManagerFactory latestKeys = keyFiles == null ? keys : keyFiles.latest();
    TrustManagerFactory latestTrust = trustFiles == null ? trust : trustFiles.latest();
    TlsSettings known = latest;
    if (known != null && known.keys == latestKeys && known.trust == latestTrust) {
      return known;
    }
    TlsSettings made = new TlsSettings(latestKeys, latestTrust);
    latest = made;
    return made;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TlsSettings that
        && Objects.equals(keys, that.keys)
        && Objects.equals(trust, that.trust)
        && keyFiles == that.keyFiles
        && trustFiles == that.trustFiles;
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        keys, trust, System.identityHashCode(keyFiles), System.identityHashCode(trustFiles));
  }
}
