/** What {@code ./test} puts beside every test: the times of its classes. */
@NullMarked
package dev.reprise.suite;

import org.jspecify.annotations.NullMarked;
