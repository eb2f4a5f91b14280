/**
 * A listener that {@code ./test} puts beside every test, for the times of its classes, and an agent
 * that it gives to the Java that builds.
 */
@NullMarked
package dev.reprise.suite;

import org.jspecify.annotations.NullMarked;
