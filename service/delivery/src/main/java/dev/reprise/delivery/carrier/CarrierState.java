package dev.reprise.delivery.carrier;

import org.jspecify.annotations.Nullable;

/**
 * The state of a carrier at one moment.
 *
 * @param fault why it cannot be used, on one line for people; null if it works, or was not needed
 *     so far
 * @param faultSinceMillis since when, wall time; 0 without a fault
 * @param connections how many connections are open
 * @param inFlight how many attempts are under way
 */
public record CarrierState(
    @Nullable String fault, long faultSinceMillis, int connections, int inFlight) {}
