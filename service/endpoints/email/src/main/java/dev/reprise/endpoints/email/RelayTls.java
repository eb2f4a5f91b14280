package dev.reprise.endpoints.email;

import dev.reprise.common.pem.Certificates;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** The TLS of connections to relays. Thread-safe. */
final class RelayTls {
  private final SSLSocketFactory sockets;

  /**
   * Trusts these certificates, as PEM, and no others; those of the JDK for null.
   *
   * @throws IllegalArgumentException for a text without certificates
   */
  RelayTls(@Nullable String authority) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      var trusted = Certificates.trust(authority == null ? null : Certificates.in(authority));
      context.init(null, trusted.getTrustManagers(), null);
      sockets = context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("authority cannot be used: " + e.getMessage(), e);
    }
  }

  /** Returns what STARTTLS goes on with. */
  SSLSocketFactory sockets() {
    return sockets;
  }

  /** Shakes hands over a connection; the certificate must be for the host. */
  SSLSocket over(Socket connected, String host, int port) throws IOException {
    SSLSocket socket = (SSLSocket) sockets.createSocket(connected, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }
}
