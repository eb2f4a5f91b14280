/** Clients that compete for one row under optimistic locking. */
@NullMarked
package dev.reprise.lab.contention;

import org.jspecify.annotations.NullMarked;
