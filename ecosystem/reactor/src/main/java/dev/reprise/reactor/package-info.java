/** Retries for a Mono, for Project Reactor. */
@NullMarked
package dev.reprise.reactor;

import org.jspecify.annotations.NullMarked;
