package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.store.FolderException;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.endpoints.fixtures.CarrierCalls;
import dev.reprise.endpoints.fixtures.TestAttempts;
import dev.reprise.endpoints.fixtures.TestContext;
import dev.reprise.fixtures.TestAuthority;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Against a mail server that somebody else wrote. */
class GreenMailTest {
  private static final String KEY_STORE = "greenmail.tls.keystore.file";
  private static final String KEY_STORE_PASSWORD = "greenmail.tls.keystore.password";

  @TempDir static Path folder;

  private static GreenMail server;
  private static String authorityPem;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    authorityPem = Files.readString(authority.certificatePem());
    System.setProperty(KEY_STORE, authority.server().keyStore().toString());
    System.setProperty(KEY_STORE_PASSWORD, TestAuthority.KEY_STORE_PASSWORD);
    ServerSetup[] setups = {
      new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP),
      new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTPS)
    };
    for (ServerSetup setup : setups) {
      setup.setServerStartupTimeout(60_000);
    }
    server = new GreenMail(setups);
    server.setUser("reprise@example.com", "reprise", "s3cret");
    server.start();
  }

  @AfterAll
  static void stop() {
    System.clearProperty(KEY_STORE);
    System.clearProperty(KEY_STORE_PASSWORD);
    server.stop();
  }

  @AfterEach
  void clear() throws FolderException {
    server.purgeEmailFromAllMailboxes();
  }

  private static String address() {
    return "127.0.0.1:" + server.getSmtp().getPort();
  }

  private static SmtpCarrier carrier(String more) {
    return SmtpTests.carrier(address(), more);
  }

  private static MimeMessage received() {
    assertThat(server.waitForIncomingEmail(60_000, 1)).isTrue();
    return server.getReceivedMessages()[0];
  }

  @Test
  void messageArrivesAsItWasPublished() throws Exception {
    CarrierAttempt attempt =
        SmtpTests.attempt("Grüße\n.\n.. aus Köln", "Bücher für 5 €", "<p>Grüße</p>");
    try (SmtpCarrier carrier =
        carrier(", \"unsubscribe\": \"https://example.com/u/{subscription}\"")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, attempt);

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      assertThat(outcome.status()).isEqualTo(250);
      MimeMessage message = received();
      assertThat(message.getSubject()).isEqualTo("Bücher für 5 €");
      assertThat(message.getMessageID()).isEqualTo(outcome.receiptIds().get(0));
      assertThat(message.getHeader("Reprise-Message-Id", null))
          .isEqualTo(attempt.message().toString());
      assertThat(message.getHeader("Reprise-Topic", null)).isEqualTo("orders");
      assertThat(message.getHeader("Auto-Submitted", null)).isEqualTo("auto-generated");
      assertThat(message.getHeader("List-Unsubscribe", null))
          .isEqualTo("<https://example.com/u/" + attempt.subscription() + ">");
      assertThat(message.getHeader("List-Unsubscribe-Post", null))
          .isEqualTo("List-Unsubscribe=One-Click");
      MimeMultipart parts = (MimeMultipart) message.getContent();
      assertThat(parts.getBodyPart(0).getContent()).isEqualTo("Grüße\r\n.\r\n.. aus Köln");
      assertThat(parts.getBodyPart(1).getContent()).isEqualTo("<p>Grüße</p>");
    }
  }

  @Test
  void textOfEveryKindArrives() throws Exception {
    String[] texts = {"Hello", "Grüße", "こんにちは 🎉", "x".repeat(3_000), ".", "", "a\tb"};
    try (SmtpCarrier carrier = carrier("")) {
      for (String text : texts) {
        clear();
        CarrierAttempt attempt =
            TestAttempts.of(
                Protocol.EMAIL,
                "ann@bücher.example",
                new CarrierContent("application/json", text.getBytes(UTF_8)),
                "{}");
        assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
        assertThat(received().getContent().toString().stripTrailing()).isEqualTo(text);
        assertThat(received().getHeader("To", null)).isEqualTo("ann@xn--bcher-kva.example");
      }
    }
  }

  @Test
  void everyAttemptArrivesWithTheSameBytes() throws Exception {
    CarrierAttempt attempt = SmtpTests.attempt("Grüße", "", "<p>Grüße</p>");
    for (int i = 0; i < 2; i++) {
      try (SmtpCarrier carrier = carrier("")) {
        assertThat(CarrierCalls.send(carrier, attempt).succeeded()).isTrue();
      }
    }
    assertThat(server.waitForIncomingEmail(60_000, 2)).isTrue();
    Set<String> raw =
        Arrays.stream(server.getReceivedMessages())
            .map(GreenMailTest::own)
            .collect(Collectors.toSet());
    assertThat(raw).hasSize(1);
  }

  /** The message without what the server has put in front of it. */
  private static String own(MimeMessage message) {
    String raw = com.icegreen.greenmail.util.GreenMailUtil.getWholeMessage(message);
    return raw.substring(raw.indexOf("Date: "));
  }

  @Test
  void manyMessagesArriveOnceEach() throws Exception {
    int count = 40;
    try (SmtpCarrier carrier =
        SmtpTests.carrier(SmtpTests.settings(address(), ""), new TestContext(count))) {
      var outcomes =
          IntStream.range(0, count)
              .mapToObj(i -> CarrierCalls.start(carrier, SmtpTests.attempt()))
              .toList();
      for (CompletableFuture<AttemptOutcome> outcome : outcomes) {
        assertThat(CarrierCalls.await(outcome).succeeded()).isTrue();
      }
    }
    assertThat(server.waitForIncomingEmail(60_000, count)).isTrue();
    assertThat(
            Arrays.stream(server.getReceivedMessages())
                .map(message -> header(message, "Message-ID"))
                .distinct())
        .hasSize(count);
  }

  private static String header(MimeMessage message, String name) {
    try {
      return message.getHeader(name, null);
    } catch (jakarta.mail.MessagingException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void loginWithTheRightPasswordWorks() throws Exception {
    try (SmtpCarrier carrier = carrier(", \"username\": \"reprise\", \"password\": \"s3cret\"")) {
      assertThat(CarrierCalls.send(carrier, SmtpTests.attempt()).succeeded()).isTrue();
    }
  }

  @Test
  void loginWithTheWrongPasswordIsAFault() throws Exception {
    try (SmtpCarrier carrier = carrier(", \"username\": \"reprise\", \"password\": \"wrong\"")) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.made()).isFalse();
      assertThat(outcome.summary()).contains(": 535 5.7.8 ").doesNotContain("wrong");
    }
    assertThat(server.getReceivedMessages()).isEmpty();
  }

  @Test
  void messageGoesOverTls() throws Exception {
    SmtpSettings settings =
        SmtpTests.read(
            """
            {"addresses": "localhost:%d", "security": "tls", "from": "orders@example.com",
             "authority": %s, "username": "reprise", "password": "s3cret"}
            """
                .formatted(
                    server.getSmtps().getPort(),
                    JsonMapper.shared().writeValueAsString(authorityPem)));
    try (SmtpCarrier carrier = SmtpTests.carrier(settings, new TestContext(1))) {
      AttemptOutcome outcome = CarrierCalls.send(carrier, SmtpTests.attempt());

      assertThat(outcome.succeeded()).as(outcome.summary()).isTrue();
      assertThat(received().getContent().toString()).startsWith("Hello");
    }
  }
}
