package dev.reprise.endpoints.email;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.carrier.CarrierAttempt;
import dev.reprise.delivery.carrier.CarrierContent;
import jakarta.activation.DataHandler;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.internet.MimePart;
import jakarta.mail.internet.MimeUtility;
import jakarta.mail.util.ByteArrayDataSource;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UnsupportedEncodingException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A message as it is sent: the same bytes at every attempt, as long as the settings stay. */
final class OutgoingMessage {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss Z", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private static final Pattern LINE_END = Pattern.compile("\r\n|\r|\n");
  private static final Pattern DOT_ATOM =
      Pattern.compile("[A-Za-z0-9_+=-]+(?:\\.[A-Za-z0-9_+=-]+)*");
  private static final Pattern CONTROLS =
      Pattern.compile("\\p{Cntrl}+", Pattern.UNICODE_CHARACTER_CLASS);

  /** RFC 3461 §5.4. */
  private static final int MAX_ENVELOPE_ID = 100;

  private final String messageId;
  private final String returnPath;
  private final String recipient;
  private final MimeMessage mime;

  /**
   * Makes the message of an attempt.
   *
   * @throws IllegalArgumentException for an endpoint that is not a mailbox
   */
  OutgoingMessage(SmtpSettings settings, Session session, CarrierAttempt attempt)
      throws MessagingException {
    String ascii = MailboxAddress.ascii(attempt.endpoint());
    if (ascii == null) {
      throw new IllegalArgumentException("the endpoint " + MailboxAddress.RULE);
    }
    recipient = ascii;
    messageId = messageId(settings, attempt);
    String template = settings.returnPath();
    returnPath =
        template == null
            ? settings.from().address()
            : MailTemplates.returnPath(template, attempt.message(), attempt.subscription());
    mime = new StableMessage(session, messageId);
    addAddresses(settings);
    addHeaders(settings, attempt);
    addContent(attempt);
    mime.saveChanges();
  }

  /** Returns the value of the header Message-ID, with its angle brackets. */
  static String messageId(SmtpSettings settings, CarrierAttempt attempt) {
    String own = settings.messageIdDomain();
    String subscription = attempt.subscription();
    // A topic may be called "..", which is no part of a Message-ID; "=" is in no name.
    String left =
        DOT_ATOM.matcher(subscription).matches() ? subscription : subscription.replace(".", "=2E");
    return "<"
        + attempt.message()
        + "."
        + left
        + "@"
        + (own == null ? settings.from().domain() : own)
        + ">";
  }

  /** Returns the value of the header Message-ID. */
  String messageId() {
    return messageId;
  }

  /**
   * Returns the Message-ID without its brackets as xtext (RFC 3461 §4), for reports that do not
   * return the headers; empty if it is longer than may be.
   */
  String envelopeId() {
    String id = messageId.substring(1, messageId.length() - 1);
    String xtext = id.replace("+", "+2B").replace("=", "+3D");
    return xtext.length() > MAX_ENVELOPE_ID ? "" : xtext;
  }

  /** Returns the sender of the envelope. */
  String returnPath() {
    return returnPath;
  }

  /** Returns the recipient, in ASCII. */
  String recipient() {
    return recipient;
  }

  /** Writes the headers and the content. */
  void writeTo(OutputStream out) throws IOException, MessagingException {
    mime.writeTo(out);
  }

  private void addAddresses(SmtpSettings settings) throws MessagingException {
    mime.setFrom(address(settings.from()));
    MailSender replyTo = settings.replyTo();
    if (replyTo != null) {
      mime.setReplyTo(new InternetAddress[] {address(replyTo)});
    }
    mime.setHeader("To", recipient);
  }

  private static InternetAddress address(MailSender sender) {
    InternetAddress address = new InternetAddress();
    address.setAddress(sender.address());
    try {
      if (!sender.name().isEmpty()) {
        address.setPersonal(sender.name(), UTF_8.name());
      }
    } catch (UnsupportedEncodingException e) {
      throw new AssertionError("every JDK has UTF-8", e);
    }
    return address;
  }

  private void addHeaders(SmtpSettings settings, CarrierAttempt attempt) throws MessagingException {
    String given = attempt.content().subject();
    String subject =
        given.isBlank() ? MailTemplates.subject(settings.subject(), attempt.topic()) : given;
    mime.setSubject(oneLine(subject), UTF_8.name());
    mime.setHeader(
        "Date", DATE.format(Instant.ofEpochMilli(attempt.message().publishedAtMillis())));
    mime.setHeader("Auto-Submitted", "auto-generated");
    mime.setHeader("Reprise-Message-Id", attempt.message().toString());
    mime.setHeader("Reprise-Topic", encoded("Reprise-Topic", attempt.topic()));
    String unsubscribe = settings.unsubscribe();
    if (unsubscribe != null) {
      String url =
          MailTemplates.unsubscribe(
              unsubscribe, attempt.subscription(), attempt.message().toString());
      mime.setHeader("List-Unsubscribe", "<" + url + ">");
      mime.setHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
    }
  }

  /** A line break in a header would begin another header, or the content. */
  private static String oneLine(String text) {
    return CONTROLS.matcher(text).replaceAll(" ").strip();
  }

  private static String encoded(String name, String value) {
    try {
      return MimeUtility.fold(
          name.length() + 2, MimeUtility.encodeText(oneLine(value), UTF_8.name(), null));
    } catch (UnsupportedEncodingException e) {
      throw new AssertionError("every JDK has UTF-8", e);
    }
  }

  private void addContent(CarrierAttempt attempt) throws MessagingException {
    CarrierContent content = attempt.content();
    String text = content.text();
    String html = content.html();
    if (html.isEmpty()) {
      boolean isHtml = content.contentType().toLowerCase(Locale.ROOT).startsWith("text/html");
      setText(mime, text, isHtml ? "html" : "plain");
      return;
    }
    MimeMultipart alternatives =
        new StableMultipart(boundary(attempt.message().toString(), text, html));
    alternatives.addBodyPart(setText(new MimeBodyPart(), text, "plain"));
    alternatives.addBodyPart(setText(new MimeBodyPart(), html, "html"));
    mime.setContent(alternatives);
  }

  /** The library chooses 7bit, quoted-printable or base64 by what the text has. */
  private static <P extends MimePart> P setText(P part, String text, String kind)
      throws MessagingException {
    byte[] bytes = LINE_END.matcher(text).replaceAll("\r\n").getBytes(UTF_8);
    part.setDataHandler(
        new DataHandler(new ByteArrayDataSource(bytes, "text/" + kind + "; charset=UTF-8")));
    return part;
  }

  private static String boundary(String messageId, String text, String html) {
    StringBuilder boundary = new StringBuilder("=_").append(messageId);
    while (text.indexOf(boundary.toString()) >= 0 || html.indexOf(boundary.toString()) >= 0) {
      boundary.append('_');
    }
    // At most 70 characters (RFC 2046 §5.1.1). A text with all shorter ones is made to look odd.
    return boundary.substring(0, Math.min(boundary.length(), 70));
  }

  /** Keeps the Message-ID that it has; the library would make another one each time. */
  private static final class StableMessage extends MimeMessage {
    private final String id;

    private StableMessage(@Nullable Session session, String id) {
      super(session);
      this.id = id;
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", id);
    }
  }

  /** Has a boundary of its own choice; the library's has the time in it. */
  private static final class StableMultipart extends MimeMultipart {
    private StableMultipart(String boundary) {
      super("alternative");
      contentType = "multipart/alternative; boundary=\"" + boundary + "\"";
    }
  }
}
