/** The listener that {@code ./test} puts beside every test, for the times of its classes. */
@NullMarked
package dev.reprise.suite;

import org.jspecify.annotations.NullMarked;
