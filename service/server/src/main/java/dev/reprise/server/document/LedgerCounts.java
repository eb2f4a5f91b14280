package dev.reprise.server.document;

import dev.reprise.server.schema.Described;

/** The numbers of deliveries in each state. */
@Described(
    name = "Ledger",
    value = "accepted = pending + delivered + deadLettered + discarded + expired + moved")
public record LedgerCounts(
    @Described("All that were ever accepted.") long accepted,
    @Described("Those that have not ended.") long pending,
    @Described("Those that the endpoint took.") long delivered,
    @Described("Those that are kept after they were given up.") long deadLettered,
    @Described("Those that were given up and not kept.") long discarded,
    @Described("Those whose lifetime was over.") long expired,
    @Described("Those that another subscription has accepted in place of this one.") long moved,
    @Described("Attempts of all of them.") long attempts,
    @Described(
            value = "Accepted deliveries that are in no state: 0, or something was lost.",
            signed = true)
        long unexplained) {
  /** Nothing accepted yet. */
  public static final LedgerCounts EMPTY = new LedgerCounts(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
