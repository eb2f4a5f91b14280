package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A delivery with its payload and history.
 *
 * @param delivery as listings have it; its fields stand beside the others
 */
@Described(name = "Delivery")
public record DeliveryDetails(
    @JsonUnwrapped DeliveryDocument delivery,
    @Described(value = "Null once the delivery has ended and is not kept.", orNull = true)
        @Nullable PayloadDocument payload,
    @Described("Oldest first.") List<EventDocument> history) {
  /**
   * The content of a message: one of {@code body} and {@code bodyBase64} is there.
   *
   * @param contentType the media type
   * @param attributes that filters look at
   */
  @Described(name = "Payload")
  public record PayloadDocument(
      String contentType,
      @Described(kind = Kind.OBJECT) @Nullable JsonNode attributes,
      @Described("JSON, or a string of text.") @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable JsonNode body,
      @Described("A body that is neither JSON nor text.") @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String bodyBase64,
      @Described(
              value = "Others for single protocols; absent if there are none.",
              kind = Kind.OBJECT)
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable JsonNode bodies) {}

  /**
   * An attempt, a redrive or another event.
   *
   * @param kind such as {@code attempt}
   * @param at in RFC 3339
   * @param outcome of an attempt, or null
   * @param due why the next attempt is due when it is; null if there is none
   */
  @Described(name = "HistoryEvent")
  public record EventDocument(
      @Described(
              oneOf =
                  "attempt, redriven, expired, purged, unreadable, requested, retired, receipt,"
                      + " dropped, cancelled, moved")
          String kind,
      @Described(kind = Kind.TIME) String at,
      @Described("The number of the attempt, from 1.") int attempt,
      @Described(orNull = true) @Nullable OutcomeDocument outcome,
      @Described("The state in which it left the delivery.") @Nullable StateDocument after,
      @Described(orNull = true) @Nullable DueDocument due,
      @Described(
              value =
                  "Of an attempt: why the receiver may have had the message before, which is sent"
                      + " at least once. killed: the process ended while an earlier attempt was"
                      + " under way; timed_out, connection_lost: no answer to it after it may have"
                      + " been sent; gateway: a 502 or 504. Absent if it had not.",
              oneOf = Described.REPEATS)
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String mayRepeat) {}

  /**
   * The outcome of an attempt.
   *
   * @param summary such as {@code 503 Service Unavailable}
   * @param address of the endpoint that was connected to; null if there was none
   * @param durationMillis of the attempt
   */
  @Described(name = "Outcome")
  public record OutcomeDocument(
      @Described("Whether the endpoint took the message.") boolean succeeded,
      @Described("The HTTP status; 0 if there was none.") int status,
      String summary,
      @Described(orNull = true) @Nullable String address,
      @Described("The first 1 KB of the response's body, as text.") String response,
      double durationMillis) {}

  /**
   * The state of a delivery.
   *
   * @param status as that of the delivery
   */
  @Described(name = "AfterEvent")
  public record StateDocument(
      @Described(oneOf = Described.STATES) String status,
      @Described(value = "Since when it is so, or when the next attempt is due.", kind = Kind.TIME)
          String at,
      @Described(
              value =
                  "Why there is no further attempt; null while there may be one, and when"
                      + " delivered.",
              oneOf = Described.STOP_REASONS,
              orNull = true)
          @Nullable String stopReason) {}
}
