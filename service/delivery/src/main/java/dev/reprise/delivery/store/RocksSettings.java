package dev.reprise.delivery.store;

import dev.reprise.core.InvalidSettingException;

/**
 * The memory and disk that a {@link RocksStore} may use.
 *
 * @param memoryBytes native memory for blocks, indexes, filters and memtables together; at least 8
 *     MiB. The process needs about 30 MB of native memory besides
 * @param memtableBytes the part of it that holds writes which are not in a table file yet; at least
 *     1 MiB and at most half of {@code memoryBytes}
 * @param maxWalBytes how large the write-ahead logs in use may become before their writes are moved
 *     to table files; at least 1 MiB. Sets how long it takes to open the store after a crash: about
 *     0.4 s for each 64 MiB
 * @param reserveBytes free disk space that only {@link RocksStore#hasSpaceFor} guards: a caller
 *     that asks it before accepting work leaves this much for finishing work. At least 0
 * @param maxBytes the disk that the store may take before {@link RocksStore#hasSpaceFor} says no; 0
 *     for no bound. Finishing work may take it beyond
 * @param synced whether a write waits until it is on the disk. Without it the store is as good as a
 *     log elsewhere that it is filled from again: a crash of the machine may take its last writes
 */
public record RocksSettings(
    long memoryBytes,
    long memtableBytes,
    long maxWalBytes,
    long reserveBytes,
    long maxBytes,
    boolean synced) {
  private static final long MIB = 1L << 20;

  /** Checks the ranges. */
  public RocksSettings {
    atLeast("memoryBytes", memoryBytes, 8 * MIB);
    atLeast("memtableBytes", memtableBytes, MIB);
    atLeast("maxWalBytes", maxWalBytes, MIB);
    atLeast("reserveBytes", reserveBytes, 0);
    atLeast("maxBytes", maxBytes, 0);
    if (memtableBytes > memoryBytes / 2) {
      throw new InvalidSettingException(
          "memtableBytes", memtableBytes, "must be <= half of memoryBytes " + memoryBytes);
    }
  }

  /** Settings without a bound of the disk that the store takes. */
  public RocksSettings(long memoryBytes, long memtableBytes, long maxWalBytes, long reserveBytes) {
    this(memoryBytes, memtableBytes, maxWalBytes, reserveBytes, 0, true);
  }

  /** 160 MiB of memory, 64 MiB of it for writes, 64 MiB of log, 256 MiB of disk in reserve. */
  public static RocksSettings defaults() {
    return new RocksSettings(160 * MIB, 64 * MIB, 64 * MIB, 256 * MIB);
  }

  /** These settings with another reserve. */
  public RocksSettings withReserveBytes(long reserveBytes) {
    return new RocksSettings(
        memoryBytes, memtableBytes, maxWalBytes, reserveBytes, maxBytes, synced);
  }

  /** These settings with another bound of the disk that the store takes; 0 for none. */
  public RocksSettings withMaxBytes(long maxBytes) {
    return new RocksSettings(
        memoryBytes, memtableBytes, maxWalBytes, reserveBytes, maxBytes, synced);
  }

  /** These settings for a copy of a log, which need not be synced. */
  public RocksSettings withoutSync() {
    return new RocksSettings(
        memoryBytes, memtableBytes, maxWalBytes, reserveBytes, maxBytes, false);
  }

  private static void atLeast(String name, long value, long lowest) {
    if (value < lowest) {
      throw new IllegalArgumentException(name + " is " + value + ": must be >= " + lowest);
    }
  }
}
