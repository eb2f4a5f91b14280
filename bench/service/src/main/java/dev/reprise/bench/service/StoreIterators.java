package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Native memory of cursors: rounds that open 20,000 at once, each at an entry, write beneath them
 * and close them, for {@code -Dreprise.minutes=N}. Resident memory is that of this process with its
 * heap; {@code -Xms} as large as {@code -Xmx} and {@code -XX:+AlwaysPreTouch} keep the heap from
 * growing meanwhile.
 */
final class StoreIterators implements Benchmark {
  private static final int MINUTES = 40;
  private static final int CURSORS = 20_000;
  private static final int ENTRIES = 200_000;
  private static final int OF_A_BATCH = 40;
  private static final int VALUE_BYTES = 600;

  /** Of each round, so that what cursors hold is replaced beneath them. */
  private static final int BATCHES = 50;

  /** Growth counts in the last of so many parts: until then caches and malloc's arenas fill up. */
  private static final int PARTS = 4;

  private final SplittableRandom random = new SplittableRandom(1);

  @Override
  public String name() {
    return "store-iterators";
  }

  @Override
  public String goal() {
    return "growth<=32MB";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    long minutes = Integer.getInteger("reprise.minutes", effort.choose(1, MINUTES));
    Path data = Folders.create("store-iterators");
    out.printf("%-22s %12s %12s %12s%n", "minute", "rounds", "open", "closed");
    try (RocksStore store = RocksStore.open(data, RocksSettings.defaults())) {
      for (int i = 0; i < ENTRIES / OF_A_BATCH; i++) {
        write(store);
      }
      long none = resident();
      long warm = 0;
      long open = 0;
      long closed = none;
      long rounds = 0;
      long began = System.nanoTime();
      Pauses pauses = Pauses.every(Duration.ofSeconds(2));
      for (long minute = 0; minute <= minutes; rounds++) {
        open = openAll(store);
        closed = resident();
        if (rounds == 0) {
          out.printf(Locale.ROOT, "%-22s %12s %12s %12s%n", "before the first", 0, "", mb(none));
        }
        long passed = TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - began);
        if (passed >= minute) {
          out.printf(
              Locale.ROOT, "%-22d %12d %12s %12s%n", minute, rounds + 1, mb(open), mb(closed));
          if (minute == Math.max(1, minutes - minutes / PARTS)) {
            warm = closed;
          }
          minute++;
        }
        boolean unused = pauses.next();
      }
      return String.format(
          Locale.ROOT,
          "growth=%s open=%s closed=%s cursors=%d",
          mb(Math.max(0, closed - warm)),
          mb(open),
          mb(closed),
          rounds * CURSORS);
    } finally {
      Folders.delete(data);
    }
  }

  /** Opens the cursors, writes beneath them, closes them, and returns what was resident before. */
  private long openAll(RocksStore store) throws IOException {
    List<Store.Cursor> cursors = new ArrayList<>(CURSORS);
    try {
      for (int i = 0; i < CURSORS; i++) {
        Store.Cursor cursor = store.range(key(), new byte[] {-1});
        cursors.add(cursor);
        cursor.next();
      }
      for (int i = 0; i < BATCHES; i++) {
        write(store);
      }
      return resident();
    } finally {
      cursors.forEach(Store.Cursor::close);
    }
  }

  private void write(RocksStore store) {
    Batch batch = new Batch();
    for (int i = 0; i < OF_A_BATCH; i++) {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      batch.put(key(), value);
    }
    store.write(batch);
  }

  private byte[] key() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(ENTRIES)).array();
  }

  private static long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    throw new IOException("no VmRSS of this process");
  }

  private static String mb(long bytes) {
    return bytes / 1_000_000 + " MB";
  }
}
