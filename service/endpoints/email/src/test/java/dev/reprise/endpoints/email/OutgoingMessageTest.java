package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.endpoints.fixtures.TestAttempts;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Properties;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutgoingMessageTest {
  private static final Session SESSION = Session.getInstance(new Properties());

  private final SmtpSettings settings = SmtpTests.settings("localhost", "");

  private static byte[] bytes(SmtpSettings settings, CarrierAttempt attempt)
      throws MessagingException, IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new OutgoingMessage(settings, SESSION, attempt).writeTo(out);
    return out.toByteArray();
  }

  private static MimeMessage mime(SmtpSettings settings, CarrierAttempt attempt)
      throws MessagingException, IOException {
    return new MimeMessage(SESSION, new ByteArrayInputStream(bytes(settings, attempt)));
  }

  private static CarrierAttempt of(String topic, String subscription) {
    return TestAttempts.withSubscription(SmtpTests.attempt(), topic, subscription);
  }

  @ParameterizedTest
  @CsvSource({
    "Hello, 7bit",
    "Grüße aus Köln am Rhein, quoted-printable",
    "こんにちは, base64",
    ".leading dot, 7bit"
  })
  void encodingFitsTheText(String text, String encoding) throws Exception {
    MimeMessage mime = mime(settings, SmtpTests.attempt(text, "", ""));

    assertThat(mime.getEncoding()).isEqualTo(encoding);
    assertThat(mime.getContentType()).isEqualTo("text/plain; charset=UTF-8");
    assertThat(mime.getContent()).isEqualTo(text);
  }

  @Test
  void longLinesAndZerosAreEncoded() throws Exception {
    for (String text : new String[] {"x".repeat(2_000), "a\u0000b\u0007"}) {
      byte[] bytes = bytes(settings, SmtpTests.attempt(text, "", ""));

      assertThat(new String(bytes, US_ASCII).split("\r\n"))
          .allSatisfy(line -> assertThat(line).hasSizeLessThan(999));
      assertThat(bytes).doesNotContain((byte) 0);
      assertThat(mime(settings, SmtpTests.attempt(text, "", "")).getContent()).isEqualTo(text);
    }
  }

  @Test
  void htmlComesBesideText() throws Exception {
    MimeMessage mime = mime(settings, SmtpTests.attempt("Grüße", "", "<p>Grüße &amp; Küsse</p>"));

    assertThat(mime.getContentType()).startsWith("multipart/alternative");
    MimeMultipart parts = (MimeMultipart) mime.getContent();
    assertThat(parts.getCount()).isEqualTo(2);
    assertThat(parts.getBodyPart(0).getContentType()).isEqualTo("text/plain; charset=UTF-8");
    assertThat(parts.getBodyPart(0).getContent()).isEqualTo("Grüße");
    assertThat(parts.getBodyPart(1).getContentType()).isEqualTo("text/html; charset=UTF-8");
    assertThat(parts.getBodyPart(1).getContent()).isEqualTo("<p>Grüße &amp; Küsse</p>");
  }

  @Test
  void htmlBodyAloneIsHtml() throws Exception {
    byte[] body = "<p>Hello</p>".getBytes(UTF_8);
    CarrierAttempt attempt =
        TestAttempts.of(
            Protocol.EMAIL,
            "ann@example.net",
            new CarrierContent("text/html; charset=utf-8", body),
            "{}");

    assertThat(mime(settings, attempt).getContentType()).isEqualTo("text/html; charset=UTF-8");
  }

  @Test
  void everyAttemptHasTheSameBytes() throws Exception {
    CarrierAttempt attempt = SmtpTests.attempt("Grüße", "Köln", "<p>Grüße</p>");

    assertThat(bytes(settings, attempt)).isEqualTo(bytes(settings, attempt));
    assertThat(mime(settings, attempt).getSentDate().toInstant())
        .isEqualTo(
            Instant.ofEpochMilli(attempt.message().publishedAtMillis())
                .truncatedTo(ChronoUnit.SECONDS));
    assertThat(mime(settings, attempt).getHeader("Date", null)).endsWith(" +0000");
  }

  @Test
  void headersTellWhatItIs() throws Exception {
    SmtpSettings all =
        SmtpTests.settings(
            "localhost",
            """
            , "replyTo": "Hilfe für alle <help@example.com>", "messageIdDomain": "mail.example.com",
            "unsubscribe": "https://example.com/u/{subscription}?m={message}",
            "returnPath": "bounces+{id}@example.com"
            """);
    CarrierAttempt attempt = of("a+b", "a+b-7");
    MimeMessage mime = mime(all, attempt);
    String id = attempt.message().toString();

    assertThat(mime.getMessageID()).isEqualTo("<" + id + ".a+b-7@mail.example.com>");
    assertThat(mime.getHeader("From", null)).isEqualTo("Orders <orders@example.com>");
    assertThat(mime.getHeader("To", null)).isEqualTo("ann@example.net");
    assertThat(mime.getHeader("Reply-To", null))
        .isEqualTo("=?UTF-8?Q?Hilfe_f=C3=BCr_alle?= <help@example.com>");
    assertThat(mime.getSubject()).isEqualTo("Message from a+b");
    assertThat(mime.getHeader("Auto-Submitted", null)).isEqualTo("auto-generated");
    assertThat(mime.getHeader("Reprise-Message-Id", null)).isEqualTo(id);
    assertThat(mime.getHeader("Reprise-Topic", null)).isEqualTo("a+b");
    assertThat(mime.getHeader("List-Unsubscribe", null))
        .isEqualTo("<https://example.com/u/a%2Bb-7?m=" + id + ">");
    assertThat(mime.getHeader("List-Unsubscribe-Post", null))
        .isEqualTo("List-Unsubscribe=One-Click");
    OutgoingMessage message = new OutgoingMessage(all, SESSION, attempt);
    assertThat(message.returnPath())
        .startsWith("bounces+" + id.replace("-", "") + "-")
        .hasSize("bounces+@example.com".length() + 41);
    assertThat(message.envelopeId()).isEqualTo(id + ".a+2Bb-7@mail.example.com");
  }

  @ParameterizedTest
  @CsvSource({"..,..-1", "a..b,a..b-1", "-,-1", "x.,x.-1"})
  void anyTopicGivesAMessageId(String topic, String subscription) throws Exception {
    assertThat(mime(settings, of(topic, subscription)).getMessageID())
        .matches("<[0-9a-f-]{36}(\\.[A-Za-z0-9=_+-]+)+@example\\.com>");
  }

  @Test
  void longNamesHaveNoEnvelopeId() throws Exception {
    CarrierAttempt attempt = of("x".repeat(256), "x".repeat(256) + "-1");

    assertThat(new OutgoingMessage(settings, SESSION, attempt).envelopeId()).isEmpty();
  }

  /** However a subject, a topic or a text looks, there are the same headers, each once. */
  @Property(tries = 500)
  void headersCannotBeInjected(
      @ForAll String subject, @ForAll String topic, @ForAll String text, @ForAll String html)
      throws Exception {
    String evil = subject + "\r\nBcc: eve@example.com\r\n\r\n" + subject;
    CarrierAttempt plain = SmtpTests.attempt(text + "\r\n.\r\n" + text, evil, html + "<p>");
    CarrierAttempt attempt =
        TestAttempts.withSubscription(plain, topic + "\nX-Evil: 1\n\n", "orders-1");

    byte[] bytes = bytes(settings, attempt);
    MimeMessage mime = new MimeMessage(SESSION, new ByteArrayInputStream(bytes));

    assertThat(Collections.list(mime.getAllHeaders()).stream().map(header -> header.getName()))
        .containsExactlyInAnyOrder(
            "Date",
            "From",
            "To",
            "Message-ID",
            "Subject",
            "MIME-Version",
            "Content-Type",
            "Auto-Submitted",
            "Reprise-Message-Id",
            "Reprise-Topic");
    assertThat(((MimeMultipart) mime.getContent()).getCount()).isEqualTo(2);
    for (byte value : bytes) {
      assertThat(value).isPositive();
    }
  }
}
