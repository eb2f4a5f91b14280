package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a subscription by state.
 *
 * @param pending those that are not at their end
 * @param delivered those that the endpoint took
 * @param deadLettered those that are kept after they were given up
 * @param discarded those that were given up and not kept
 * @param expired those whose lifetime was over
 * @param moved those that another subscription has accepted
 */
@Described(name = "DeliveryCounts")
public record CountsDocument(
    long pending,
    @Described("Pending ones whose time has come, among those looked at.") long due,
    @Described("Pending ones that wait for a later retry, among those looked at.") long later,
    @Described("How many pending ones were looked at, those due first at the front.") long seen,
    @Described("Whether nothing is left to look at.") boolean complete,
    @Described(
            value =
                "Where the count of due and later ones goes on; null at the end. A part does"
                    + " not include the ones before.",
            orNull = true)
        @Nullable String next,
    long delivered,
    long deadLettered,
    long discarded,
    long expired,
    long moved) {}
