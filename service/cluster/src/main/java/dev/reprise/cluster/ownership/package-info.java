/** Shards at work on this node: take-over, work, giving back, and shards that stand. */
@NullMarked
package dev.reprise.cluster.ownership;

import org.jspecify.annotations.NullMarked;
