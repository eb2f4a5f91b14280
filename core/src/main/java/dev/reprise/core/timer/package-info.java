/** One timer for everything that waits: a million timeouts, one daemon thread. */
@NullMarked
package dev.reprise.core.timer;

import org.jspecify.annotations.NullMarked;
