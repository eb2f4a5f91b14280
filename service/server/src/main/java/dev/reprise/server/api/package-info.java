/**
 * The HTTP API of a running service.
 *
 * <p>It stands on Vert.x' own server, without Vert.x-web: a table of routes is 160 lines, and the
 * intake of bodies by a budget of bytes for all clients, the watch over idle connections and the
 * answers without a body object would have to be ours beside that router as well.
 */
@NullMarked
package dev.reprise.server.api;

import org.jspecify.annotations.NullMarked;
