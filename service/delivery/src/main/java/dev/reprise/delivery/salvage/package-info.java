/**
 * Reads a damaged store without RocksDB, which gives nothing of a table behind a damaged block: its
 * list of files, its tables and its logs, in the formats that RocksDB documents in its wiki
 * (MANIFEST, Rocksdb BlockBasedTable Format, Write Ahead Log File Format). Nothing is written.
 */
@NullMarked
package dev.reprise.delivery.salvage;

import org.jspecify.annotations.NullMarked;
