package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes and reads the documents of this package. */
public final class Documents {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final JsonSetter.Value EMPTY_IF_ABSENT =
      JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .disable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .withConfigOverride(String.class, text -> text.setNullHandling(EMPTY_IF_ABSENT))
          .withConfigOverride(List.class, list -> list.setNullHandling(EMPTY_IF_ABSENT))
          .build();

  private Documents() {}

  /** Returns a time as documents have it: RFC 3339, UTC, with milliseconds. */
  public static String time(long epochMillis) {
    return TIME.format(Instant.ofEpochMilli(epochMillis));
  }

  /** Returns a document as JSON in UTF-8. */
  public static byte[] write(Object document) {
    return MAPPER.writeValueAsBytes(document);
  }

  /** Returns a document as a tree, in which it can stand in another. */
  public static ObjectNode tree(Object document) {
    return MAPPER.valueToTree(document);
  }

  /**
   * Reads what a service of this or another version has answered: fields that are not known are
   * passed over; of those that are missing, a text or a list is empty, a number is 0, and anything
   * else is null.
   *
   * @throws JacksonException when a field is of another type
   */
  public static <T> T read(JsonNode json, Class<T> type) {
    return MAPPER.treeToValue(json, type);
  }
}
