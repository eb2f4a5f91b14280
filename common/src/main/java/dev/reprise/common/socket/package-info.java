/** Connects to hosts. */
@NullMarked
package dev.reprise.common.socket;

import org.jspecify.annotations.NullMarked;
