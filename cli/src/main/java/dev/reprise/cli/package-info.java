/**
 * The {@code reprise} command line: one class for each command, over the HTTP API of a service.
 *
 * <p>Only {@code serve} and {@code demo} may touch the engine: every other command starts in a
 * fraction of a second because it loads neither Vert.x nor RocksDB nor a logger.
 */
@NullMarked
package dev.reprise.cli;

import org.jspecify.annotations.NullMarked;
