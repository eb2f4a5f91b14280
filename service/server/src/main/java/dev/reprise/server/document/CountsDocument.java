package dev.reprise.server.document;

import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a subscription by state.
 *
 * @param pending those that are not at their end
 * @param due pending ones whose time has come, among those looked at
 * @param later pending ones that wait for a later retry, among those looked at
 * @param seen how many pending ones were looked at, those due first at the front
 * @param complete whether these are all that were left to look at
 * @param next where the count of due and later ones goes on, or null
 * @param delivered those that the endpoint took
 * @param deadLettered those that are kept after they were given up
 * @param discarded those that were given up and not kept
 * @param expired those whose lifetime was over
 * @param moved those that another subscription has accepted
 */
public record CountsDocument(
    long pending,
    int due,
    int later,
    int seen,
    boolean complete,
    @Nullable String next,
    long delivered,
    long deadLettered,
    long discarded,
    long expired,
    long moved) {}
