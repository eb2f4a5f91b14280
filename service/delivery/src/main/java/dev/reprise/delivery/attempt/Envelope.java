package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.catalog.Subscription;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * The JSON object that an endpoint is sent unless it wants the raw body. Byte for byte the same at
 * every attempt, so that a receiver may compare or sign it; the attempt's number is in a header. A
 * JSON body stands in it exactly as it was published.
 */
final class Envelope {
  static final String CONTENT_TYPE = "application/json";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Envelope() {}

  static byte[] of(MessageId message, Subscription subscription, Payload payload) {
    StringBuilder head = new StringBuilder(256);
    head.append("{\"id\":\"").append(message).append("\",\"topic\":\"");
    head.append(subscription.topic()).append("\",\"subscription\":\"").append(subscription.id());
    head.append("\",\"publishedAt\":\"");
    TIME.formatTo(Instant.ofEpochMilli(message.publishedAtMillis()), head);
    head.append("\",\"contentType\":");
    quote(head, payload.contentType());
    ByteArrayOutputStream out = new ByteArrayOutputStream(320 + payload.body().length);
    if (payload.attributes().length > 0) {
      head.append(",\"attributes\":");
      out.writeBytes(head.toString().getBytes(UTF_8));
      out.writeBytes(payload.attributes());
      head.setLength(0);
    }
    byte[] body = payload.body();
    String type = payload.contentType().toLowerCase(Locale.ROOT);
    if (type.equals("application/json")) {
      head.append(",\"body\":");
      out.writeBytes(head.toString().getBytes(UTF_8));
      out.writeBytes(body);
      out.write('}');
      return out.toByteArray();
    }
    if (type.startsWith("text/") && (!type.contains("charset=") || type.contains("utf-8"))) {
      head.append(",\"body\":");
      quote(head, new String(body, UTF_8));
    } else {
      head.append(",\"bodyBase64\":\"")
          .append(Base64.getEncoder().encodeToString(body))
          .append('"');
    }
    head.append('}');
    out.writeBytes(head.toString().getBytes(UTF_8));
    return out.toByteArray();
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    out.append('"');
  }
}
