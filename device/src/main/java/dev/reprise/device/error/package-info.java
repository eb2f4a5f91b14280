/** Errors, in words that are the same for every protocol. */
@NullMarked
package dev.reprise.device.error;

import org.jspecify.annotations.NullMarked;
