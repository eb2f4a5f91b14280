package dev.reprise.endpoints.email;

import static dev.reprise.endpoints.email.ScriptedSmtpServer.HANG_UP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestAuthority.Identity;
import dev.reprise.fixtures.TestCertificate;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class SmtpTlsTest {
  @TempDir static Path folder;

  private static TestAuthority authority;
  private static SSLContext valid;
  private static SSLContext expired;
  private static SSLContext strange;

  private final ScriptedSmtpServer server = new ScriptedSmtpServer().offering("STARTTLS");

  @BeforeAll
  static void makeCertificates() throws Exception {
    authority = TestAuthority.in(folder);
    valid = tls(authority.server());
    expired = tls(authority.expiredServer());
    Path elsewhere = Files.createDirectory(folder.resolve("strange"));
    strange = tls(TestAuthority.strangerIn(elsewhere).server());
  }

  private static SSLContext tls(Identity identity) throws Exception {
    char[] password = TestAuthority.KEY_STORE_PASSWORD.toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(identity.keyStore())) {
      store.load(in, password);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  @AfterEach
  void close() {
    server.close();
  }

  private SmtpCarrier carrier(String host, String security, String pem) {
    String settings =
        """
        {"addresses": "%s:%d", "security": "%s", "from": "orders@example.com", "authority": %s,
         "username": "reprise", "password": "s3cret"}
        """
            .formatted(host, server.port(), security, JsonMapper.shared().writeValueAsString(pem));
    return SmtpTests.carrier(SmtpTests.read(settings), new TestContext(1));
  }

  private SmtpCarrier carrier(String security) throws Exception {
    return carrier("localhost", security, Files.readString(authority.certificatePem()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"starttls", "tls"})
  void passwordAndMessageGoProtected(String security) throws Exception {
    server.withTls(valid, security.equals("tls")).offering("STARTTLS", "AUTH PLAIN");
    try (SmtpCarrier carrier = carrier(security)) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
      AttemptOutcome second = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      assertThat(second.succeeded()).as(second.summary()).isTrue();
      assertThat(server.connections()).isEqualTo(1);
      assertThat(carrier.test().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .contains(" over TLS", "logged in as reprise");
    }
  }

  @Test
  void addressMayBeWhatTheCertificateIsFor() throws Exception {
    server.withTls(valid, false).offering("STARTTLS", "AUTH PLAIN");
    String pem = Files.readString(authority.certificatePem());
    try (SmtpCarrier carrier = carrier("127.0.0.1", "starttls", pem)) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"starttls, expired", "tls, expired", "starttls, strange", "tls, strange"})
  void certificateThatIsNotTrustedIsAFault(String security, String which) throws Exception {
    server.withTls(which.equals("expired") ? expired : strange, security.equals("tls"));

    assertThat(fault(carrier(security))).startsWith("localhost:" + server.port() + ": TLS: ");
    assertThat(server.commands).doesNotContain("MAIL", "AUTH");
  }

  @ParameterizedTest
  @ValueSource(strings = {"starttls", "tls"})
  void certificateForAnotherHostIsAFault(String security) throws Exception {
    TestCertificate other = TestCertificate.of(folder, "relay-" + security, "relay.example.com");
    server.withTls(other.serverTls(), security.equals("tls"));
    SmtpCarrier carrier = carrier("localhost", security, Files.readString(other.certificatePem()));

    assertThat(fault(carrier)).contains("TLS: ", "localhost");
    assertThat(server.count("AUTH")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "454 4.7.0 TLS not available, 454 4.7.0 TLS not available (in reply to STARTTLS)",
    "501 5.5.4 syntax, 501 5.5.4 syntax (in reply to STARTTLS)",
    HANG_UP + ", connection lost after STARTTLS"
  })
  void relayThatDoesNotBeginTlsIsAFault(String answer, String reason) throws Exception {
    server.withTls(valid, false).answering("STARTTLS", answer);

    assertThat(fault(carrier("starttls"))).contains(reason);
    assertThat(server.count("AUTH")).isZero();
  }

  @Test
  void relayWithoutTlsIsAFault() throws Exception {
    server.offering("AUTH PLAIN");

    assertThat(fault(carrier("starttls")))
        .isEqualTo("localhost:" + server.port() + ": STARTTLS is not offered");
    assertThat(server.count("AUTH") + server.count("MAIL")).isZero();
  }

  /** What is said in clear behind the reply to STARTTLS is no reply of the relay. */
  @Test
  void repliesInClearAreForgottenWithTls() throws Exception {
    server
        .withTls(valid, false)
        .answering("STARTTLS", 1, "220 ready\r\n250-evil\r\n250 AUTH LOGIN");

    assertThat(fault(carrier("starttls"))).contains("localhost:" + server.port() + ": ");
    assertThat(server.count("AUTH")).isZero();
  }

  private static String fault(SmtpCarrier carrier) throws InterruptedException {
    try (carrier) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());
      assertThat(outcome.made()).isFalse();
      return outcome.summary();
    }
  }
}
