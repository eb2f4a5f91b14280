package dev.reprise.device.transport;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import dev.reprise.fixtures.TestKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsSettingsTest {
  @TempDir Path folder;

  private TestAuthority authority;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = TestAuthority.in(folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void clientWithKeyInPemIsKnownToTheServer(String algorithm) throws Exception {
    Identity device = authority.client("device-7", algorithm);
    TlsSettings client =
        TlsSettings.system()
            .trusting(authority.certificatePem())
            .identifiedBy(device.certificatePem(), device.keyPem());

    assertThat(handshake(authority.server(), client)).isEqualTo("CN=device-7");
  }

  @Test
  void clientWithKeyStoreIsKnownToTheServer() throws Exception {
    TlsSettings client =
        TlsSettings.system()
            .identifiedBy(
                authority.client("device-8").keyStore(),
                TestAuthority.KEY_STORE_PASSWORD.toCharArray())
            .trusting(authority.certificatePem());

    assertThat(handshake(authority.server(), client)).isEqualTo("CN=device-8");
  }

  @Test
  void serverOfAnotherAuthorityIsNotTrusted() throws Exception {
    Identity device = authority.client("device");
    TlsSettings client =
        TlsSettings.system()
            .trusting(TestAuthority.strangerIn(folder).certificatePem())
            .identifiedBy(device.certificatePem(), device.keyPem());

    assertThatThrownBy(() -> handshake(authority.server(), client))
        .isInstanceOf(SSLHandshakeException.class)
        .hasMessageContaining("unable to find valid certification path");
  }

  @Test
  void expiredServerIsNotTrusted() throws Exception {
    Identity device = authority.client("device");
    TlsSettings client =
        TlsSettings.system()
            .trusting(authority.certificatePem())
            .identifiedBy(device.certificatePem(), device.keyPem());

    assertThatThrownBy(() -> handshake(authority.expiredServer(), client))
        .isInstanceOf(SSLHandshakeException.class)
        .hasMessageContaining("validity check failed");
  }

  @Test
  void severalAuthoritiesInOneFileAreAllTrusted() throws Exception {
    Path both = folder.resolve("both.pem");
    Files.writeString(
        both,
        "Stranger first\n"
            + Files.readString(TestAuthority.strangerIn(folder).certificatePem())
            + "then ours\n"
            + Files.readString(authority.certificatePem()));
    Identity device = authority.client("device-9");
    TlsSettings client =
        TlsSettings.system().trusting(both).identifiedBy(device.certificatePem(), device.keyPem());

    assertThat(handshake(authority.server(), client)).isEqualTo("CN=device-9");
  }

  @Test
  void fileWithoutCertificateIsRefused() throws Exception {
    Path key = authority.client("device").keyPem();

    assertThatThrownBy(() -> TlsSettings.system().trusting(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(key + " holds no certificate: must hold at least one BEGIN CERTIFICATE");
  }

  @Test
  void brokenCertificateIsRefused() throws Exception {
    Path broken =
        Files.writeString(
            folder.resolve("broken.pem"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

    assertThatThrownBy(() -> TlsSettings.system().trusting(broken))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(broken + " holds a certificate that cannot be read: must be X.509");
  }

  @Test
  void fileThatDoesNotExistIsNamed() {
    Path missing = folder.resolve("missing.pem");

    assertThatThrownBy(() -> TlsSettings.system().trusting(missing))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("missing.pem");
  }

  @ParameterizedTest
  @ValueSource(strings = {"DSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"})
  void keyInAnotherFormIsRefusedWithTheWayToChangeIt(String label) throws Exception {
    Path key =
        Files.writeString(
            folder.resolve("old.key"),
            "-----BEGIN " + label + "-----\nAAAA\n-----END " + label + "-----\n");

    assertThatThrownBy(
            () ->
                TlsSettings.system().identifiedBy(authority.client("device").certificatePem(), key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            key
                + " holds "
                + label
                + ": must be unencrypted PKCS#8, as written by openssl pkcs8 -topk8 -nocrypt");
  }

  @Test
  void fileWithoutKeyIsRefused() throws Exception {
    Path certificate = authority.client("device").certificatePem();

    assertThatThrownBy(() -> TlsSettings.system().identifiedBy(certificate, certificate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(certificate + " holds no key: must hold BEGIN PRIVATE KEY");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"})
  void brokenKeyIsRefused(String label) throws Exception {
    Path key =
        Files.writeString(
            folder.resolve("broken.key"),
            "-----BEGIN " + label + "-----\nAAAA\n-----END " + label + "-----\n");

    assertThatThrownBy(
            () ->
                TlsSettings.system().identifiedBy(authority.client("device").certificatePem(), key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            key
                + " holds a key that cannot be read: must be an RSA or EC key as PKCS#8, PKCS#1 or"
                + " SEC 1");
  }

  @ParameterizedTest
  @CsvSource({"rsa.crt, rsa-pkcs1.key", "ec.crt, ec-sec1.key"})
  void keyAsOpensslWritesItByDefaultIsRead(String certificate, String key) throws Exception {
    Path shown = Files.writeString(folder.resolve(certificate), TestKeys.pem(certificate));
    Path own = Files.writeString(folder.resolve(key), TestKeys.pem(key));

    assertThat(TlsSettings.system().identifiedBy(shown, own)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void keyOfAnotherCertificateIsRefused(String algorithm) throws Exception {
    Path certificate = authority.client("device").certificatePem();
    Path key = authority.client("other", algorithm).keyPem();

    assertThatThrownBy(() -> TlsSettings.system().identifiedBy(certificate, key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            key + " is not the key of the first certificate in " + certificate + ": must be");
  }

  @Test
  void keyStoreWithWrongPasswordIsRefused() throws Exception {
    Path store = authority.client("device").keyStore();

    assertThatThrownBy(() -> TlsSettings.system().identifiedBy(store, "wrong".toCharArray()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            store + " cannot be opened: must be a PKCS12 key store with the password given");
  }

  @Test
  void keyStoreWithoutKeyIsRefused() {
    Path store = authority.trustStore();

    assertThatThrownBy(
            () ->
                TlsSettings.system()
                    .identifiedBy(store, TestAuthority.KEY_STORE_PASSWORD.toCharArray()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(store + " holds 0 keys: must hold exactly one");
  }

  /** Returns whom the server, which asks for a certificate, took the client for. */
  private String handshake(Identity server, TlsSettings clientSettings) throws Exception {
    TlsSettings serverSettings =
        TlsSettings.system()
            .trusting(authority.certificatePem())
            .identifiedBy(server.certificatePem(), server.keyPem());
    try (SSLServerSocket listening =
        (SSLServerSocket) context(serverSettings).getServerSocketFactory().createServerSocket(0)) {
      listening.setNeedClientAuth(true);
      CompletableFuture<String> peer = new CompletableFuture<>();
      // Not in the common pool, whose one thread somebody else may hold up.
      Thread serving = new Thread(() -> greet(listening, peer), "tls-server");
      serving.setDaemon(true);
      serving.start();
      try (SSLSocket socket =
          (SSLSocket)
              context(clientSettings)
                  .getSocketFactory()
                  .createSocket("localhost", listening.getLocalPort())) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        assertThat(socket.getInputStream().read()).isEqualTo(1);
      }
      return peer.get(300, SECONDS);
    }
  }

  /** Tells who the first client is, once it is let in: how the two part says nothing about that. */
  private static void greet(SSLServerSocket listening, CompletableFuture<String> peer) {
    try (SSLSocket accepted = (SSLSocket) listening.accept()) {
      accepted.getOutputStream().write(1);
      peer.complete(accepted.getSession().getPeerPrincipal().getName());
    } catch (IOException e) {
      peer.completeExceptionally(e);
    }
  }

  private static SSLContext context(TlsSettings settings) throws GeneralSecurityException {
    KeyManager[] keys = settings.keys() == null ? null : settings.keys().getKeyManagers();
    TrustManager[] trust = settings.trust() == null ? null : settings.trust().getTrustManagers();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trust, null);
    return context;
  }
}
