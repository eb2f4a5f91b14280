/** The log of the service: its form, and a line for each attempt. */
@NullMarked
package dev.reprise.server.log;

import org.jspecify.annotations.NullMarked;
