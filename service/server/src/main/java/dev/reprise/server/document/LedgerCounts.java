package dev.reprise.server.document;

/**
 * The numbers of deliveries in each state.
 *
 * @param accepted all that were ever accepted
 * @param pending those that are not at their end
 * @param delivered those that the endpoint took
 * @param deadLettered those that are kept after they were given up
 * @param discarded those that were given up and not kept
 * @param expired those whose lifetime was over
 * @param moved those that another subscription has accepted in place of this one
 * @param attempts all that were made
 * @param unexplained accepted ones that are in none of these states; 0 unless something is wrong
 */
public record LedgerCounts(
    long accepted,
    long pending,
    long delivered,
    long deadLettered,
    long discarded,
    long expired,
    long moved,
    long attempts,
    long unexplained) {
  /** Nothing accepted yet. */
  public static final LedgerCounts EMPTY = new LedgerCounts(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
