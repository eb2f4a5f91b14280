/**
 * The embedded host: runs shards on threads of this process over RocksDB, sends their attempts, and
 * is the one door through which everything else uses delivery.
 */
@NullMarked
package dev.reprise.delivery.engine;

import org.jspecify.annotations.NullMarked;
