/**
 * The wait before each retry: {@link dev.reprise.core.backoff.Backoff} and every named formula.
 * Pure functions of the number of a retry and a source of random numbers.
 */
@NullMarked
package dev.reprise.core.backoff;

import org.jspecify.annotations.NullMarked;
