package dev.reprise.delivery.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;

/** RocksDB's options for a queue: small values that are written, and deleted soon after. */
final class RocksTuning implements AutoCloseable {
  private static final long MIB = 1L << 20;

  private final Deque<AutoCloseable> natives = new ArrayDeque<>();
  private final Options options;

  RocksTuning(RocksSettings settings) {
    Cache cache = own(new LRUCache(settings.memoryBytes(), 4, false, 0.5));
    options =
        own(new Options())
            .setCreateIfMissing(true)
            .setParanoidChecks(true)
            .setWriteBufferManager(
                own(new WriteBufferManager(settings.memtableBytes(), cache, false)))
            .setWriteBufferSize(settings.memtableBytes() / 2)
            .setMaxWriteBufferNumber(4)
            .setMaxTotalWalSize(settings.maxWalBytes())
            .setRecycleLogFileNum(2)
            .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setLevelCompactionDynamicLevelBytes(true)
            .setTargetFileSizeBase(32 * MIB)
            .setMaxBytesForLevelBase(128 * MIB)
            .setMaxBackgroundJobs(3)
            .setBytesPerSync(MIB)
            .setMaxOpenFiles(512)
            .setSkipStatsUpdateOnDbOpen(true)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setMaxLogFileSize(4 * MIB)
            .setKeepLogFileNum(3)
            .setMaxManifestFileSize(8 * MIB)
            .setStatsDumpPeriodSec(0)
            .setStatsPersistPeriodSec(0)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setBlockSize(8 << 10)
                    .setFormatVersion(5)
                    .setFilterPolicy(own(new BloomFilter(10)))
                    .setIndexType(IndexType.kTwoLevelIndexSearch)
                    .setPartitionFilters(true)
                    .setMetadataBlockSize(4 << 10)
                    .setCacheIndexAndFilterBlocks(true)
                    .setCacheIndexAndFilterBlocksWithHighPriority(true)
                    .setPinTopLevelIndexAndFilter(true));
    options.setTablePropertiesCollectorFactory(
        List.of(
            own(
                TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
                    16_384, 8_192, 0.5))));
  }

  Options options() {
    return options;
  }

  private <T extends AutoCloseable> T own(T nativeObject) {
    natives.push(nativeObject);
    return nativeObject;
  }

  @Override
  public void close() {
    while (!natives.isEmpty()) {
      try {
        natives.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("a native object refused to close", e);
      }
    }
  }
}
