package dev.reprise.server.serve;

import dev.reprise.common.pem.Certificates;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate and the private key of the API, in two PEM files that may be replaced while the
 * service runs. A pair is taken as a whole or not at all. Used by one thread at a time.
 */
final class ServerTlsFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ServerTlsFiles.class);

  private final Vertx vertx;
  private final Path certificateFile;
  private final Path keyFile;
  private byte[] certificate = {};
  private byte[] key = {};

  ServerTlsFiles(Vertx vertx, Path certificateFile, Path keyFile) {
    this.vertx = vertx;
    this.certificateFile = certificateFile;
    this.keyFile = keyFile;
  }

  /**
   * Reads the pair.
   *
   * @throws IllegalArgumentException naming the setting, the file and what is wrong with it
   */
  ServerSSLOptions read() {
    byte[] certificateNow = bytes("tls-certificate", certificateFile);
    byte[] keyNow = bytes("tls-key", keyFile);
    // Broken files are kept as well, so that they are reported once.
    certificate = certificateNow;
    key = keyNow;
    X509Certificate own = first("tls-certificate", certificateFile, certificateNow);
    PemKeyCertOptions pair =
        new PemKeyCertOptions()
            .setCertValue(Buffer.buffer(certificateNow))
            .setKeyValue(Buffer.buffer(keyNow));
    if (!Certificates.isKeyOf(privateKey(pair), own)) {
      throw wrong("tls-key", keyFile, "must be the key of the certificate in " + certificateFile);
    }
    if (own.getNotAfter().toInstant().isBefore(Instant.now())) {
      LOG.warn("the certificate in {} has expired on {}", certificateFile, own.getNotAfter());
    }
    ServerSSLOptions options = new ServerSSLOptions();
    options.setKeyCertOptions(pair);
    options.setEnabledSecureTransportProtocols(Set.of("TLSv1.3", "TLSv1.2"));
    options.setUseAlpn(false);
    return options;
  }

  /**
   * Reads the pair again if one of the files has other bytes than when it was last read.
   *
   * @return the new pair; empty if nothing has changed, or if what has changed is of no use: that
   *     is logged
   */
  Optional<ServerSSLOptions> readIfChanged() {
    try {
      if (Arrays.equals(certificate, Files.readAllBytes(certificateFile))
          && Arrays.equals(key, Files.readAllBytes(keyFile))) {
        return Optional.empty();
      }
      ServerSSLOptions options = read();
      LOG.info("took the new certificate in {}", certificateFile);
      return Optional.of(options);
    } catch (IOException e) {
      // In the middle of a replacement a file is missing; if it stays so, the old pair does, too.
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      LOG.warn("the old certificate stays: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Reads the authorities in a file.
   *
   * @throws IllegalArgumentException naming the setting, the file and what is wrong with it
   */
  static PemTrustOptions authority(String setting, Path file) {
    byte[] pem = bytes(setting, file);
    X509Certificate unused = first(setting, file, pem);
    return new PemTrustOptions().addCertValue(Buffer.buffer(pem));
  }

  private static byte[] bytes(String setting, Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw wrong(setting, file, "there is no such file");
    } catch (AccessDeniedException e) {
      throw wrong(setting, file, "this process may not read it");
    } catch (IOException e) {
      throw wrong(setting, file, "cannot be read: " + e.getMessage());
    }
  }

  private static X509Certificate first(String setting, Path file, byte[] pem) {
    try {
      return Certificates.in(pem).get(0);
    } catch (CertificateException e) {
      LOG.debug("{} holds no certificate", file, e);
      throw wrong(setting, file, "must hold a certificate in PEM");
    }
  }

  private PrivateKey privateKey(PemKeyCertOptions pair) {
    try {
      for (KeyManager manager : pair.getKeyManagerFactory(vertx).getKeyManagers()) {
        if (manager instanceof X509KeyManager keys) {
          for (String type : new String[] {"RSA", "EC", "EdDSA", "Ed25519", "RSASSA-PSS"}) {
            String[] aliases = keys.getServerAliases(type, null);
            if (aliases != null && aliases.length > 0) {
              return keys.getPrivateKey(aliases[0]);
            }
          }
        }
      }
    } catch (Exception e) {
      // Vert.x declares no more than that; the reason may hold a part of the key.
      LOG.debug("{} holds no usable private key", keyFile, e);
    }
    throw wrong(
        "tls-key", keyFile, "must hold a private key in PEM, of RSA or EC, without a passphrase");
  }

  private static IllegalArgumentException wrong(String setting, Path file, String rule) {
    return new IllegalArgumentException(setting + " is " + file + ": " + rule);
  }
}
