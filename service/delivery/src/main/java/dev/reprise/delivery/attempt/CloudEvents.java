package dev.reprise.delivery.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.catalog.Subscription;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages as CloudEvents 1.0: in binary mode as headers beside the body, in structured mode as one
 * JSON object. The same at every attempt.
 *
 * <p>{@code source} is {@code /topics/NAME}, {@code type} the attribute {@code type} of the message
 * if it is a text, otherwise {@value #DEFAULT_TYPE}. Attributes whose names can be names of
 * extensions (1 to 20 lower-case letters and digits) become extensions: texts, whole numbers and
 * booleans. The trace that the message was published in is {@code traceparent} and {@code
 * tracestate}, by the extension for distributed tracing.
 */
final class CloudEvents {
  /** The media type of structured mode. */
  static final String CONTENT_TYPE = "application/cloudevents+json";

  static final String DEFAULT_TYPE = "dev.reprise.message";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Pattern EXTENSION = Pattern.compile("[a-z0-9]{1,20}");

  /** Names that mean something else in a CloudEvent. */
  private static final List<String> TAKEN =
      List.of(
          "id",
          "source",
          "specversion",
          "type",
          "time",
          "subject",
          "datacontenttype",
          "dataschema",
          "data");

  private CloudEvents() {}

  /** Adds the headers of binary mode; the body is the message's. */
  static void addHeaders(
      MessageId message,
      Subscription subscription,
      Payload payload,
      List<Map.Entry<String, String>> headers) {
    ObjectNode attributes = attributes(payload);
    headers.add(Map.entry("ce-specversion", "1.0"));
    headers.add(Map.entry("ce-id", message.toString()));
    headers.add(Map.entry("ce-source", source(subscription)));
    headers.add(Map.entry("ce-type", encoded(type(attributes))));
    headers.add(Map.entry("ce-time", TIME.format(time(message))));
    extensions(
        attributes,
        (name, value) ->
            headers.add(
                Map.entry(
                    "ce-" + name,
                    encoded(value.isString() ? value.stringValue() : value.toString()))));
  }

  /** Returns the event as one JSON object. */
  static byte[] structured(MessageId message, Subscription subscription, Payload payload) {
    ObjectNode attributes = attributes(payload);
    StringBuilder head = new StringBuilder(256);
    head.append("{\"specversion\":\"1.0\",\"id\":\"").append(message);
    head.append("\",\"source\":\"").append(source(subscription)).append("\",\"type\":");
    quote(head, type(attributes));
    head.append(",\"time\":\"");
    TIME.formatTo(time(message), head);
    head.append('"');
    extensions(
        attributes,
        (name, value) -> {
          head.append(",\"").append(name).append("\":");
          if (value.isString()) {
            quote(head, value.stringValue());
          } else {
            head.append(value);
          }
        });
    head.append(",\"datacontenttype\":");
    quote(head, payload.contentType());
    String media = payload.contentType().toLowerCase(Locale.ROOT);
    ByteArrayOutputStream out = new ByteArrayOutputStream(head.length() + payload.body().length);
    if (media.equals("application/json")) {
      head.append(",\"data\":");
      out.writeBytes(head.toString().getBytes(UTF_8));
      out.writeBytes(payload.body());
      out.write('}');
      return out.toByteArray();
    }
    if (media.startsWith("text/") && (!media.contains("charset=") || media.contains("utf-8"))) {
      head.append(",\"data\":");
      quote(head, new String(payload.body(), UTF_8));
    } else {
      head.append(",\"data_base64\":\"")
          .append(Base64.getEncoder().encodeToString(payload.body()))
          .append('"');
    }
    head.append('}');
    out.writeBytes(head.toString().getBytes(UTF_8));
    return out.toByteArray();
  }

  private static ObjectNode attributes(Payload payload) {
    ObjectNode attributes =
        payload.attributes().length == 0
            ? JSON.createObjectNode()
            : (ObjectNode) JSON.readTree(payload.attributes());
    TraceContext trace = payload.trace();
    if (trace != null && !attributes.has(TraceContext.HEADER)) {
      attributes.put(TraceContext.HEADER, trace.header());
      if (!trace.state().isEmpty()) {
        attributes.put(TraceContext.STATE_HEADER, trace.state());
      }
    }
    return attributes;
  }

  private static String source(Subscription subscription) {
    // A topic's name may have a +, which a URI reference allows.
    return "/topics/" + subscription.topic();
  }

  private static String type(JsonNode attributes) {
    JsonNode type = attributes.path("type");
    return isText(type) ? type.stringValue() : DEFAULT_TYPE;
  }

  /** The texts of CloudEvents have no control characters (section "Type System"). */
  private static boolean isText(JsonNode value) {
    return value.isString()
        && !value.stringValue().isEmpty()
        && value.stringValue().chars().noneMatch(Character::isISOControl);
  }

  private static Instant time(MessageId message) {
    return Instant.ofEpochMilli(message.publishedAtMillis());
  }

  private static void extensions(JsonNode attributes, BiConsumer<String, JsonNode> each) {
    for (Map.Entry<String, JsonNode> attribute : attributes.properties()) {
      String name = attribute.getKey();
      JsonNode value = attribute.getValue();
      boolean fits =
          isText(value)
              || value.isBoolean()
              || (value.isIntegralNumber() && value.canConvertToInt());
      if (fits && EXTENSION.matcher(name).matches() && !TAKEN.contains(name)) {
        each.accept(name, value);
      }
    }
  }

  /** Percent-encodes what a header cannot hold (CloudEvents HTTP binding, section 3.1.3.2). */
  private static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (byte each : text.getBytes(UTF_8)) {
      if (each > ' ' && each < 0x7f && each != '"' && each != '%') {
        out.append((char) each);
      } else {
        out.append(String.format(Locale.ROOT, "%%%02X", each & 0xff));
      }
    }
    return out.toString();
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    out.append('"');
  }
}
