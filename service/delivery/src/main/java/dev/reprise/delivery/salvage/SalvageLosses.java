package dev.reprise.delivery.salvage;

/**
 * The losses of one subscription by damage of the store, in deliveries and dead letters.
 *
 * @param mayRepeat attempted again though they may have ended
 * @param ended not attempted again, since their history says that they have ended
 * @param recovered made again of history and shared payload
 * @param unreadable lost, and dead letters with the reason UNREADABLE now
 * @param lost lost without a trace of their ids, and counted as discarded
 * @param mayBeLost how many more may be lost at most: each of those that may repeat may have ended,
 *     and stand in the ledger for one of which nothing is left
 * @param mayBePurged dead letters that are there, though they may have been purged or redriven
 */
public record SalvageLosses(
    long mayRepeat,
    long ended,
    long recovered,
    long unreadable,
    long lost,
    long mayBeLost,
    long mayBePurged) {
  /** Nothing. */
  public static final SalvageLosses NONE = new SalvageLosses(0, 0, 0, 0, 0, 0, 0);

  /** The sums of both. */
  public SalvageLosses plus(SalvageLosses other) {
    return new SalvageLosses(
        mayRepeat + other.mayRepeat,
        ended + other.ended,
        recovered + other.recovered,
        unreadable + other.unreadable,
        lost + other.lost,
        mayBeLost + other.mayBeLost,
        mayBePurged + other.mayBePurged);
  }
}
