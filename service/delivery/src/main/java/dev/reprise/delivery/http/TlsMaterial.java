package dev.reprise.delivery.http;

import dev.reprise.common.pem.Certificates;
import dev.reprise.common.pem.PemBlock;
import java.math.BigInteger;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The certificates and the key in the PEM texts of an {@link HttpTls}. They come from strangers:
 * sizes are bounded, and so is the work that a key makes in each handshake.
 *
 * @param chain the client's certificate, then those that lead to its authority; empty for none
 * @param key the key of the first certificate; null for none
 * @param authorities those to trust; empty for the sender's
 */
record TlsMaterial(
    List<X509Certificate> chain, @Nullable PrivateKey key, List<X509Certificate> authorities) {
  private static final int MAX_CHARACTERS = 16 * 1024;
  private static final int MAX_CERTIFICATES = 10;
  private static final int MIN_RSA_BITS = 2048;

  /** Twice as many bits take eight times as long, on the event loop. */
  private static final int MAX_RSA_BITS = 4096;

  private static final String CERTIFICATE = "certificate";
  private static final String KEY = "key";
  private static final String AUTHORITY = "authority";

  /** Reads the texts, and checks that the key belongs to the certificate. */
  static TlsMaterial of(HttpTls tls) throws InvalidTlsException {
    return of(tls.certificatePem(), tls.keyPem(), tls.authorityPem());
  }

  static TlsMaterial of(
      @Nullable String certificatePem, @Nullable String keyPem, @Nullable String authorityPem)
      throws InvalidTlsException {
    if (certificatePem != null && keyPem == null) {
      throw new InvalidTlsException(KEY, "must be given with a certificate");
    }
    if (certificatePem == null && keyPem != null) {
      throw new InvalidTlsException(CERTIFICATE, "must be given with a key");
    }
    List<X509Certificate> chain = certificates(CERTIFICATE, certificatePem);
    PrivateKey key = keyPem == null ? null : key(keyPem);
    if (key != null && !Certificates.isKeyOf(key, chain.get(0))) {
      throw new InvalidTlsException(KEY, "must be the key of the first certificate");
    }
    return new TlsMaterial(chain, key, certificates(AUTHORITY, authorityPem));
  }

  /** Checks that every certificate is valid at a time. */
  void checkValidity(Instant now) throws InvalidTlsException {
    checkValidity(CERTIFICATE, chain, now);
    checkValidity(AUTHORITY, authorities, now);
  }

  private static void checkValidity(String part, List<X509Certificate> certificates, Instant now)
      throws InvalidTlsException {
    for (X509Certificate certificate : certificates) {
      String name = Faults.clean(certificate.getSubjectX500Principal().getName());
      if (now.isAfter(certificate.getNotAfter().toInstant())) {
        throw new InvalidTlsException(
            part, "'" + name + "' expired at " + certificate.getNotAfter().toInstant());
      }
      if (now.isBefore(certificate.getNotBefore().toInstant())) {
        throw new InvalidTlsException(
            part, "'" + name + "' is not valid before " + certificate.getNotBefore().toInstant());
      }
    }
  }

  private static List<X509Certificate> certificates(String part, @Nullable String pem)
      throws InvalidTlsException {
    if (pem == null) {
      return List.of();
    }
    List<PemBlock> blocks = blocks(part, pem);
    if (blocks.isEmpty() || blocks.size() > MAX_CERTIFICATES) {
      throw new InvalidTlsException(
          part, "must be 1 to " + MAX_CERTIFICATES + " certificates in PEM");
    }
    List<X509Certificate> certificates = new ArrayList<>(blocks.size());
    for (PemBlock block : blocks) {
      if (!block.isCertificate() || block.der() == null) {
        throw new InvalidTlsException(
            part, "must hold blocks of BEGIN CERTIFICATE in Base64 and no others");
      }
      try {
        certificates.add(block.certificate());
      } catch (CertificateException | RuntimeException e) {
        throw new InvalidTlsException(
            part, "number " + (certificates.size() + 1) + " must be an X.509 certificate");
      }
    }
    return List.copyOf(certificates);
  }

  private static PrivateKey key(String pem) throws InvalidTlsException {
    List<PemBlock> blocks =
        blocks(KEY, pem).stream().filter(block -> !block.isBesideKey()).toList();
    if (pem.contains("ENCRYPTED")) {
      throw new InvalidTlsException(KEY, "must not be encrypted");
    }
    PemBlock only = blocks.size() == 1 ? blocks.get(0) : null;
    if (only == null || only.der() == null || !only.isKey()) {
      throw new InvalidTlsException(
          KEY,
          "must be one key in PEM (BEGIN PRIVATE KEY, BEGIN RSA PRIVATE KEY or BEGIN EC PRIVATE"
              + " KEY)");
    }
    try {
      PrivateKey key = only.privateKey();
      checkSize(key);
      return key;
    } catch (IllegalArgumentException e) {
      throw new InvalidTlsException(KEY, String.valueOf(e.getMessage()));
    } catch (InvalidKeySpecException e) {
      throw new InvalidTlsException(
          KEY, "must be an RSA key, or an EC key on P-256, P-384 or P-521");
    }
  }

  private static void checkSize(PrivateKey key) throws InvalidTlsException {
    if (key instanceof RSAPrivateKey rsa) {
      int bits = rsa.getModulus().bitLength();
      if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
        throw new InvalidTlsException(
            KEY,
            "RSA key of "
                + bits
                + " bits must have "
                + MIN_RSA_BITS
                + " to "
                + MAX_RSA_BITS
                + " bits");
      }
      if (key instanceof RSAPrivateCrtKey crt && longest(crt) > bits) {
        throw new InvalidTlsException(KEY, "RSA key must not have numbers above its modulus");
      }
    } else if (key instanceof ECPrivateKey ec) {
      int bits = ec.getParams().getCurve().getField().getFieldSize();
      if (bits != 256 && bits != 384 && bits != 521) {
        throw new InvalidTlsException(KEY, "EC key must be on P-256, P-384 or P-521");
      }
    }
  }

  /** Returns the bits of the longest number beside the modulus: the work grows with its cube. */
  private static int longest(RSAPrivateCrtKey key) {
    return Stream.of(
            key.getPublicExponent(),
            key.getPrivateExponent(),
            key.getPrimeP(),
            key.getPrimeQ(),
            key.getPrimeExponentP(),
            key.getPrimeExponentQ(),
            key.getCrtCoefficient())
        .mapToInt(BigInteger::bitLength)
        .max()
        .orElse(0);
  }

  private static List<PemBlock> blocks(String part, String pem) throws InvalidTlsException {
    if (pem.length() > MAX_CHARACTERS) {
      throw new InvalidTlsException(
          part, "has " + pem.length() + " characters, must have at most " + MAX_CHARACTERS);
    }
    List<PemBlock> blocks = PemBlock.in(pem);
    if (blocks.stream().anyMatch(block -> block.base64() == null)) {
      throw new InvalidTlsException(part, "is PEM without its end");
    }
    return blocks;
  }

  /** Hides the key. */
  @Override
  public String toString() {
    return chain.size() + " certificates, " + authorities.size() + " authorities";
  }
}
