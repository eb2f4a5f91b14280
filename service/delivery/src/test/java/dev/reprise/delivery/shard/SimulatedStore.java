package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An ordered store in memory that a simulation can crash. What was written and not answered is
 * gone, or is there without anybody knowing: see {@link #crashAtNextWrite}. Counts what cursors
 * cost, deleted entries included, because a log-structured store pays for those too. Not safe for
 * use by several threads.
 */
final class SimulatedStore implements Store {
  /** Where in a write the process dies. */
  enum Crash {
    /** Nothing of the batch survives. */
    BEFORE,
    /** The whole batch survives, and nobody was told. */
    AFTER
  }

  /** The process has died in a write. */
  static final class CrashedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** What the last batch made of one key; null means absent. */
  record Change(byte[] key, byte @Nullable [] before, byte @Nullable [] after) {}

  private NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
  private final TreeSet<byte[]> once = new TreeSet<>(Arrays::compareUnsigned);
  private final @Nullable TreeSet<byte[]> tombstones;
  private @Nullable Crash crash;
  private List<Change> lastChanges = List.of();
  private int openCursors;
  private int writes;
  private long entriesRead;
  private long tombstonesPassed;

  SimulatedStore() {
    this(false);
  }

  /** With {@code countTombstones}, remembers every deleted key for ever. */
  SimulatedStore(boolean countTombstones) {
    tombstones = countTombstones ? new TreeSet<>(Arrays::compareUnsigned) : null;
  }

  /** Takes back a batch, the last one that is left, as if it had never been written. */
  void undo(List<Change> changes) {
    for (Change change : changes) {
      once.remove(change.key());
      if (change.before() == null) {
        entries.remove(change.key());
      } else {
        entries.put(change.key(), change.before());
        if (Shard.isShortLived(change.key())) {
          once.add(change.key());
        }
      }
    }
  }

  /** The next write dies. */
  void crashAtNextWrite(Crash crash) {
    this.crash = crash;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return entries.get(key);
  }

  @Override
  public void write(Batch batch) {
    Crash now = crash;
    crash = null;
    if (now == Crash.BEFORE) {
      throw new CrashedException();
    }
    if (openCursors > 0) {
      // Open cursors go on over what they were opened on.
      NavigableMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
      copy.putAll(entries);
      entries = copy;
    }
    Map<byte[], byte @Nullable []> before = new TreeMap<>(Arrays::compareUnsigned);
    batch.forEach(
        new Batch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            requireKind(key, once.contains(key), "put although putOnce has set it");
            set(key, value);
          }

          @Override
          public void delete(byte[] key) {
            requireKind(key, once.contains(key), "deleted although putOnce has set it");
            unset(key);
          }

          @Override
          public void putOnce(byte[] key, byte[] value) {
            requireKind(key, entries.containsKey(key), "put once although it is there");
            once.add(key);
            set(key, value);
          }

          @Override
          public void deleteOnce(byte[] key) {
            boolean lasting = entries.containsKey(key) && !once.remove(key);
            requireKind(key, lasting, "deleted once although put has set it");
            unset(key);
          }

          /** RocksDB would not complain; the first value would come back some day. */
          private void requireKind(byte[] key, boolean wrong, String what) {
            if (wrong) {
              throw new AssertionError("key " + TurnCheck.hex(key) + " is " + what);
            }
          }

          private void set(byte[] key, byte[] value) {
            remember(key, entries.put(key, value));
            if (tombstones != null) {
              tombstones.remove(key);
            }
          }

          private void unset(byte[] key) {
            remember(key, entries.remove(key));
            if (tombstones != null) {
              tombstones.add(key);
            }
          }

          private void remember(byte[] key, byte @Nullable [] old) {
            if (!before.containsKey(key)) {
              before.put(key, old);
            }
          }
        });
    lastChanges = new ArrayList<>(before.size());
    before.forEach(
        (key, old) -> {
          byte[] after = entries.get(key);
          if (old != null || after != null) {
            lastChanges.add(new Change(key, old, after));
          }
        });
    writes++;
    if (now == Crash.AFTER) {
      throw new CrashedException();
    }
  }

  /** Overwrites a value with what no program can read. */
  void damage(byte[] key) {
    entries.put(key, new byte[] {99, 1, 2, 3});
  }

  /** The net effect of the last batch that was applied, by key. */
  List<Change> lastChanges() {
    return lastChanges;
  }

  int openCursors() {
    return openCursors;
  }

  int writes() {
    return writes;
  }

  int size() {
    return entries.size();
  }

  /** Entries that cursors have stood on. */
  long entriesRead() {
    return entriesRead;
  }

  /** Deleted entries that cursors had to step over. */
  long tombstonesPassed() {
    return tombstonesPassed;
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return new MapCursor(from, to, false);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return new MapCursor(from, to, true);
  }

  @Override
  public void close() {}

  private final class MapCursor implements Cursor {
    private final Iterator<Map.Entry<byte[], byte[]>> iterator;
    private final byte[] to;
    private final boolean reverse;
    private byte[] place;
    private Map.@Nullable Entry<byte[], byte[]> entry;
    private boolean closed;

    MapCursor(byte[] from, byte[] to, boolean reverse) {
      NavigableMap<byte[], byte[]> range =
          Arrays.compareUnsigned(from, to) >= 0
              ? new TreeMap<>(Arrays::compareUnsigned)
              : entries.subMap(from, true, to, false);
      this.iterator = (reverse ? range.descendingMap() : range).entrySet().iterator();
      this.to = to;
      this.place = from;
      this.reverse = reverse;
      openCursors++;
    }

    @Override
    public boolean next() {
      if (closed) {
        throw new IllegalStateException("cursor is closed");
      }
      boolean more = iterator.hasNext();
      entry = more ? iterator.next() : null;
      byte[] reached = entry == null ? to : entry.getKey();
      if (tombstones != null && !reverse && Arrays.compareUnsigned(place, reached) < 0) {
        tombstonesPassed += tombstones.subSet(place, true, reached, false).size();
      }
      place = reached;
      entriesRead += more ? 1 : 0;
      return more;
    }

    @Override
    public byte[] key() {
      return current().getKey();
    }

    @Override
    public byte[] value() {
      return current().getValue();
    }

    private Map.Entry<byte[], byte[]> current() {
      if (entry == null) {
        throw new IllegalStateException("cursor stands on no entry");
      }
      return entry;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        openCursors--;
      }
    }
  }
}
