/** Processes that belong to another one. */
@NullMarked
package dev.reprise.common.process;

import org.jspecify.annotations.NullMarked;
