/**
 * The topics, the log of each shard that only its owner can append to, and the copies that others
 * make of it.
 */
@NullMarked
package dev.reprise.cluster.log;

import org.jspecify.annotations.NullMarked;
