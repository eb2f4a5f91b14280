package dev.reprise.delivery.shard;

import java.time.Duration;

/**
 * The bounds of a shard.
 *
 * @param claimsPerTurn the most attempts that one step starts
 * @param claimsPerVisit the most attempts of one subscription before the next one has its turn
 * @param maxInFlight the most attempts under way in the shard
 * @param maxInFlightBytes the most payload bytes under way in the shard; one attempt is always
 *     allowed
 * @param historyMillis how long the history of ended deliveries is kept, from publishing on
 * @param idempotencyMillis how long an idempotency key is remembered
 * @param sweepIntervalMillis how often what is too old is removed
 */
public record ShardSettings(
    int claimsPerTurn,
    int claimsPerVisit,
    int maxInFlight,
    long maxInFlightBytes,
    long historyMillis,
    long idempotencyMillis,
    long sweepIntervalMillis) {
  /** What the service uses unless it is told otherwise. */
  public static final ShardSettings DEFAULT =
      new ShardSettings(
          512,
          32,
          2048,
          64L << 20,
          Duration.ofDays(3).toMillis(),
          Duration.ofDays(1).toMillis(),
          Duration.ofMinutes(10).toMillis());

  /** The same with another time for which history is kept. */
  public ShardSettings withHistory(Duration history) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        history.toMillis(),
        idempotencyMillis,
        sweepIntervalMillis);
  }
}
