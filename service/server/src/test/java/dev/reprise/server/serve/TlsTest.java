package dev.reprise.server.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.fixtures.TestKeys;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTPS with a certificate of files that change. */
@Tag("slow")
class TlsTest {
  @TempDir static Path certificates;
  private static TestCertificate first;
  private static TestCertificate second;

  @TempDir Path folder;
  @TempDir Path files;
  private Path certificateFile;
  private Path keyFile;

  @BeforeAll
  static void makeCertificates() throws Exception {
    first = TestCertificate.of(certificates, "first", "localhost", "127.0.0.1");
    second = TestCertificate.of(certificates, "second", "localhost", "127.0.0.1");
  }

  @BeforeEach
  void writeFiles() throws IOException {
    certificateFile = files.resolve("server.crt");
    keyFile = files.resolve("server.key");
    write(first);
  }

  private void write(TestCertificate shown) throws IOException {
    Files.copy(shown.certificatePem(), certificateFile, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(shown.keyPem(), keyFile, StandardCopyOption.REPLACE_EXISTING);
  }

  private Service start(Path certificate, Path key) {
    return Service.start(
        ServeSettings.in(folder)
            .with(Settings.PORT, 0)
            .with(Settings.DEV, true)
            .with(Settings.SHARDS, 1)
            .with(Settings.GRACE, Duration.ZERO)
            .with(Settings.TLS_CERTIFICATE, certificate)
            .with(Settings.TLS_KEY, key));
  }

  private static HttpResponse<String> ready(Service service, SSLContext context)
      throws IOException, InterruptedException {
    // A client of its own, and so a connection.
    return HttpClient.newBuilder()
        .sslContext(context)
        .build()
        .send(
            HttpRequest.newBuilder(URI.create(service.baseUrl() + "/health/live")).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static Certificate served(Service service) throws Exception {
    try (SSLSocket socket = connect(service, TestCertificate.trusting(first, second))) {
      socket.startHandshake();
      return socket.getSession().getPeerCertificates()[0];
    }
  }

  private static SSLSocket connect(Service service, SSLContext context) throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(here, service.port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  @Test
  void newCertificateIsTakenWithoutARestart() throws Exception {
    try (Service service = start(certificateFile, keyFile)) {
      assertThat(service.baseUrl()).startsWith("https://127.0.0.1:");
      HttpResponse<String> response = ready(service, TestCertificate.trusting(first));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
      assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
      assertThatExceptionOfType(SSLException.class)
          .isThrownBy(() -> ready(service, TestCertificate.trusting(second)));

      write(second);
      Await.value("the certificate", () -> served(service), second.certificate()::equals);
    }
  }

  @Test
  void pairIsTakenAsAWholeOrNotAtAll() throws IOException {
    Vertx vertx = Vertx.vertx();
    try {
      ServerTlsFiles tls = new ServerTlsFiles(vertx, certificateFile, keyFile);
      assertThat(tls.read().getEnabledSecureTransportProtocols())
          .containsExactlyInAnyOrder("TLSv1.2", "TLSv1.3");
      assertThat(tls.readIfChanged()).isEmpty();
      // The certificate of one with the key of another.
      Files.copy(second.certificatePem(), certificateFile, StandardCopyOption.REPLACE_EXISTING);
      assertThat(tls.readIfChanged()).isEmpty();
      Files.delete(keyFile);
      assertThat(tls.readIfChanged()).isEmpty();
      Files.copy(second.keyPem(), keyFile, StandardCopyOption.REPLACE_EXISTING);
      assertThat(tls.readIfChanged()).isPresent();
      assertThat(tls.readIfChanged()).isEmpty();
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void oldProtocolsAndPlainTextAreRefused() throws Exception {
    try (Service service = start(certificateFile, keyFile)) {
      try (SSLSocket socket = connect(service, TestCertificate.trusting(first))) {
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        socket.startHandshake();
        assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.2");
      }
      try (SSLSocket socket = connect(service, TestCertificate.trusting(first))) {
        socket.setEnabledProtocols(new String[] {"TLSv1.1"});
        assertThatExceptionOfType(SSLException.class).isThrownBy(socket::startHandshake);
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write("GET /health/live HTTP/1.0\r\n\r\n".getBytes(ISO_8859_1));
        assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
            .doesNotContain("HTTP/1");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"rsa.crt, rsa-pkcs1.key", "ec.crt, ec-sec1.key"})
  void keysAsOpensslWritesThemByDefaultAreTaken(String certificate, String key) throws Exception {
    Files.writeString(certificateFile, TestKeys.pem(certificate));
    Files.writeString(keyFile, TestKeys.pem(key));
    try (Service service = start(certificateFile, keyFile);
        SSLSocket socket = connect(service, trusting(certificateFile))) {
      socket.startHandshake();
      assertThat(socket.getSession().getPeerPrincipal().getName()).isEqualTo("CN=localhost");
    }
  }

  private static SSLContext trusting(Path certificate) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream in = Files.newInputStream(certificate)) {
      store.setCertificateEntry(
          "shown", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  @Test
  void filesOfNoUseAreOneClearLine() throws Exception {
    Path other = Files.copy(second.keyPem(), files.resolve("other.key"));
    Path text = Files.writeString(files.resolve("text"), "no PEM");
    Path none = files.resolve("none");
    refuses(none, keyFile, "tls-certificate is " + none + ": there is no such file");
    refuses(certificateFile, none, "tls-key is " + none + ": there is no such file");
    refuses(text, keyFile, "tls-certificate is " + text + ": must hold a certificate in PEM");
    refuses(certificateFile, text, "tls-key is " + text + ": must hold a private key in PEM,");
    refuses(
        certificateFile,
        other,
        "tls-key is " + other + ": must be the key of the certificate in " + certificateFile);
    // Nothing is left running: the folder is free.
    start(certificateFile, keyFile).close();
  }

  private void refuses(Path certificate, Path key, String message) {
    assertThatExceptionOfType(StartException.class)
        .isThrownBy(() -> start(certificate, key))
        .withMessageStartingWith(message);
  }
}
