package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The progress of one part.
 *
 * @param changed how many deliveries it changed
 * @param next where the next part begins; null at the end
 * @param seen how many it looked at
 */
public record SweepProgress(int changed, @Nullable Position next, int seen) {}
