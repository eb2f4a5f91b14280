package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A carrier with its state.
 *
 * @param name of the carrier
 * @param type of the carrier, such as {@code smpp}
 * @param createdAt in RFC 3339
 * @param state at this moment
 */
@Described(name = "Carrier")
public record CarrierDocument(
    String name,
    String type,
    @Described("The most attempts at the same time.") int maxInFlight,
    @Described("The most attempts a second; absent for no limit.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Long maxPerSecond,
    @Described(
            value =
                "As its type has them; of a secret only that it is set, and under which key."
                    + " Empty for keys that are not an operator's.",
            kind = Kind.OBJECT)
        JsonNode settings,
    @Described(kind = Kind.TIME) String createdAt,
    State state) {
  /**
   * The state of a carrier.
   *
   * @param connections that are open
   */
  @Described(name = "CarrierState")
  public record State(
      @Described("False while the carrier itself is at fault.") boolean working,
      @Described("The reason. Deliveries wait, and none of them uses up a retry.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String fault,
      @Described(
              value = "When the fault was first seen; absent if it is working.",
              kind = Kind.TIME)
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String since,
      int connections,
      @Described("Attempts under way.") int inFlight) {}

  /** The result of a test. */
  @Described(name = "CarrierTest")
  public record Tested(
      @Described("Whether the carrier could be used.") boolean working,
      @Described("What was reached, or what is in the way.") String detail) {}

  /** The result of a request to go on. */
  @Described(name = "Resumed")
  public record Resumed(@Described("Whether anything waited for that.") boolean resumed) {}

  /** The result of a report. */
  @Described(name = "CarrierReport")
  public record Reported(
      @Described("Whether it was the last word on a delivery that is still remembered.")
          boolean known,
      @Described("Whether the message has reached its endpoint; absent if it is not known.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable Boolean delivered) {}
}
