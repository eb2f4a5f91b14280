/**
 * The base of every simulation: events in virtual time, randomness by counting, and the delays of a
 * policy.
 */
@NullMarked
package dev.reprise.lab.kernel;

import org.jspecify.annotations.NullMarked;
