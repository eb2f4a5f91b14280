package dev.reprise.cluster.intake;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.TraceContext;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.engine.Matching;
import dev.reprise.policy.document.JsonFault;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A message that an application has put into its topic of Kafka without knowing shards: the body is
 * the value, all else is in headers. The rules are those of publishing by the API.
 *
 * @param project the project of the topic
 * @param topic the topic that it is published to
 * @param payload what is delivered
 * @param attributes the payload's attributes, parsed: an object
 */
public record OpenMessage(String project, String topic, Payload payload, JsonNode attributes) {
  public static final String TOPIC = "reprise-topic";
  static final String PROJECT = "reprise-project";
  static final String ATTRIBUTES = "reprise-attributes";
  static final String CONTENT_TYPE = "content-type";

  private static final String OWN_PREFIX = "reprise-";
  private static final Set<String> OWN = Set.of(TOPIC, PROJECT, ATTRIBUTES);
  private static final String DEFAULT_TYPE = "application/octet-stream";
  private static final String JSON_TYPE = "application/json";
  private static final int MAX_ATTRIBUTES = 10;
  private static final int MAX_LIST = 100;
  private static final int MAX_TYPE_CHARS = 256;
  private static final int MAX_DEPTH = 100;
  private static final int SHOWN_CHARS = 60;
  private static final byte[] NOTHING = {};

  private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z0-9_.-]{1,256}");
  private static final Pattern MEDIA_TYPE =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+( *;[ -~]*)?");

  private static final JsonMapper STRICT =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /** Returns whether a record with these headers comes from an application. */
  public static boolean isOpen(Headers headers) {
    return headers.lastHeader(TOPIC) != null;
  }

  /**
   * Reads a record.
   *
   * @throws IllegalArgumentException naming the rule, if it is no message
   */
  public static OpenMessage read(Headers headers, byte @Nullable [] value) {
    for (Header header : headers) {
      if (header.key().startsWith(OWN_PREFIX) && !OWN.contains(header.key())) {
        throw wrong("header", header.key(), "is unknown; known ones are " + sorted());
      }
    }
    String topic = text(headers, TOPIC);
    if (topic == null) {
      throw wrong(TOPIC, "absent", "must name a topic");
    }
    String project = text(headers, PROJECT);
    String type = text(headers, CONTENT_TYPE);
    if (type == null) {
      type = DEFAULT_TYPE;
    } else if (type.length() > MAX_TYPE_CHARS || !MEDIA_TYPE.matcher(type).matches()) {
      throw wrong(CONTENT_TYPE, type, "must be a media type such as text/csv");
    }
    if (value == null) {
      throw wrong("value", "null", "must be the body; a body without bytes is an empty one");
    }
    String json = text(headers, ATTRIBUTES);
    JsonNode attributes =
        json == null ? JsonNodeFactory.instance.objectNode() : attributes(json.strip());
    byte[] raw = json == null || attributes.isEmpty() ? NOTHING : json.strip().getBytes(UTF_8);
    Payload payload = new Payload(type, raw, value).withTrace(trace(headers));
    checkClaim(type.toLowerCase(Locale.ROOT), value);
    return new OpenMessage(
        project == null ? Topic.DEFAULT_PROJECT : project, topic, payload, attributes);
  }

  /** Returns why it is none if its topic does not exist. */
  public String withoutTopic() {
    return TOPIC
        + " is "
        + shortened(topic)
        + ": there is no such topic in project "
        + shortened(project);
  }

  /**
   * Looks whether it may be published to its topic.
   *
   * @throws IllegalArgumentException naming the rule, if it may not
   */
  public void check(Catalog.Entry entry) {
    if (entry.topic().isReserved()) {
      throw new IllegalArgumentException(
          TOPIC + " is " + topic + ": only the service publishes to it");
    }
    Matching.check(entry, payload, attributes);
  }

  private static String sorted() {
    return String.join(", ", OWN.stream().sorted().toList());
  }

  /** The header's text; null if it is not there. */
  private static @Nullable String text(Headers headers, String name) {
    String text = null;
    for (Header header : headers.headers(name)) {
      if (text != null) {
        throw wrong(name, "given twice", "must be given once");
      }
      byte[] bytes = header.value();
      text = bytes == null ? null : utf8OrNull(bytes);
      if (text == null) {
        throw wrong(name, bytes == null ? "null" : "other bytes", "must be text in UTF-8");
      }
    }
    return text;
  }

  /** The trace that an instrumented producer names; one that is not as it should be is none. */
  private static @Nullable TraceContext trace(Headers headers) {
    Header parent = headers.lastHeader(TraceContext.HEADER);
    Header state = headers.lastHeader(TraceContext.STATE_HEADER);
    return parent == null || parent.value() == null
        ? null
        : TraceContext.parse(
            new String(parent.value(), UTF_8),
            state == null || state.value() == null ? null : new String(state.value(), UTF_8));
  }

  private static JsonNode attributes(String json) {
    JsonNode attributes = json(ATTRIBUTES, json);
    if (!attributes.isObject()) {
      throw wrong(ATTRIBUTES, json, "must be an object");
    }
    if (attributes.size() > MAX_ATTRIBUTES) {
      throw wrong(ATTRIBUTES, attributes.size() + " fields", "must be at most " + MAX_ATTRIBUTES);
    }
    for (Map.Entry<String, JsonNode> each : attributes.properties()) {
      if (!ATTRIBUTE.matcher(each.getKey()).matches()) {
        throw wrong(
            ATTRIBUTES, each.getKey(), "must be names of 1 to 256 letters, digits, and _ . -");
      }
      check(ATTRIBUTES + "." + shortened(each.getKey()), each.getValue());
    }
    return attributes;
  }

  private static void check(String path, JsonNode value) {
    boolean isStrings = value.isArray() && value.values().stream().allMatch(JsonNode::isString);
    if (!isStrings && !value.isString() && !value.isNumber() && !value.isBoolean()) {
      throw wrong(
          path, value.toString(), "must be a string, a number, true, false or a list of strings");
    }
    if (value.size() > MAX_LIST) {
      throw wrong(path, "a list of " + value.size() + " strings", "must have at most " + MAX_LIST);
    }
  }

  /** An envelope holds JSON and text as they are: they must be what the publisher calls them. */
  private static void checkClaim(String type, byte[] body) {
    boolean isJson = type.equals(JSON_TYPE);
    boolean isText =
        type.startsWith("text/") && (!type.contains("charset=") || type.contains("utf-8"));
    String text = isJson || isText ? utf8OrNull(body) : "";
    if (text == null) {
      throw wrong("value", "other bytes", "must be UTF-8, as content-type " + type + " says");
    }
    if (isJson) {
      json("value", text);
    }
  }

  private static JsonNode json(String what, String text) {
    try {
      JsonNode node = STRICT.readTree(text);
      if (node.isMissingNode()) {
        throw wrong(what, "empty", "must be JSON");
      }
      return node;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(what + " is malformed JSON: " + JsonFault.of(e), e);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          what + " has a number whose exponent has more than nine digits", e);
    }
  }

  private static @Nullable String utf8OrNull(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static IllegalArgumentException wrong(String what, String value, String rule) {
    return new IllegalArgumentException(what + " is " + shortened(value) + ": " + rule);
  }

  /** Keeps control characters and long texts out of logs. */
  static String shortened(String text) {
    String begin = text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…";
    return begin.codePoints().anyMatch(Character::isISOControl)
        ? JsonNodeFactory.instance.stringNode(begin).toString()
        : begin;
  }
}
