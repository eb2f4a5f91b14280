package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardModel.require;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a cluster with one shard: its log, which is fenced by two ids and compacted, and
 * its intake. They lose nothing and are never wrong; what goes wrong on the way to them is
 * elsewhere.
 */
final class SimulatedBroker {
  /** How long the log keeps deletions. */
  static final long KEPT_MILLIS = 120_000;

  private static final byte[] MARKER = {0};
  private static final byte[] POSITION = {'S', 'o'};

  /** A record of the log; a value of null is a deletion. */
  record Entry(long offset, byte[] key, byte @Nullable [] value, long atMillis) {}

  /** What was accepted for the shard; a message of null says nothing to it. */
  record Accepted(
      long position,
      ModelDelivery.@Nullable Message message,
      long[] subscriptions,
      boolean keyed) {}

  /** What the log makes, without what owners say of themselves. */
  final SimulatedStore state = new SimulatedStore();

  final List<Accepted> intake = new ArrayList<>();
  private final VirtualTime time;
  private final long startMillis;
  private final boolean fences;
  private final List<Entry> history = new ArrayList<>();
  private List<Entry> left = new ArrayList<>();

  /** When deletions go that have been through one compaction, by offset. */
  private final Map<Long, Long> goAtMillis = new HashMap<>();

  private final int[] epochs = new int[2];
  private long end;
  private long cleanedTo;

  SimulatedBroker(VirtualTime time, long startMillis, boolean fences) {
    this.time = time;
    this.startMillis = startMillis;
    this.fences = fences;
  }

  long millis() {
    return startMillis + time.millis();
  }

  /** Whoever used the id before can append nothing more under it. */
  int fence(int id) {
    return ++epochs[id];
  }

  /** Appends a transaction; false if the id has another owner. */
  boolean commit(int id, int epoch, Batch batch) {
    if (epochs[id] != epoch && fences) {
      return false;
    }
    batch.forEach(
        new Batch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            append(key, value);
          }

          @Override
          public void delete(byte[] key) {
            append(key, null);
          }
        });
    // The end of the transaction has a place of its own.
    end++;
    if (!isMarker(batch)) {
      state.write(batch);
    }
    return true;
  }

  private void append(byte[] key, byte @Nullable [] value) {
    Entry entry = new Entry(end++, key, value, millis());
    history.add(entry);
    left.add(entry);
  }

  /** The position behind everything that was appended by then. */
  long lastEnd() {
    return history.isEmpty() ? 0 : history.get(history.size() - 1).offset() + 1;
  }

  long end() {
    return end;
  }

  List<Entry> read(long from, int max) {
    if (from >= end) {
      return List.of();
    }
    int first = left.size();
    while (first > 0 && left.get(first - 1).offset() >= from) {
      first--;
    }
    return List.copyOf(left.subList(first, Math.min(left.size(), first + max)));
  }

  /**
   * Keeps the last record of each key. A deletion goes as well, once it has been kept for long
   * enough since what it deletes has gone (KIP-534).
   */
  void compact() {
    Map<byte[], Entry> last = new TreeMap<>(Arrays::compareUnsigned);
    left.forEach(entry -> last.put(entry.key(), entry));
    List<Entry> kept = new ArrayList<>();
    for (Entry entry : left) {
      if (last.get(entry.key()).offset() != entry.offset()) {
        continue;
      }
      Long goesAt =
          entry.value() == null ? goAtMillis.putIfAbsent(entry.offset(), horizon()) : null;
      if (goesAt == null || millis() < goesAt) {
        kept.add(entry);
      }
    }
    left = kept;
    cleanedTo = end;
  }

  private long horizon() {
    return millis() + KEPT_MILLIS;
  }

  // --- markers -----------------------------------------------------------------------------

  static Batch marker(boolean released) {
    Batch batch = new Batch();
    batch.put(MARKER, new byte[] {(byte) (released ? 1 : 0)});
    return batch;
  }

  private static boolean isMarker(Batch batch) {
    boolean[] found = new boolean[1];
    batch.forEach(
        new Batch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            found[0] |= Arrays.equals(key, MARKER);
          }

          @Override
          public void delete(byte[] key) {}
        });
    return found[0];
  }

  static boolean isReleased(LogCopy copy) {
    byte[] marker = copy.store().get(MARKER);
    return marker == null || marker[0] == 1;
  }

  // --- intake ------------------------------------------------------------------------------

  void accept(
      ModelDelivery.@Nullable Message message, long[] subscriptions, boolean keyed, int gap) {
    long last = intake.isEmpty() ? -1 : intake.get(intake.size() - 1).position();
    intake.add(new Accepted(last + 1 + gap, message, subscriptions, keyed));
  }

  List<Accepted> intakeFrom(long position, int max) {
    return intake.stream().filter(each -> each.position() >= position).limit(max).toList();
  }

  // --- what must hold ----------------------------------------------------------------------

  /**
   * The copy is what the log had up to its position, except for keys of which the log has kept a
   * later record only.
   */
  void requireBeginning(LogCopy copy, String whose) {
    long position = copy.position();
    if (position < 0) {
      return;
    }
    require(position <= end, "%s is at %s, behind the end of the log %s", whose, position, end);
    Map<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    Map<byte[], Entry> later = new TreeMap<>(Arrays::compareUnsigned);
    for (Entry entry : history) {
      if (entry.offset() >= position) {
        if (entry.offset() < cleanedTo) {
          later.put(entry.key(), entry);
        }
      } else if (entry.value() == null) {
        expected.remove(entry.key());
      } else {
        expected.put(entry.key(), entry.value());
      }
    }
    compare(expected, copy.store(), later, whose + " at " + position + " of " + end);
  }

  /** The copy is all that the log makes. */
  void requireWhole(LogCopy copy, String whose) {
    Map<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    try (Store.Cursor cursor = state.range(new byte[] {}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        expected.put(cursor.key(), cursor.value());
      }
    }
    compare(expected, copy.store(), Map.of(), whose);
  }

  private static void compare(
      Map<byte[], byte[]> expected, Store found, Map<byte[], Entry> later, String whose) {
    expected.remove(MARKER);
    try (Store.Cursor cursor = found.range(new byte[] {}, new byte[] {(byte) 0xff})) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (Arrays.equals(key, POSITION) || Arrays.equals(key, MARKER)) {
          continue;
        }
        byte[] value = expected.remove(key);
        require(
            later.containsKey(key) || Arrays.equals(value, cursor.value()),
            "%s has %s, which the log has %s",
            whose,
            key,
            value == null ? "not" : "otherwise");
      }
    }
    for (byte[] key : expected.keySet()) {
      require(later.containsKey(key), "%s lacks %s", whose, Objects.requireNonNull(key));
    }
  }
}
