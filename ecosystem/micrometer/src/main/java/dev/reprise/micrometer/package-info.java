/** Meters of retries, for Micrometer. */
@NullMarked
package dev.reprise.micrometer;

import org.jspecify.annotations.NullMarked;
