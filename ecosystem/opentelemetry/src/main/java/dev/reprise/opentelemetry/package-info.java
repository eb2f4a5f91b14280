/** Traces that show retries and go on through them, for OpenTelemetry. */
@NullMarked
package dev.reprise.opentelemetry;

import org.jspecify.annotations.NullMarked;
