/** Messages on their way to a shard: how they are published, gathered, read and lost. */
@NullMarked
package dev.reprise.cluster.intake;

import org.jspecify.annotations.NullMarked;
