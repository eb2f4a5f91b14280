package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import org.jspecify.annotations.Nullable;

/** The deliveries of a subscription by state. */
@Described(name = "DeliveryCounts")
public record CountsDocument(
    @Described("Those that have not ended.") long pending,
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
    @Described("Those that the endpoint took.") long delivered,
    @Described("Those that are kept after they were given up.") long deadLettered,
    @Described("Those that were given up and not kept.") long discarded,
    @Described("Those whose lifetime was over.") long expired,
    @Described("Those that another subscription has accepted.") long moved) {}
