/** The group of nodes: which own and follow which shard, and what members send each other. */
@NullMarked
package dev.reprise.cluster.group;

import org.jspecify.annotations.NullMarked;
