/** The same calls made by each library that retries, by a loop written by hand, and by Reprise. */
@NullMarked
package dev.reprise.bench.retry.peer;

import org.jspecify.annotations.NullMarked;
