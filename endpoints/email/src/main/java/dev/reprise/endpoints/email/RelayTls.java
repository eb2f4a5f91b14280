package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
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
      context.init(null, authority == null ? null : trusting(authority).getTrustManagers(), null);
      sockets = context.getSocketFactory();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("authority cannot be used: " + e.getMessage(), e);
    }
  }

  /** Returns whether a text is a certificate as PEM, or several. */
  static boolean isPem(String text) {
    try {
      return !certificates(text).isEmpty();
    } catch (CertificateException notOne) {
      return false;
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

  private static TrustManagerFactory trusting(String pem)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (Certificate certificate : certificates(pem)) {
      store.setCertificateEntry("authority-" + number++, certificate);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return trust;
  }

  private static Collection<? extends Certificate> certificates(String pem)
      throws CertificateException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem.getBytes(US_ASCII)));
  }
}
