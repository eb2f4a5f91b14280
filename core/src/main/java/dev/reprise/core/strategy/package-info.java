/**
 * Strategies, and the decision what follows a failed attempt. Nothing here sleeps, sends or owns a
 * thread.
 */
@NullMarked
package dev.reprise.core.strategy;

import org.jspecify.annotations.NullMarked;
