package dev.reprise.delivery.http;

import dev.reprise.common.pem.Certificates;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts what the JDK trusts, but for a certificate that names a host by its common name alone.
 * Such a name is not to be looked at (RFC 9525, 2 and 6.3), and the JDK does so when a certificate
 * has no DNS name among its subject alternative names.
 */
final class NamedTrust extends X509ExtendedTrustManager {
  /** The kind of a DNS name among subject alternative names (RFC 5280, 4.2.1.6). */
  private static final int DNS_NAME = 2;

  private final X509ExtendedTrustManager trust;

  private NamedTrust(X509ExtendedTrustManager trust) {
    this.trust = trust;
  }

  /**
   * Trusts what stands in a PEM file.
   *
   * @param certificates null for the certificates of the JDK
   * @throws UncheckedIOException if the file cannot be read
   * @throws IllegalArgumentException if it holds no certificates
   */
  static NamedTrust in(@Nullable Path certificates) {
    try {
      return of(certificates == null ? null : Certificates.in(Files.readAllBytes(certificates)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "trustedCertificates " + certificates + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** Trusts these certificates, and no others; those of the JDK for null. */
  static NamedTrust of(@Nullable List<X509Certificate> certificates)
      throws GeneralSecurityException {
    for (TrustManager manager : Certificates.trust(certificates).getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager trust) {
        return new NamedTrust(trust);
      }
    }
    throw new IllegalStateException("the JDK has no trust manager for X.509");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    trust.checkServerTrusted(chain, authType, engine);
    checkNamed(chain[0], engine.getPeerHost());
  }

  private static void checkNamed(X509Certificate certificate, @Nullable String host)
      throws CertificateException {
    if (host != null && NetUtil.createByteArrayFromIpAddressString(host) != null) {
      // An address is never looked for in the common name.
      return;
    }
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    if (names == null || names.stream().noneMatch(name -> name.get(0).equals(DNS_NAME))) {
      throw new CertificateException(
          "no subject alternative DNS name is in the certificate; its common name does not count");
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("a certificate is trusted for a connection only");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("a certificate is trusted for a connection only");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    trust.checkClientTrusted(chain, authType);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    trust.checkClientTrusted(chain, authType, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    trust.checkClientTrusted(chain, authType, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return trust.getAcceptedIssuers();
  }
}
