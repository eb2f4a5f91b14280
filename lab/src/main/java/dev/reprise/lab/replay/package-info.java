/** Replays recorded failures under other policies. */
@NullMarked
package dev.reprise.lab.replay;

import org.jspecify.annotations.NullMarked;
