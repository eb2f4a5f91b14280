package dev.reprise.delivery.body;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.CarrierContent;
import dev.reprise.policy.document.Violation;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The bodies of a message: one for all protocols, and others for single ones, such as a text for
 * SMS, or subject and HTML for email. In JSON an object by protocol:
 *
 * <pre>{@code
 * {"sms": "Order 7 has shipped", "email": {"subject": "Shipped", "text": "…", "html": "…"}}
 * }</pre>
 *
 * <p>An email is an object with {@code text}, and perhaps {@code subject} and {@code html}, or the
 * text alone; an SMS is a text; for the others any JSON is a body, and a text is sent as plain
 * text.
 */
public final class MessageBodies {
  /** The longest subject of an email, in characters. */
  public static final int MAX_SUBJECT_CHARS = 250;

  private static final String JSON_TYPE = "application/json";
  private static final String TEXT_TYPE = "text/plain;charset=utf-8";
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final List<String> EMAIL_FIELDS = List.of("subject", "text", "html");

  private MessageBodies() {}

  /**
   * Checks bodies for single protocols.
   *
   * @return every rule that is broken, with the path of what breaks it
   */
  public static List<Violation> problems(JsonNode bodies) {
    List<Violation> problems = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : bodies.properties()) {
      String path = "bodies." + entry.getKey();
      JsonNode body = entry.getValue();
      Protocol protocol = Protocol.of(entry.getKey()).orElse(null);
      if (protocol == null) {
        problems.add(
            new Violation(
                "bodies", quoted(entry.getKey()), "must be http, sms, email, queue or function"));
      } else if (body.isNull()) {
        problems.add(new Violation(path, "null", "must be a body"));
      } else if (protocol == Protocol.SMS) {
        add(
            problems,
            path,
            body,
            body.isString() ? textProblem(protocol, body.stringValue()) : "must be a text");
      } else if (protocol == Protocol.EMAIL && !body.isString()) {
        checkEmail(problems, path, body);
      }
    }
    return problems;
  }

  private static void checkEmail(List<Violation> problems, String path, JsonNode email) {
    if (!email.isObject()) {
      problems.add(
          new Violation(
              path,
              quoted(email.toString()),
              "must be a text, or an object with subject, text and html"));
      return;
    }
    for (Map.Entry<String, JsonNode> field : email.properties()) {
      String at = path + "." + field.getKey();
      JsonNode value = field.getValue();
      if (!EMAIL_FIELDS.contains(field.getKey())) {
        add(problems, at, value, "is not a field of an email; fields are subject, text, html");
      } else if (!value.isString()) {
        add(problems, at, value, "must be a text");
      } else if (field.getKey().equals("subject")) {
        add(problems, at, value, subjectProblem(value.stringValue()));
      }
    }
    if (!email.path("text").isString()) {
      problems.add(
          new Violation(path + ".text", "absent", "must be given: not every reader shows HTML"));
    }
  }

  private static @Nullable String subjectProblem(String subject) {
    boolean fits =
        !subject.isEmpty()
            && subject.length() <= MAX_SUBJECT_CHARS
            && subject.chars().noneMatch(Character::isISOControl);
    return fits ? null : "must be one line of 1 to " + MAX_SUBJECT_CHARS + " characters";
  }

  private static void add(
      List<Violation> problems, String path, JsonNode value, @Nullable String rule) {
    if (rule != null) {
      problems.add(
          new Violation(
              path, quoted(value.isString() ? value.stringValue() : value.toString()), rule));
    }
  }

  /**
   * Returns the rule that a message breaks for the protocol, by the limits of what the protocol can
   * carry; null if it breaks none.
   */
  public static @Nullable String problem(Payload payload, Protocol protocol) {
    if (protocol != Protocol.SMS && protocol != Protocol.EMAIL) {
      return null;
    }
    CarrierContent content = of(payload, protocol);
    String text = textOrNull(content.body());
    if (text == null) {
      return "must be text for " + protocol.wireName() + ", or bodies must have one";
    }
    return textProblem(protocol, text);
  }

  private static @Nullable String textProblem(Protocol protocol, String text) {
    return protocol == Protocol.SMS ? SmsText.problem(text) : null;
  }

  /** Returns what a protocol is sent of a message. */
  public static CarrierContent of(Payload payload, Protocol protocol) {
    byte[] raw = payload.bodies().length == 0 ? null : cut(payload.bodies(), protocol.wireName());
    if (raw == null) {
      return new CarrierContent(payload.contentType(), payload.body());
    }
    JsonNode own = JSON.readTree(raw);
    if (own.isString()) {
      return new CarrierContent(TEXT_TYPE, own.stringValue().getBytes(UTF_8));
    }
    if (protocol == Protocol.EMAIL) {
      return new CarrierContent(
          TEXT_TYPE,
          own.path("text").asString("").getBytes(UTF_8),
          own.path("subject").asString(""),
          own.path("html").asString(""));
    }
    return new CarrierContent(JSON_TYPE, raw);
  }

  /**
   * Cuts one member out of an object as it came, so that a receiver can verify what the publisher
   * has signed; null if it is not there.
   */
  private static byte @Nullable [] cut(byte[] object, String member) {
    try (JsonParser parser = JSON.createParser(object)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean wanted = parser.currentName().equals(member);
        JsonToken token = parser.nextToken();
        int start = (int) parser.currentTokenLocation().getByteOffset();
        if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
          parser.skipChildren();
        } else {
          // Asking for the text makes the parser read the value to its end.
          parser.getString();
        }
        if (wanted) {
          int end =
              token.isNumeric()
                  ? start + parser.getStringLength()
                  : (int) parser.currentLocation().getByteOffset();
          return Arrays.copyOfRange(object, start, end);
        }
      }
      return null;
    }
  }

  /** Returns the message as one protocol gets it: with its own body if there is one. */
  public static Payload resolve(Payload payload, Protocol protocol) {
    if (payload.bodies().length == 0) {
      return payload;
    }
    CarrierContent content = of(payload, protocol);
    return new Payload(content.contentType(), payload.attributes(), content.body())
        .withTrace(payload.trace());
  }

  private static @Nullable String textOrNull(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static String quoted(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
