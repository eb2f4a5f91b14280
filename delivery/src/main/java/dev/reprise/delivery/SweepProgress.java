package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The progress of one part.
 *
 * @param changed how many dead letters it changed
 * @param next where the next part begins; null at the end
 */
public record SweepProgress(int changed, @Nullable Position next) {}
