package dev.reprise.delivery;

import dev.reprise.core.InvalidSettingException;
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
 * @param historyMillis how long the history of a delivery is kept after it has ended
 * @param idempotencyMillis how long an idempotency key is remembered
 * @param sweepIntervalMillis how often what is too old is removed
 * @param readAheadBytes how much of the backlog all subscriptions together keep in memory, in bytes
 * @param maxBatchBytes a turn takes in no more once its writes are this large, in bytes
 * @param historyBytes how many bytes of history the shard keeps at the most; 0 for no bound. The
 *     last thing that happened to a pending delivery or a dead letter is kept beyond it
 * @param deadLetterMillis how long a dead letter is kept; 0 for ever
 * @param deadLetterBytes how many bytes of dead letters the shard keeps at the most; 0 for no bound
 * @param groupRetries how many retries a host or a carrier of which all attempts fail may have at
 *     once, before they are bounded by {@code groupRetriesPerSecond}
 * @param groupRetriesPerSecond how many retries a second such a host or carrier may have, from
 *     0.001; each success brings one besides
 * @param holdAfter how many deliveries of a subscription, or of a host or a carrier, may be refused
 *     for good one after the other with the same code before the rest is held; from 1 to {@value
 *     #MAX_HOLD_AFTER}, 0 for any number
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
    long maxBatchBytes,
    long historyBytes,
    long deadLetterMillis,
    long deadLetterBytes,
    int groupRetries,
    double groupRetriesPerSecond,
    int holdAfter) {
  /** The most deliveries after which the rest may be held. */
  public static final int MAX_HOLD_AFTER = 100;

  /** The deliveries after which the rest is held unless another number is set. */
  public static final int DEFAULT_HOLD_AFTER = 10;

  /** The settings that the service uses by default. */
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
          16L << 20,
          0,
          Duration.ofDays(30).toMillis(),
          0,
          2000,
          200,
          DEFAULT_HOLD_AFTER);

  /** Checks the number of refusals. */
  public ShardSettings {
    if (holdAfter < 0 || holdAfter > MAX_HOLD_AFTER) {
      throw new InvalidSettingException(
          "holdAfter", holdAfter, "must be between 1 and " + MAX_HOLD_AFTER + ", or 0 for never");
    }
  }

  /**
   * The same with another number of refusals that hold back others.
   *
   * @param newHoldAfter as {@link #holdAfter}
   */
  public ShardSettings withHoldAfter(int newHoldAfter) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        historyMillis,
        idempotencyMillis,
        sweepIntervalMillis,
        readAheadBytes,
        maxBatchBytes,
        historyBytes,
        deadLetterMillis,
        deadLetterBytes,
        groupRetries,
        groupRetriesPerSecond,
        newHoldAfter);
  }

  /** The same with another time for which history is kept. */
  public ShardSettings withHistory(Duration history) {
    return with(history.toMillis(), historyBytes, deadLetterMillis, deadLetterBytes);
  }

  /** The same with another bound of the history's bytes. */
  public ShardSettings withHistoryBytes(long historyBytes) {
    return with(historyMillis, historyBytes, deadLetterMillis, deadLetterBytes);
  }

  /** The same with another time for which dead letters are kept. */
  public ShardSettings withDeadLetters(Duration deadLetters) {
    return with(historyMillis, historyBytes, deadLetters.toMillis(), deadLetterBytes);
  }

  /** The same with another bound of the dead letters' bytes. */
  public ShardSettings withDeadLetterBytes(long deadLetterBytes) {
    return with(historyMillis, historyBytes, deadLetterMillis, deadLetterBytes);
  }

  /**
   * The same with another retry budget of each host and carrier.
   *
   * @param groupRetries as {@link #groupRetries}
   * @param groupRetriesPerSecond as {@link #groupRetriesPerSecond}
   */
  public ShardSettings withGroupRetries(int groupRetries, double groupRetriesPerSecond) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        historyMillis,
        idempotencyMillis,
        sweepIntervalMillis,
        readAheadBytes,
        maxBatchBytes,
        historyBytes,
        deadLetterMillis,
        deadLetterBytes,
        groupRetries,
        groupRetriesPerSecond,
        holdAfter);
  }

  private ShardSettings with(
      long historyMillis, long historyBytes, long deadLetterMillis, long deadLetterBytes) {
    return new ShardSettings(
        claimsPerTurn,
        claimsPerVisit,
        maxInFlight,
        maxInFlightBytes,
        historyMillis,
        idempotencyMillis,
        sweepIntervalMillis,
        readAheadBytes,
        maxBatchBytes,
        historyBytes,
        deadLetterMillis,
        deadLetterBytes,
        groupRetries,
        groupRetriesPerSecond,
        holdAfter);
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
        maxBatchBytes,
        historyBytes,
        deadLetterMillis,
        deadLetterBytes,
        groupRetries,
        groupRetriesPerSecond,
        holdAfter);
  }
}
