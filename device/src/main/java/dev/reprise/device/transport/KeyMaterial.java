package dev.reprise.device.transport;

import dev.reprise.common.pem.Certificates;
import dev.reprise.device.credential.PemFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** Converts certificates and keys for the JDK's TLS. */
final class KeyMaterial {
  private static final char[] NO_PASSWORD = {};

  private KeyMaterial() {}

  static TrustManagerFactory trust(PemFile authorities) {
    List<X509Certificate> certificates = authorities.certificates();
    try {
      return Certificates.trust(certificates);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(authorities.path() + " cannot be used: " + e, e);
    }
  }

  static KeyManagerFactory keys(PemFile chain, PemFile keyFile) throws IOException {
    List<X509Certificate> certificates = chain.certificates();
    PrivateKey key = keyFile.privateKey();
    try {
      // Else the mistake would show as a failed handshake, somewhere in the field.
      if (!Certificates.isKeyOf(key, certificates.get(0))) {
        throw new IllegalArgumentException(
            keyFile.path()
                + " is not the key of the first certificate in "
                + chain.path()
                + ": must be");
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("key", key, NO_PASSWORD, certificates.toArray(new Certificate[0]));
      return factory(store, NO_PASSWORD);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(keyFile.path() + " cannot be used: " + e, e);
    }
  }

  static KeyManagerFactory keys(Path file, char[] password) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(bytes), password);
      List<String> keys = new ArrayList<>();
      for (String alias : Collections.list(store.aliases())) {
        if (store.isKeyEntry(alias)) {
          keys.add(alias);
        }
      }
      if (keys.size() != 1) {
        throw new IllegalArgumentException(
            file + " holds " + keys.size() + " keys: must hold exactly one");
      }
      return factory(store, password);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          file + " cannot be opened: must be a PKCS12 key store with the password given", e);
    }
  }

  private static KeyManagerFactory factory(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, password);
    return factory;
  }
}
