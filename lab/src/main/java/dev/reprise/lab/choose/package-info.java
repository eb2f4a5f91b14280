/** Searches policies for a fleet and recommends one. */
@NullMarked
package dev.reprise.lab.choose;

import org.jspecify.annotations.NullMarked;
