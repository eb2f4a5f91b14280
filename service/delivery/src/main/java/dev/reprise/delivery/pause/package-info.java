/** The pauses of loops that look, or try, again and again. */
@NullMarked
package dev.reprise.delivery.pause;

import org.jspecify.annotations.NullMarked;
