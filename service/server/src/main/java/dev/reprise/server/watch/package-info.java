/** Metrics, and what is counted and logged of deliveries. */
@NullMarked
package dev.reprise.server.watch;

import org.jspecify.annotations.NullMarked;
