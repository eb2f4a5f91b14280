package dev.reprise.common.pem;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates of TLS: reading them, trusting them, and whether a key is that of one. */
public final class Certificates {
  private static final byte[] PROBE = {1, 2, 3, 4};

  private Certificates() {}

  /**
   * Returns the certificates in a text that holds nothing else in PEM, in order.
   *
   * @throws CertificateException if there is none, or one cannot be read
   */
  public static List<X509Certificate> in(String pem) throws CertificateException {
    return in(pem.getBytes(US_ASCII));
  }

  /** Returns the certificates in the bytes of such a text. */
  public static List<X509Certificate> in(byte[] pem) throws CertificateException {
    List<X509Certificate> certificates =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(pem))
            .stream()
            .map(X509Certificate.class::cast)
            .toList();
    if (certificates.isEmpty()) {
      throw new CertificateException("it must hold at least one certificate in PEM");
    }
    return certificates;
  }

  /** Returns whether a text holds certificates, and nothing else in PEM. */
  public static boolean areIn(String pem) {
    try {
      return !in(pem).isEmpty();
    } catch (CertificateException e) {
      return false;
    }
  }

  /**
   * Trusts these certificates, and no others.
   *
   * @param certificates null for those that the JDK trusts
   */
  public static TrustManagerFactory trust(@Nullable List<? extends Certificate> certificates)
      throws GeneralSecurityException {
    KeyStore store = null;
    if (certificates != null) {
      store = KeyStore.getInstance(KeyStore.getDefaultType());
      try {
        store.load(null, null);
      } catch (IOException e) {
        throw new IllegalStateException("a key store that is not read is empty", e);
      }
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("trusted-" + store.size(), certificate);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  /**
   * Returns whether a private key is that of a certificate: a signature by the one must be one by
   * the other, which is what the handshake is about.
   */
  public static boolean isKeyOf(PrivateKey key, Certificate certificate) {
    PublicKey shown = certificate.getPublicKey();
    // Before it is signed: a signature with a wrong modulus costs as much as one with the right.
    if (key instanceof RSAKey own
        && shown instanceof RSAKey other
        && !own.getModulus().equals(other.getModulus())) {
      return false;
    }
    String algorithm =
        switch (shown.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> shown.getAlgorithm();
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(PROBE);
      byte[] signed = signature.sign();
      signature.initVerify(shown);
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException | RuntimeException e) {
      // A key of another kind cannot sign that way; nor can one whose primes are none.
      return false;
    }
  }
}
