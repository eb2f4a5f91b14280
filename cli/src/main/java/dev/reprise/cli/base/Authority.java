package dev.reprise.cli.base;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authority of the service's certificate, in a PEM file. */
public final class Authority {
  private Authority() {}

  /**
   * Returns what trusts the certificates in a file, and no others.
   *
   * @throws CommandFailure when it holds none
   */
  public static SSLContext read(String source, Path file) {
    InputStream in = new ByteArrayInputStream(InputFile.bytes(file.toString()));
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca-" + number++, one);
      }
      if (number > 0) {
        TrustManagerFactory managers =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
      }
    } catch (IOException e) {
      throw CommandFailure.wrongUsage(source + ": " + InputFile.reason(file.toString(), e));
    } catch (GeneralSecurityException e) {
      // Reported below, as for a file without any.
    }
    throw CommandFailure.wrongUsage(source + " is " + file + ": must hold a certificate in PEM");
  }
}
