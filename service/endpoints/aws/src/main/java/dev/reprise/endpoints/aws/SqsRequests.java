package dev.reprise.endpoints.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.carrier.CarrierAttempt;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Requests of SQS in its JSON protocol. */
final class SqsRequests {
  static final String CONTENT_TYPE = "application/x-amz-json-1.0";

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int MAX_ATTRIBUTES = 10;

  private static final Pattern ID = Pattern.compile("[!-~]{1,128}");

  /** The numbers of SQS (Developer Guide, message attributes). */
  private static final BigDecimal MAX_NUMBER = new BigDecimal("1E126");

  private static final BigDecimal MIN_NUMBER = new BigDecimal("1E-128");

  /** Writes any text in ASCII, with escapes. */
  private static final JsonMapper ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** The names of attributes in SQS; dots neither begin, end nor follow each other. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

  private SqsRequests() {}

  /** The body as SQS takes it, which its answer must have the MD5 of. */
  record Send(AwsRequest request, String body) {}

  /** Returns the request that sends a message. */
  static Send send(AwsSettings settings, QueueName queue, CarrierAttempt attempt) {
    String account = queue.account() != null ? queue.account() : settings.accountId();
    String url = settings.sqsBase() + "/" + (account == null ? "" : account + "/") + queue.name();
    ObjectNode request = JSON.createObjectNode();
    request.put("QueueUrl", url);
    byte[] bytes = attempt.content().body();
    String text = text(bytes);
    String body = text != null ? text : Base64.getEncoder().encodeToString(bytes);
    request.put("MessageBody", body);
    ObjectNode attributes = request.putObject("MessageAttributes");
    put(attributes, "reprise-message-id", "String", attempt.message().toString());
    put(attributes, "content-type", "String", attempt.content().contentType());
    if (text == null) {
      put(attributes, "reprise-encoding", "String", "base64");
    }
    addAll(attributes, attempt.attributes());
    if (queue.isFifo()) {
      String group = attempt.attributes().path("messageGroup").asString("");
      request.put("MessageGroupId", id(group.isEmpty() ? attempt.subscription() : group));
      // SQS compares over all groups: another subscription's message is another message.
      request.put(
          "MessageDeduplicationId",
          attempt.message() + "-" + digest(attempt.subscription()).substring(0, 16));
    }
    return new Send(request(settings, "SendMessage", JSON.writeValueAsBytes(request)), body);
  }

  /** The text, or a digest of one that SQS does not take as an id. */
  private static String id(String text) {
    return ID.matcher(text).matches() ? text : digest(text);
  }

  private static String digest(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Returns the request that asks for one queue's URL at the most. */
  static AwsRequest list(AwsSettings settings) {
    return request(settings, "ListQueues", "{\"MaxResults\":1}".getBytes(UTF_8));
  }

  private static AwsRequest request(AwsSettings settings, String action, byte[] body) {
    return new AwsRequest(
        "sqs",
        settings.sqsBase() + "/",
        List.of(Map.entry("X-Amz-Target", "AmazonSQS." + action)),
        CONTENT_TYPE,
        body);
  }

  /** Adds the message's attributes, each by itself if all fit, otherwise as one of JSON. */
  private static void addAll(ObjectNode to, JsonNode attributes) {
    boolean fit = to.size() + attributes.size() <= MAX_ATTRIBUTES;
    for (Map.Entry<String, JsonNode> attribute : attributes.properties()) {
      fit &= fits(attribute.getKey(), attribute.getValue()) && !to.has(attribute.getKey());
    }
    if (!fit) {
      put(to, "reprise-attributes", "String", ASCII.writeValueAsString(attributes));
      return;
    }
    for (Map.Entry<String, JsonNode> attribute : attributes.properties()) {
      JsonNode value = attribute.getValue();
      put(
          to,
          attribute.getKey(),
          value.isNumber() && isNumberOfSqs(value.decimalValue()) ? "Number" : "String",
          value.isString() ? value.stringValue() : value.toString());
    }
  }

  private static boolean fits(String name, JsonNode value) {
    String lower = name.toLowerCase(Locale.ROOT);
    return NAME.matcher(name).matches()
        && !lower.startsWith("aws.")
        && !lower.startsWith("amazon.")
        && (!value.isString() || !value.stringValue().isEmpty())
        && isLegal(value.isString() ? value.stringValue() : value.toString());
  }

  /** SQS keeps 38 digits of a number. */
  private static boolean isNumberOfSqs(BigDecimal number) {
    BigDecimal size = number.abs();
    return number.precision() <= 38
        && size.compareTo(MAX_NUMBER) <= 0
        && (size.signum() == 0 || size.compareTo(MIN_NUMBER) >= 0);
  }

  private static void put(ObjectNode to, String name, String type, String value) {
    to.putObject(name).put("DataType", type).put("StringValue", value);
  }

  /** Returns the text of a body that SQS takes as it is; null for one that it does not. */
  private static @Nullable String text(byte[] bytes) {
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return !text.isEmpty() && isLegal(text) ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** The characters of XML 1.0, which SQS allows. */
  private static boolean isLegal(String text) {
    return text.codePoints()
        .allMatch(
            c ->
                c == 0x9
                    || c == 0xa
                    || c == 0xd
                    || (c >= 0x20 && c <= 0xd7ff)
                    || (c >= 0xe000 && c <= 0xfffd)
                    || c >= 0x10000);
  }
}
