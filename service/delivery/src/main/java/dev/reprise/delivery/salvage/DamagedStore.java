package dev.reprise.delivery.salvage;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * All that can be read of a store whose files are damaged, each record in its newest version. The
 * files are only read. Not safe for use by several threads.
 */
public final class DamagedStore {
  private static final int BATCH_BYTES = 4 << 20;
  private static final int BATCH_ENTRIES = 10_000;
  private static final byte[] END = {-1, -1, -1, -1, -1};

  private final Path folder;
  private final List<Damage> damages = new ArrayList<>();
  private final List<LostWrites> lostWrites = new ArrayList<>();

  /** Parts of tables of which no key is before the present one; those behind it have gone. */
  private final List<Damage> near = new ArrayList<>();

  private long records;

  /**
   * Writes that were in a log and cannot be read; their keys are not known.
   *
   * @param where the log, and where in it
   * @param first the number of the first of them; each operation has one
   * @param last the number of the last
   */
  public record LostWrites(String where, long first, long last) {
    /** Returns how many there are. */
    public long count() {
      return last - first + 1;
    }
  }

  /** Where a newer version of a record, or its deletion, may be that cannot be read. */
  public enum Doubt {
    /** Nowhere: the record is as it was last. */
    NONE,
    /** Among the writes of a log that are lost, whose keys are not known. */
    LOST_WRITES,
    /** In a damaged block of a table that has such keys. */
    DAMAGED_BLOCK
  }

  /** Is given the records in the order of their keys. */
  public interface Receiver {
    /**
     * A record.
     *
     * @param key with the two bytes of its view
     * @param doubt whether there may be a newer version of it, or its deletion
     */
    void record(byte[] key, byte[] value, Doubt doubt);
  }

  /** The store in a folder that no process has open. */
  public DamagedStore(Path folder) {
    this.folder = folder;
  }

  /**
   * Reads everything.
   *
   * @param logs an empty store for what the logs hold, which need not fit into memory
   * @throws dev.reprise.delivery.store.StoreException if the list of files is damaged
   */
  public void read(Store logs, Receiver receiver) throws IOException {
    long[] mark = mark();
    FileList files = FileList.read(folder, mark[1], mark[2]);
    long last = readLogs(files, logs);
    if (mark[0] > last) {
      lostWrites.add(new LostWrites("the end of the newest log", last + 1, mark[0]));
    }
    merge(files, logs, receiver);
  }

  /** The number of the last acknowledged write, the manifest's number and its length. */
  private long[] mark() {
    long[] mark = new long[3];
    try {
      ByteBuffer stored = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("reprise.synced")));
      for (int i = 0; i < mark.length && stored.remaining() >= Long.BYTES; i++) {
        mark[i] = stored.getLong();
      }
    } catch (NoSuchFileException e) {
      // An old store has none; then nothing is known.
    } catch (IOException e) {
      damages.add(
          new Damage("reprise.synced", 0, 0, END, END, 0, "the mark of the last write is lost"));
    }
    return mark;
  }

  // --- logs --------------------------------------------------------------------------------

  /** Keeps the newest write of each key; returns the number of the last write. */
  private long readLogs(FileList files, Store logs) throws IOException {
    LogWrites writes = new LogWrites(files.lastSequence(), logs);
    for (FileList.Log log : files.logs()) {
      writes.begin(log.name());
      try {
        LogRecords.read(log.file(), log.number(), writes);
      } catch (IOException e) {
        damages.add(new Damage(log.name(), 0, 0, END, END, 0, "the log cannot be read: " + e));
      }
    }
    writes.flush();
    return writes.last;
  }

  private final class LogWrites implements LogRecords.Receiver {
    private final Store store;
    private Batch batch = new Batch();
    private String file = "";
    private String where = "";
    private long last;

    LogWrites(long inTables, Store store) {
      this.last = inTables;
      this.store = store;
    }

    void begin(String newFile) {
      file = newFile;
      where = "before " + newFile;
    }

    @Override
    public void record(long offset, byte[] record) {
      ByteReader in = new ByteReader(record);
      long sequence = in.littleEndian(8);
      long count = in.littleEndian(4);
      if (sequence > last + 1) {
        lostWrites.add(new LostWrites(where, last + 1, sequence - 1));
      }
      where = file + " behind " + offset;
      try {
        for (long i = 0; i < count; ) {
          SalvageEntry entry = SalvageEntry.ofBatch(in, sequence + i);
          if (entry != null) {
            put(entry);
            i++;
          }
        }
      } catch (RuntimeException e) {
        damages.add(
            new Damage(file, offset, record.length, END, END, 0, "a batch is not whole: " + e));
      }
      last = Math.max(last, sequence + count - 1);
    }

    @Override
    public void damaged(long from, long to) {
      damages.add(new Damage(file, from, to - from, END, END, 0, "a part of the log is damaged"));
      where = file + " from " + from + " to " + to;
    }

    private void put(SalvageEntry entry) {
      byte[] value = entry.value();
      ByteBuffer stored = ByteBuffer.allocate(9 + (value == null ? 0 : value.length));
      stored.putLong(entry.sequence()).put((byte) (value == null ? 0 : 1));
      if (value != null) {
        stored.put(value);
      }
      batch.put(entry.key(), stored.array());
      if (batch.bytes() > BATCH_BYTES || batch.size() > BATCH_ENTRIES) {
        flush();
      }
    }

    void flush() {
      store.write(batch);
      batch = new Batch();
    }
  }

  // --- all together ------------------------------------------------------------------------

  /** Somewhere that versions of records come from, in the order of their keys. */
  private interface Source {
    /** The key that comes next, or one before it. */
    byte[] key();

    /** The next version; null if that is not known before {@link #advance}. */
    @Nullable SalvageEntry entry();

    /** Returns false at the end. */
    boolean advance();

    void close();
  }

  private void merge(FileList files, Store logs, Receiver receiver) {
    PriorityQueue<Source> sources =
        new PriorityQueue<>(Comparator.comparing(Source::key, Arrays::compareUnsigned));
    files.tables().forEach(table -> sources.add(new TableSource(table)));
    try {
      LogSource log = new LogSource(logs.range(new byte[] {}, END));
      if (log.advance()) {
        sources.add(log);
      } else {
        log.close();
      }
      SalvageEntry newest = null;
      while (!sources.isEmpty()) {
        Source source = sources.remove();
        SalvageEntry entry = source.entry();
        if (entry != null) {
          if (newest != null && !Arrays.equals(newest.key(), entry.key())) {
            emit(newest, receiver);
            newest = null;
          }
          if (newest == null || entry.sequence() > newest.sequence()) {
            newest = entry;
          }
        }
        if (source.advance()) {
          sources.add(source);
        } else {
          source.close();
        }
      }
      if (newest != null) {
        emit(newest, receiver);
      }
    } finally {
      sources.forEach(Source::close);
    }
  }

  private void emit(SalvageEntry newest, Receiver receiver) {
    byte[] value = newest.value();
    if (value == null) {
      return;
    }
    records++;
    near.removeIf(damage -> Arrays.compareUnsigned(damage.to(), newest.key()) < 0);
    receiver.record(newest.key(), value, doubt(newest));
  }

  private Doubt doubt(SalvageEntry newest) {
    if (near.stream().anyMatch(damage -> damage.mayHide(newest.key(), newest.sequence()))) {
      return Doubt.DAMAGED_BLOCK;
    }
    return lostWrites.stream().anyMatch(lost -> lost.last() > newest.sequence())
        ? Doubt.LOST_WRITES
        : Doubt.NONE;
  }

  private void damaged(Damage damage) {
    near.add(damage);
    for (int i = damages.size() - 1; i >= 0 && i >= damages.size() - 4; i--) {
      if (damages.get(i).isBefore(damage)) {
        damages.set(i, damages.get(i).plus(damage));
        return;
      }
    }
    damages.add(damage);
  }

  /** Opened when its first key comes, so that only tables which overlap are open. */
  private final class TableSource implements Source {
    private final FileList.Table table;
    private @Nullable TableCursor cursor;
    private @Nullable SalvageEntry entry;

    TableSource(FileList.Table table) {
      this.table = table;
    }

    @Override
    public byte[] key() {
      SalvageEntry next = entry;
      return next == null ? table.from() : next.key();
    }

    @Override
    public @Nullable SalvageEntry entry() {
      return entry;
    }

    @Override
    public boolean advance() {
      TableCursor open = cursor;
      if (open == null) {
        open = TableCursor.open(table, DamagedStore.this::damaged);
        cursor = open;
      }
      entry = open.next();
      return entry != null;
    }

    @Override
    public void close() {
      if (cursor != null) {
        cursor.close();
      }
    }
  }

  private static final class LogSource implements Source {
    private final Store.Cursor cursor;
    private byte[] key = {};
    private @Nullable SalvageEntry entry;

    LogSource(Store.Cursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public byte[] key() {
      return key;
    }

    @Override
    public @Nullable SalvageEntry entry() {
      return entry;
    }

    @Override
    public boolean advance() {
      if (!cursor.next()) {
        return false;
      }
      key = cursor.key();
      ByteBuffer stored = ByteBuffer.wrap(cursor.value());
      long sequence = stored.getLong();
      byte[] value = null;
      if (stored.get() != 0) {
        value = new byte[stored.remaining()];
        stored.get(value);
      }
      entry = new SalvageEntry(key, sequence, value);
      return true;
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  // --- the result --------------------------------------------------------------------------

  /** Returns the parts of files that cannot be read; known once all was read. */
  public List<Damage> damages() {
    return List.copyOf(damages);
  }

  /** Returns the writes of logs that are lost; known once all was read. */
  public List<LostWrites> lostWrites() {
    return List.copyOf(lostWrites);
  }

  /** Returns how many records there are. */
  public long records() {
    return records;
  }

  /** Returns whether a record that is not there may have been in a damaged block or log. */
  public boolean mayHaveHeld(byte[] key) {
    return !lostWrites.isEmpty() || damages.stream().anyMatch(damage -> damage.covers(key));
  }

  /** Returns whether a key that begins with {@code prefix} may have been in a damaged block. */
  public boolean hasDamagedBlockOf(byte[] prefix) {
    return damages.stream()
        .anyMatch(
            damage ->
                Arrays.compareUnsigned(damage.to(), prefix) >= 0
                    && Arrays.compareUnsigned(
                            Arrays.copyOf(
                                damage.from(), Math.min(damage.from().length, prefix.length)),
                            prefix)
                        <= 0);
  }
}
