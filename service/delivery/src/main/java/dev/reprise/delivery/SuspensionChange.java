package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * A subscription was suspended or released.
 *
 * @param subscription the subscription's number
 * @param suspension how it is suspended; null if it was released
 */
public record SuspensionChange(long subscription, @Nullable Suspension suspension) {}
