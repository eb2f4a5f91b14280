package dev.reprise.delivery;

/**
 * The counts of all that a shard ever accepted, subscriptions that were removed included. They go
 * along when the shard moves to another process.
 *
 * @param ledger the sum of all ledgers
 * @param repeats how often messages may have come twice
 */
public record ShardTotals(Ledger ledger, RepeatCounts repeats) {
  /** Nothing accepted yet. */
  public static final ShardTotals NONE = new ShardTotals(Ledger.EMPTY, RepeatCounts.NONE);

  /** Returns the sums of both. */
  public ShardTotals plus(ShardTotals other) {
    return new ShardTotals(ledger.plus(other.ledger), repeats.plus(other.repeats));
  }
}
