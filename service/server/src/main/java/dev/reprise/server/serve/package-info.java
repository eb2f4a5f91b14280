/** Starts and stops the whole: store, engine, endpoints and API. */
@NullMarked
package dev.reprise.server.serve;

import org.jspecify.annotations.NullMarked;
