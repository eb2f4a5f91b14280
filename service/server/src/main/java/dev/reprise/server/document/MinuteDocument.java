package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of a subscription's endpoint in a minute, or in several. */
@Described(name = "Minute")
public record MinuteDocument(
    @Described(value = "When the span began.", kind = Kind.TIME) String at,
    @Described("Attempts that ended.") long attempts,
    @Described("Those that succeeded.") long delivered,
    @Described("Those that are followed by another.") long retried,
    @Described("Those after which the delivery was given up.") long givenUp,
    @Described(
            "Attempts by outcome: 2xx, 3xx, 4xx (but 429), 429, 5xx, timeout, connection,"
                + " refused (by the rules of this service); of other protocols ok, retryable,"
                + " permanent. Those without any are left out.")
        Map<String, Integer> outcomes,
    @Described(
            "How long attempts took; absent if there were none. p50 and p99 are known to"
                + " within an eighth.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable LatencyDocument latencyMillis,
    @Described("How many attempts were allowed at the same time, at the end.") int limit,
    @Described("The fewest that were allowed at the same time.") int minLimit,
    @Described("For how long the endpoint had asked for silence.") long pausedMillis,
    @Described("How many deliveries were pending at the end.") long pending,
    @Described(
            value = "When the oldest of them was due at the earliest; absent without one.",
            kind = Kind.TIME)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String oldestDueAt) {
  /**
   * The times that attempts took, in milliseconds.
   *
   * @param mean of all
   * @param p50 the median, to within an eighth
   * @param p99 the time that one in a hundred was longer than, to within an eighth
   * @param max the longest
   */
  public record LatencyDocument(double mean, double p50, double p99, double max) {}
}
