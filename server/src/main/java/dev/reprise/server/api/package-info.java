/** The HTTP API: what can be asked of a running service, and how it answers. */
@NullMarked
package dev.reprise.server.api;

import org.jspecify.annotations.NullMarked;
