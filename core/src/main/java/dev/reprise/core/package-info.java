/**
 * The vocabulary of retries: failures as retry facts, backoffs, and the decision whether and when
 * to try again.
 *
 * <p>Everything here decides and nothing acts: no type of this package sleeps, reads a clock, or
 * owns a source of randomness. An <em>attempt</em> counts from 1, the first try being attempt 1. A
 * <em>retry</em> counts from 1, retry 1 being attempt 2.
 */
@NullMarked
package dev.reprise.core;

import org.jspecify.annotations.NullMarked;
