/** Runs of the lab that clients ask for. */
@NullMarked
package dev.reprise.server.labs;

import org.jspecify.annotations.NullMarked;
