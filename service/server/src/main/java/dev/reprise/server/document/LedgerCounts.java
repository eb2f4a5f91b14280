package dev.reprise.server.document;

import dev.reprise.server.schema.Described;

/**
 * The numbers of deliveries in each state.
 *
 * @param accepted all that were ever accepted
 * @param pending those that are not at their end
 * @param delivered those that the endpoint took
 * @param deadLettered those that are kept after they were given up
 * @param discarded those that were given up and not kept
 * @param expired those whose lifetime was over
 * @param attempts all that were made
 */
@Described(
    name = "Ledger",
    value = "accepted = pending + delivered + deadLettered + discarded + expired + moved")
public record LedgerCounts(
    long accepted,
    long pending,
    long delivered,
    long deadLettered,
    long discarded,
    long expired,
    @Described("Those that another subscription has accepted in place of this one.") long moved,
    long attempts,
    @Described(
            value = "Accepted deliveries that are in no state: 0, or something was lost.",
            signed = true)
        long unexplained) {
  /** Nothing accepted yet. */
  public static final LedgerCounts EMPTY = new LedgerCounts(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
