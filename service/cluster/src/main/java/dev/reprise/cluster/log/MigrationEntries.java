package dev.reprise.cluster.log;

import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Predicate;

/**
 * The entries of a data folder that go into one partition, in the order of its keys. Not safe for
 * use by several threads.
 */
public final class MigrationEntries implements AutoCloseable {
  private static final int VIEW_OF_FIRST_SHARD = 1;

  /** Behind every key: none is as long. */
  private static final byte[] END = new byte[1024];

  static {
    Arrays.fill(END, (byte) 0xff);
  }

  private final Deque<Store.Cursor> cursors = new ArrayDeque<>();
  private final Predicate<byte[]> isPassedOver;
  private long count;
  private long bytes;
  private byte[] key = {};
  private byte[] value = {};

  private MigrationEntries(Predicate<byte[]> isPassedOver) {
    this.isPassedOver = isPassedOver;
  }

  /** The records of a shard. */
  public static MigrationEntries ofShard(RocksStore store, int shard) {
    MigrationEntries entries = new MigrationEntries(key -> false);
    entries.cursors.add(store.view(VIEW_OF_FIRST_SHARD + shard).range(new byte[] {}, END));
    return entries;
  }

  /**
   * The records that belong to no shard. A folder has the number of each view before its keys, in
   * the form in which the log of the catalog has them.
   */
  public static MigrationEntries ofAllElse(RocksStore store, int shards) {
    MigrationEntries entries = new MigrationEntries(key -> false);
    entries.cursors.add(store.range(viewKey(0), viewKey(VIEW_OF_FIRST_SHARD)));
    entries.cursors.add(store.range(viewKey(VIEW_OF_FIRST_SHARD + shards), END));
    return entries;
  }

  /**
   * The records of the copy of a log.
   *
   * @param isPassedOver by their keys, which of them are left out
   */
  public static MigrationEntries ofCopy(LogCopy copy, Predicate<byte[]> isPassedOver) {
    MigrationEntries entries = new MigrationEntries(isPassedOver);
    entries.cursors.addAll(copy.entries());
    return entries;
  }

  private static byte[] viewKey(int number) {
    return new byte[] {(byte) (number >>> 8), (byte) number};
  }

  /** Goes to the next record; false at the end. */
  public boolean next() {
    while (!cursors.isEmpty()) {
      Store.Cursor cursor = cursors.getFirst();
      if (!cursor.next()) {
        cursors.removeFirst().close();
      } else if (!isPassedOver.test(cursor.key())) {
        key = cursor.key();
        value = cursor.value();
        count++;
        bytes += key.length + value.length;
        return true;
      }
    }
    return false;
  }

  public byte[] key() {
    return key;
  }

  public byte[] value() {
    return value;
  }

  /** Returns how many records were come by. */
  public long count() {
    return count;
  }

  /** Returns the bytes of their keys and values. */
  public long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    cursors.forEach(Store.Cursor::close);
    cursors.clear();
  }
}
