package dev.reprise.delivery.host;

import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.OpenFiles;

/**
 * The memory that an engine may use at the same time, shared out so that neither a backlog, nor
 * large messages, nor endpoints that hang can take more memory or descriptors than the process has.
 * Everything is a share of the heap and of the descriptors, divided by the number of shards.
 *
 * @param queuedBytes what publishes may hold that wait to be made durable, in all shards together
 * @param maxInFlight as in {@link ShardSettings}, for each shard
 * @param inFlightBytes likewise
 * @param readAheadBytes likewise
 * @param batchBytes likewise
 */
public record MemoryPlan(
    long queuedBytes, int maxInFlight, long inFlightBytes, long readAheadBytes, long batchBytes) {
  private static final long MIB = 1L << 20;

  /** So many shards have the least of everything whole; more have less each. */
  private static final int WHOLE_LEAST = 64;

  /** The memory of an attempt beside its payload: connection, request, codecs. */
  private static final long BYTES_OF_AN_ATTEMPT = 64 << 10;

  /**
   * The plan for a process.
   *
   * @param heapBytes the most that the heap may grow to
   * @param descriptors the most files and connections that the process may have open
   * @param shards the number of shards, from 1
   */
  static MemoryPlan of(long heapBytes, long descriptors, int shards) {
    // A payload under way is there about four times: as stored, in its envelope, and on its way
    // through the buffers of the client. So this is an eighth of the heap.
    long payloads = heapBytes / 32 / shards;
    // Slow and hanging endpoints have as many places besides, hence a quarter of a quarter twice.
    long attempts = Math.min(heapBytes / 4 / BYTES_OF_AN_ATTEMPT, descriptors / 4) / shards;
    return new MemoryPlan(
        Math.min(64 * MIB, Math.max(MIB, heapBytes / 16)),
        (int) Math.max(least(16, shards), attempts),
        Math.max(least(MIB / 2, shards), payloads),
        Math.max(least(MIB / 4, shards), payloads),
        Math.max(least(MIB, shards), payloads));
  }

  private static long least(long whole, int shards) {
    return shards <= WHOLE_LEAST ? whole : Math.max(1, whole * WHOLE_LEAST / shards);
  }

  /** The plan for this process. */
  public static MemoryPlan ofThisProcess(int shards) {
    return of(Runtime.getRuntime().maxMemory(), OpenFiles.limit(), shards);
  }

  /** The same settings, with no bound larger than this plan's. */
  public ShardSettings bounded(ShardSettings settings) {
    return settings.withMemory(
        Math.min(settings.maxInFlight(), maxInFlight),
        Math.min(settings.maxInFlightBytes(), inFlightBytes),
        Math.min(settings.readAheadBytes(), readAheadBytes),
        Math.min(settings.maxBatchBytes(), batchBytes));
  }
}
