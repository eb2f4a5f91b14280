package dev.reprise.server.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The changes that were made through the API, numbered in their order. Bounded by age and number:
 * the oldest go first. Safe for use by many threads.
 */
public final class AuditLog {
  private static final byte RECORD = 'R';
  private static final byte[] NEXT = "N".getBytes(US_ASCII);

  /** The most old records that one new record deletes, so that no change waits for many. */
  private static final int MAX_DELETED = 100;

  private final Store store;
  private final long retentionMillis;
  private final int maxRecords;
  private long first;
  private long next;

  /**
   * The records in {@code store}.
   *
   * @param retention how long a record is kept
   * @param maxRecords the most records
   */
  AuditLog(Store store, Duration retention, int maxRecords) {
    this.store = store;
    this.retentionMillis = retention.toMillis();
    this.maxRecords = maxRecords;
    read();
  }

  private void read() {
    byte[] stored = store.get(NEXT);
    next = stored == null ? 1 : ByteBuffer.wrap(stored).getLong();
    first = next;
    try (Store.Cursor cursor = store.range(key(1), key(next))) {
      if (cursor.next()) {
        first = ByteBuffer.wrap(cursor.key()).getLong(1);
      }
    }
  }

  /** Another process has added records. */
  synchronized void refresh() {
    read();
  }

  /** Adds a record. It is durable when this returns. */
  public synchronized void add(AuditRecord record) {
    Batch batch = new Batch();
    batch.put(key(next), record.write());
    batch.put(NEXT, ByteBuffer.allocate(8).putLong(next + 1).array());
    long kept = firstKept(record.atMillis());
    for (long number = first; number < kept; number++) {
      batch.delete(key(number));
    }
    store.write(batch);
    next++;
    first = kept;
  }

  /** The first number that stays when another record is added. */
  private long firstKept(long nowMillis) {
    long tooOld = nowMillis - retentionMillis;
    long end = Math.min(next, first + MAX_DELETED);
    long number = first;
    try (Store.Cursor cursor = store.range(key(first), key(end))) {
      while (cursor.next()) {
        boolean stays =
            next - number < maxRecords && AuditRecord.read(cursor.value()).atMillis() >= tooOld;
        if (stays) {
          return number;
        }
        number++;
      }
    }
    return number;
  }

  /**
   * Walks from the newest record to older ones.
   *
   * @param before the number that comes before the first one wanted; null for the newest
   * @param visitor is given number and record, and returns false to end the walk with that one
   */
  public void walk(@Nullable Long before, BiPredicate<Long, AuditRecord> visitor) {
    long from;
    long end;
    synchronized (this) {
      from = first;
      end = before == null ? next : Math.min(before, next);
    }
    if (end <= from) {
      return;
    }
    try (Store.Cursor cursor = store.reverseRange(key(from), key(end))) {
      while (cursor.next()) {
        long number = ByteBuffer.wrap(cursor.key()).getLong(1);
        if (!visitor.test(number, AuditRecord.read(cursor.value()))) {
          return;
        }
      }
    }
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(9).put(RECORD).putLong(number).array();
  }
}
