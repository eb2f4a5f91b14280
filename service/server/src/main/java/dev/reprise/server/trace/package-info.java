/** Traces of messages from their publishing to each attempt, exported by OpenTelemetry. */
@NullMarked
package dev.reprise.server.trace;

import org.jspecify.annotations.NullMarked;
