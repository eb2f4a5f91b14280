/** The group of nodes: who owns and who follows which shard, and what members tell each other. */
@NullMarked
package dev.reprise.cluster.group;

import org.jspecify.annotations.NullMarked;
