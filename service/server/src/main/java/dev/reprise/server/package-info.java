/** The HTTP API, the metrics and the reprise command line. */
@NullMarked
package dev.reprise.server;

import org.jspecify.annotations.NullMarked;
