package dev.reprise.endpoints.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.carrier.SettingCodecs;
import dev.reprise.policy.Codec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The encryption of connections: the broker shows a certificate for the name of its address. */
final class Tls {
  private static final int MAX_PEM_CHARS = 65_536;

  /** One or more certificates as PEM. */
  static final Codec<String> AUTHORITY =
      SettingCodecs.text(
          "must be one or more certificates as PEM, of at most " + MAX_PEM_CHARS + " characters",
          text -> text.length() <= MAX_PEM_CHARS && certificates(text) != null);

  private Tls() {}

  /**
   * Makes what encrypts connections.
   *
   * @param authority the certificates that are trusted, as PEM; null for those of the JVM
   */
  static SslContext context(@Nullable String authority) throws SSLException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .endpointIdentificationAlgorithm("HTTPS");
    if (authority != null) {
      builder.trustManager(certificates(authority));
    }
    return builder.build();
  }

  private static X509Certificate @Nullable [] certificates(String pem) {
    try {
      X509Certificate[] found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem.getBytes(US_ASCII)))
              .stream()
              .map(X509Certificate.class::cast)
              .toArray(X509Certificate[]::new);
      return found.length == 0 ? null : found;
    } catch (CertificateException e) {
      return null;
    }
  }
}
