package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a subscription's endpoint in a minute, or in several.
 *
 * @param at when the span began, in RFC 3339
 * @param attempts how many have ended in it
 * @param delivered how many of them succeeded
 * @param retried how many of them are followed by another
 * @param givenUp after how many of them the delivery was given up
 * @param outcomes attempts by the class of their outcome; classes without any are left out
 * @param latencyMillis how long they took; null if there were none
 * @param limit how many were allowed at the same time at the end
 * @param minLimit the fewest that were allowed at the same time
 * @param pausedMillis for how long the endpoint had asked for silence
 * @param pending how many deliveries were pending at the end
 * @param oldestDueAt when the oldest of them was due at the earliest, in RFC 3339, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MinuteDocument(
    String at,
    long attempts,
    long delivered,
    long retried,
    long givenUp,
    Map<String, Integer> outcomes,
    @Nullable LatencyDocument latencyMillis,
    int limit,
    int minLimit,
    long pausedMillis,
    long pending,
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
