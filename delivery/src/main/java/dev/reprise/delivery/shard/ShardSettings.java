package dev.reprise.delivery.shard;

import java.time.Duration;

/**
 * The bounds of a shard.
 *
 * @param claimsPerTurn the most attempts that one step starts
 * @param claimsPerVisit the most attempts of one subscription before the next one has its turn
 * @param maxInFlight the most attempts under way to endpoints that answer promptly; those to others
 *     come besides, never more than as many again
 * @param maxInFlightBytes the most payload bytes under way in the shard; one attempt is always
 *     allowed
 * @param historyMillis how long the history of ended deliveries is kept, from publishing on
 * @param idempotencyMillis how long an idempotency key is remembered
 * @param sweepIntervalMillis how often what is too old is removed
 * @param readAheadBytes how much of the backlog all subscriptions together keep in memory, in bytes
 * @param maxBatchBytes a turn takes in no more once its writes are this large, in bytes
 */
public record ShardSettings(
    int claimsPerTurn,
    int claimsPerVisit,
    int maxInFlight,
    long maxInFlightBytes,
    long historyMillis,
    long idempotencyMillis,
    long sweepIntervalMillis,
    long readAheadBytes,
    long maxBatchBytes) {
  /** What the service uses unless it is told otherwise. */
  public static final ShardSettings DEFAULT =
      new ShardSettings(
          512,
          32,
          4096,
          64L << 20,
          Duration.ofDays(3).toMillis(),
          Duration.ofDays(1).toMillis(),
          Duration.ofMinutes(10).toMillis(),
          32L << 20,
          16L << 20);

  /** The same with another time for which history is kept. */
  public ShardSettings withHistory(Duration history) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        history.toMillis(),
        idempotencyMillis,
        sweepIntervalMillis,
        readAheadBytes,
        maxBatchBytes);
  }

  /**
   * The same with other bounds of memory.
   *
   * @param maxInFlight as {@link #maxInFlight}
   * @param maxInFlightBytes as {@link #maxInFlightBytes}
   * @param readAheadBytes as {@link #readAheadBytes}
   * @param maxBatchBytes as {@link #maxBatchBytes}
   */
  public ShardSettings withMemory(
      int maxInFlight, long maxInFlightBytes, long readAheadBytes, long maxBatchBytes) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        historyMillis,
        idempotencyMillis,
        sweepIntervalMillis,
        readAheadBytes,
        maxBatchBytes);
  }
}
