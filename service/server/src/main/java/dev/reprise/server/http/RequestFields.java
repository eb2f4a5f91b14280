package dev.reprise.server.http;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.AttributeFilter;
import dev.reprise.delivery.MessageId;
import dev.reprise.policy.document.Violation;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads single values, and says what is wrong with them: field, value and rule. */
public final class RequestFields {
  private static final List<StopReason> REASONS =
      List.of(
          StopReason.NOT_RETRYABLE,
          StopReason.ATTEMPTS,
          StopReason.HINT_TOO_LONG,
          StopReason.DEADLINE,
          StopReason.CANCELLED,
          StopReason.SUSPENDED,
          StopReason.UNREADABLE);

  private RequestFields() {}

  /** Refuses what is not an object, or has a field that is not known. */
  public static void check(JsonNode document, String field, List<String> known) {
    if (!document.isObject()) {
      throw ApiException.invalid(field, shortened(document.toString()), "must be an object");
    }
    List<Violation> unknown =
        document.propertyNames().stream()
            .filter(name -> !known.contains(name))
            .limit(ApiError.MAX_VIOLATIONS + 1)
            .map(
                name ->
                    new Violation(
                        field.equals("body") ? name : field + "." + name,
                        shortened(String.valueOf(document.get(name))),
                        known.isEmpty()
                            ? "is not a field; there are none"
                            : "is not a field; fields are " + String.join(", ", known)))
            .toList();
    if (!unknown.isEmpty()) {
      throw new ApiException(ApiError.invalid(unknown));
    }
  }

  public static @Nullable String string(JsonNode document, String field) {
    JsonNode node = document.get(field);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isString()) {
      throw ApiException.invalid(field, shortened(node.toString()), "must be a string");
    }
    return node.stringValue();
  }

  public static boolean bool(JsonNode document, String field) {
    JsonNode node = document.get(field);
    if (node == null || node.isNull()) {
      return false;
    }
    if (!node.isBoolean()) {
      throw ApiException.invalid(field, shortened(node.toString()), "must be true or false");
    }
    return node.booleanValue();
  }

  public static boolean bool(@Nullable String text, String field) {
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.equals("true")) {
      return true;
    }
    throw ApiException.invalid(field, shortened(text), "must be true or false");
  }

  /** A number from 1 to {@code most}; {@code otherwise} if the field is absent. */
  public static int integer(JsonNode document, String field, int otherwise, int most) {
    JsonNode node = document.get(field);
    return node == null || node.isNull()
        ? otherwise
        : integer(node.toString(), field, otherwise, most);
  }

  public static int integer(@Nullable String text, String field, int otherwise, int most) {
    if (text == null) {
      return otherwise;
    }
    if (text.matches("[0-9]{1,9}")) {
      int value = Integer.parseInt(text);
      if (value >= 1 && value <= most) {
        return value;
      }
    }
    throw ApiException.invalid(field, shortened(text), "must be an integer from 1 to " + most);
  }

  /** A time in milliseconds since the epoch; {@code otherwise} if there is none. */
  public static long time(@Nullable String text, String field, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    try {
      long millis = OffsetDateTime.parse(text).toInstant().toEpochMilli();
      if (millis >= 0) {
        return millis;
      }
    } catch (DateTimeException | ArithmeticException e) {
      // Falls through to the one message that names the rule.
    }
    throw ApiException.invalid(
        field, shortened(text), "must be a time since 1970 such as 2026-01-31T12:00:00Z");
  }

  public static MessageId message(String text, String field) {
    try {
      return MessageId.parse(text);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          field,
          shortened(text),
          "must be a message id such as 01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");
    }
  }

  public static StopReason reason(String text, String field) {
    for (StopReason reason : REASONS) {
      if (reason.name().equals(text)) {
        return reason;
      }
    }
    throw ApiException.invalid(
        field,
        shortened(text),
        "must be one of " + String.join(", ", REASONS.stream().map(Enum::name).toList()));
  }

  public static AttributeFilter filter(JsonNode document, String field) {
    try {
      return AttributeFilter.of(document);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          field, shortened(document.toString()), String.valueOf(e.getMessage()));
    }
  }

  public static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "…";
  }
}
