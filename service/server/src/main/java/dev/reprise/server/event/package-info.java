/** Operator events: what the service reports to operators by itself, and how that is bounded. */
@NullMarked
package dev.reprise.server.event;

import org.jspecify.annotations.NullMarked;
