package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A carrier with its state.
 *
 * @param name of the carrier
 * @param type of the carrier, such as {@code smpp}
 * @param maxInFlight the most attempts at the same time
 * @param maxPerSecond the most attempts a second; absent for no limit
 * @param settings as its type has them; of a secret only that it is set, and under which key
 * @param createdAt in RFC 3339
 * @param state at this moment
 */
public record CarrierDocument(
    String name,
    String type,
    int maxInFlight,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long maxPerSecond,
    JsonNode settings,
    String createdAt,
    State state) {
  /**
   * The state of a carrier.
   *
   * @param working false while the carrier itself is at fault
   * @param fault the reason; absent if it is working
   * @param since when the fault was first seen, in RFC 3339; absent if it is working
   * @param connections that are open
   * @param inFlight attempts under way
   */
  public record State(
      boolean working,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String fault,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String since,
      int connections,
      int inFlight) {}

  /**
   * The result of a test.
   *
   * @param working whether the carrier could be used
   * @param detail what was reached, or what is in the way
   */
  public record Tested(boolean working, String detail) {}

  /**
   * The result of a request to go on.
   *
   * @param resumed whether anything waited because everything before it was refused alike
   */
  public record Resumed(boolean resumed) {}

  /**
   * The result of a report.
   *
   * @param known whether it is the last word on a delivery of this service
   * @param delivered whether the message has reached its endpoint; absent if it is not known
   */
  public record Reported(
      boolean known, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean delivered) {}
}
