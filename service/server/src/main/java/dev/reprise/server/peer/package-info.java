/** Requests between the nodes of a cluster. */
@NullMarked
package dev.reprise.server.peer;

import org.jspecify.annotations.NullMarked;
