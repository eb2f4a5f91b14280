/**
 * Hosts of shards: an open data folder, and the threads of this process on which shards run over
 * RocksDB. Another host runs them elsewhere, as that of a cluster does.
 */
@NullMarked
package dev.reprise.delivery.host;

import org.jspecify.annotations.NullMarked;
