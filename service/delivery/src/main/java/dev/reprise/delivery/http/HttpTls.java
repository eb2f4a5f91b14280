package dev.reprise.delivery.http;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one subscriber: a certificate to show, an authority to trust. Connections are shared only
 * by attempts whose TLS is equal. The {@link #toString} hides the key.
 */
public final class HttpTls {
  private final @Nullable String certificatePem;
  private final @Nullable String keyPem;
  private final @Nullable String authorityPem;
  private final int hash;

  /**
   * TLS by texts in PEM.
   *
   * @param certificatePem the client's certificate and those that lead to its authority; null for
   *     none
   * @param keyPem the private key of the certificate, PKCS #8, PKCS #1 or SEC 1; null with no
   *     certificate
   * @param authorityPem the authorities to trust instead of the sender's; null for the sender's
   */
  public HttpTls(
      @Nullable String certificatePem, @Nullable String keyPem, @Nullable String authorityPem) {
    if ((certificatePem == null) != (keyPem == null)) {
      throw new IllegalArgumentException("certificate and key must be given together");
    }
    this.certificatePem = certificatePem;
    this.keyPem = keyPem;
    this.authorityPem = authorityPem;
    this.hash = Objects.hash(certificatePem, keyPem, authorityPem);
  }

  /**
   * Checks texts before they become the TLS of a subscriber: each must be PEM of its kind, 16 KB at
   * most; the key unencrypted, RSA of 2048 to 4096 bits or EC on P-256, P-384 or P-521, and of the
   * first certificate; no certificate may be out of its time. Takes milliseconds.
   *
   * @param now the time at which the certificates must be valid
   * @return null if they can be used; otherwise the first problem, a line that begins with {@code
   *     certificate}, {@code key} or {@code authority} and names the rule, never the key
   */
  public static @Nullable String problem(
      @Nullable String certificatePem,
      @Nullable String keyPem,
      @Nullable String authorityPem,
      Instant now) {
    try {
      TlsMaterial.of(certificatePem, keyPem, authorityPem).checkValidity(now);
      return null;
    } catch (InvalidTlsException e) {
      return e.problem();
    }
  }

  @Nullable String certificatePem() {
    return certificatePem;
  }

  @Nullable String keyPem() {
    return keyPem;
  }

  @Nullable String authorityPem() {
    return authorityPem;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (other == this) {
      return true;
    }
    return other instanceof HttpTls tls
        && tls.hash == hash
        && Objects.equals(tls.certificatePem, certificatePem)
        && Objects.equals(tls.keyPem, keyPem)
        && Objects.equals(tls.authorityPem, authorityPem);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "TLS"
        + (certificatePem == null ? "" : " with a client certificate")
        + (authorityPem == null ? "" : " with an own authority");
  }
}
