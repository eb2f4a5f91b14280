package dev.reprise.delivery.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;

/**
 * RocksDB's options for a queue: small values that are written, and deleted soon after.
 *
 * <p>Figures in here: 5 million deliveries of 600 B over 2,000 subscriptions on a machine with two
 * cores, {@code -Xmx512m}, default settings. Loaded in 78 to 101 s in synced batches of 40; 452 MB
 * resident while loading, heap included, 113 to 143 MB after a restart that has read from every
 * subscription; 3.1 GB on disk; 0.2 to 0.3 s to open after a kill.
 */
final class RocksTuning implements AutoCloseable {
  /** 5 million deliveries are about 110 tables. */
  private static final int MAX_OPEN_TABLES = 512;

  /** RocksDB itself takes no fewer. */
  private static final int MIN_OPEN_TABLES = 20;

  /** Of the files that the process may have open: connections and the program need the rest. */
  private static final int SHARE_OF_DESCRIPTORS = 4;

  private static final long MIB = 1L << 20;

  /**
   * The first bytes of a key: the view, and what a shard's keys of deliveries begin with, kind and
   * subscription. Keys with the same beginning mostly come in ascending order, each behind the one
   * before, and a memtable that remembers where that was need not search: writing a turn takes a
   * third less of the processor. The price is about 280 bytes for each beginning in a memtable.
   */
  private static final int HINT_BYTES = 2 + 1 + 8;

  private final Deque<AutoCloseable> natives = new ArrayDeque<>();
  private final Options options;

  RocksTuning(RocksSettings settings) {
    Cache cache = own(new LRUCache(settings.memoryBytes(), 4, false, 0.5));
    options =
        own(new Options(own(new DBOptions()), own(columnFamily())))
            .setCreateIfMissing(true)
            .setParanoidChecks(true)
            // Charged to the cache: one bound for blocks, indexes, filters and memtables together.
            .setWriteBufferManager(
                own(new WriteBufferManager(settings.memtableBytes(), cache, false)))
            .setWriteBufferSize(settings.memtableBytes() / 2)
            .setMaxWriteBufferNumber(4)
            // What is in the logs is read again at each start.
            .setMaxTotalWalSize(settings.maxWalBytes())
            // A sync of a file that grows also commits the file system's journal. On ext4, 4 KiB:
            // 840 syncs a second of a growing file, 2,950 of one that is overwritten.
            .setRecycleLogFileNum(2)
            // The one mode that goes with recycled logs, whose old ends look like damage. It drops
            // all that follows a damaged record; SyncedMark tells when that is more than half a
            // record.
            .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setLevelCompactionDynamicLevelBytes(true)
            // Little of a memtable is left when it is written; a few of those are not worth
            // writing the whole next level again. With a backlog each is as large as a memtable,
            // and more than eight of them would need more room than the reserve has.
            .setLevel0FileNumCompactionTrigger(8)
            .setTargetFileSizeBase(32 * MIB)
            .setMaxBytesForLevelBase(128 * MIB)
            // One flush and two compactions; more would take both cores from the deliveries.
            .setMaxBackgroundJobs(3)
            .setBytesPerSync(MIB)
            // RocksDB takes it for granted that it may have so many.
            .setMaxOpenFiles(maxOpenTables())
            .setSkipStatsUpdateOnDbOpen(true)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setMaxLogFileSize(4 * MIB)
            .setKeepLogFileNum(3)
            .setMaxManifestFileSize(8 * MIB)
            // A start on a full disk needs a new one; the default takes 4 MiB at once.
            .setManifestPreallocationSize(64 << 10)
            .setStatsDumpPeriodSec(0)
            .setStatsPersistPeriodSec(0)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setBlockSize(8 << 10)
                    .setFormatVersion(5)
                    .setFilterPolicy(own(new BloomFilter(10)))
                    // In parts that the cache can drop: whole indexes grow with the backlog.
                    .setIndexType(IndexType.kTwoLevelIndexSearch)
                    .setPartitionFilters(true)
                    .setMetadataBlockSize(4 << 10)
                    .setCacheIndexAndFilterBlocks(true)
                    .setCacheIndexAndFilterBlocksWithHighPriority(true)
                    .setPinTopLevelIndexAndFilter(true));
    // A table with 8,192 deletions among 16,384 entries is compacted soon: a scan that has no low
    // bound yet, the first after a restart, walks over every one of them.
    options.setTablePropertiesCollectorFactory(
        List.of(
            own(
                TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
                    16_384, 8_192, 0.5))));
  }

  /** Returns how many tables stay open; others are opened again when they are read. */
  static int maxOpenTables() {
    long share = OpenFiles.limit() / SHARE_OF_DESCRIPTORS;
    return (int) Math.max(MIN_OPEN_TABLES, Math.min(MAX_OPEN_TABLES, share));
  }

  /** An option that Java knows by its name only. */
  private static ColumnFamilyOptions columnFamily() {
    Properties named = new Properties();
    named.setProperty("memtable_insert_with_hint_prefix_extractor", "fixed:" + HINT_BYTES);
    return Objects.requireNonNull(
        ColumnFamilyOptions.getColumnFamilyOptionsFromProps(named), "unknown option " + named);
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
