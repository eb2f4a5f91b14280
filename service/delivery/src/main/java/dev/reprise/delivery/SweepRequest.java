package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * A part of a long walk over dead letters.
 *
 * @param filter which dead letters
 * @param startedAtMillis when the walk began: what died later is not touched
 * @param from where this part begins; null at the first part
 * @param limit how many dead letters this part may look at, from 1
 * @param perSecond for a redrive, how many become due per second; 0 for all at once
 * @param before how many earlier parts have changed
 */
public record SweepRequest(
    DeadLetterFilter filter,
    long startedAtMillis,
    @Nullable Position from,
    int limit,
    double perSecond,
    long before) {
  /** Returns the filter without what died after the walk began. */
  public DeadLetterFilter bounded() {
    return new DeadLetterFilter(
        filter.reason(),
        filter.message(),
        filter.diedFromMillis(),
        Math.min(filter.diedToMillis(), startedAtMillis),
        filter.attributes(),
        filter.text());
  }
}
