/** The engine: the one door through which everything else uses delivery. */
@NullMarked
package dev.reprise.delivery.engine;

import org.jspecify.annotations.NullMarked;
