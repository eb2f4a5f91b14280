package dev.reprise.device.transport;

import dev.reprise.device.credential.PemFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
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
  private static final byte[] PROBE = {1, 2, 3, 4};

  private KeyMaterial() {}

  static TrustManagerFactory trust(PemFile authorities) throws IOException {
    List<X509Certificate> certificates = authorities.certificates();
    try {
      KeyStore store = emptyStore();
      for (int i = 0; i < certificates.size(); i++) {
        store.setCertificateEntry("authority-" + i, certificates.get(i));
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(authorities.path() + " cannot be used: " + e, e);
    }
  }

  static KeyManagerFactory keys(PemFile chain, PemFile keyFile) throws IOException {
    List<X509Certificate> certificates = chain.certificates();
    PrivateKey key = keyFile.privateKey();
    try {
      // Else the mistake would show as a failed handshake, somewhere in the field.
      if (!belongTogether(key, certificates.get(0))) {
        throw new IllegalArgumentException(
            keyFile.path()
                + " is not the key of the first certificate in "
                + chain.path()
                + ": must be");
      }
      KeyStore store = emptyStore();
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

  private static boolean belongTogether(PrivateKey key, X509Certificate certificate)
      throws GeneralSecurityException {
    // A key of another kind cannot even be tried on what the certificate's key has signed.
    if (!key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
      return false;
    }
    Signature signature =
        Signature.getInstance(
            key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
    signature.initSign(key);
    signature.update(PROBE);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    signature.update(PROBE);
    return signature.verify(signed);
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static KeyManagerFactory factory(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, password);
    return factory;
  }
}
