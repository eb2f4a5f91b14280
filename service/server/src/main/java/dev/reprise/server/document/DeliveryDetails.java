package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A delivery with its payload and history.
 *
 * @param delivery as listings have it; its fields stand beside the others
 * @param payload null if it is not kept any more
 * @param history oldest first; the service forgets some of very many attempts
 */
public record DeliveryDetails(
    @JsonUnwrapped DeliveryDocument delivery,
    @Nullable PayloadDocument payload,
    List<EventDocument> history) {
  /**
   * The content of a message: one of {@code body} and {@code bodyBase64} is there.
   *
   * @param contentType the media type
   * @param attributes that filters look at
   * @param body JSON, or a string of text
   * @param bodyBase64 anything else
   * @param bodies others for single protocols; absent if there are none
   */
  public record PayloadDocument(
      String contentType,
      @Nullable JsonNode attributes,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode body,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String bodyBase64,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable JsonNode bodies) {}

  /**
   * An attempt, a redrive or another event.
   *
   * @param kind such as {@code attempt}
   * @param at in RFC 3339
   * @param attempt its number, from 1
   * @param outcome of an attempt, or null
   * @param after the state in which it left the delivery
   * @param due why the next attempt is due when it is; null if there is none
   * @param mayRepeat why the receiver may have had the message before this attempt, such as {@code
   *     timed_out}; absent if it had not
   */
  public record EventDocument(
      String kind,
      String at,
      int attempt,
      @Nullable OutcomeDocument outcome,
      @Nullable StateDocument after,
      @Nullable DueDocument due,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String mayRepeat) {}

  /**
   * The outcome of an attempt.
   *
   * @param succeeded whether the endpoint took the message
   * @param status of HTTP; 0 if there was none
   * @param summary such as {@code 503 Service Unavailable}
   * @param address of the endpoint that was connected to; null if there was none
   * @param response the beginning of the endpoint's answer
   * @param durationMillis of the attempt
   */
  public record OutcomeDocument(
      boolean succeeded,
      int status,
      String summary,
      @Nullable String address,
      String response,
      double durationMillis) {}

  /**
   * The state of a delivery.
   *
   * @param status as that of the delivery
   * @param at since when, or when the next attempt is due, in RFC 3339
   * @param stopReason why nothing is tried any more, or null
   */
  public record StateDocument(String status, String at, @Nullable String stopReason) {}
}
