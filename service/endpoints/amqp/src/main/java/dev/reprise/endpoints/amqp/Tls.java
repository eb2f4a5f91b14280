package dev.reprise.endpoints.amqp;

import dev.reprise.common.pem.Certificates;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The encryption of connections: the broker shows a certificate for the name of its address. */
final class Tls {
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
      try {
        builder.trustManager(Certificates.in(authority));
      } catch (CertificateException e) {
        throw new SSLException("authority cannot be used: " + e.getMessage(), e);
      }
    }
    return builder.build();
  }
}
