package dev.reprise.delivery.store;

import static dev.reprise.delivery.store.StoreContract.bytes;
import static dev.reprise.delivery.store.StoreContract.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A disk that is really full: a file system of 24 MiB, which only root may mount. */
@Tag("slow")
class RocksFullDiskTest {
  private static final long MIB = 1L << 20;

  private static final RocksSettings RESERVE_OF_6 =
      new RocksSettings(16 * MIB, 2 * MIB, 64 * MIB, 6 * MIB);

  @TempDir Path temp;
  private Path disk;
  private Path ballast;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(temp.resolve("disk"));
    ballast = disk.resolve("ballast");
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk.toString());
    assumeTrue(mounted, "SKIPPED: a full disk needs `mount -t tmpfs`, which needs root");
    Files.write(ballast, new byte[12 << 20]);
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "--lazy", disk.toString());
  }

  /** With small memtables the disk fills up under a table, with large ones under the log. */
  @ParameterizedTest
  @ValueSource(ints = {2, 16})
  void a_full_disk_refuses_writes_harms_nothing_and_heals(int memtableMib) throws Exception {
    RocksSettings settings = new RocksSettings(32 * MIB, memtableMib * MIB, 64 * MIB, 2 * MIB);
    int written = 0;
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      assertThat(store.hasSpaceFor(MIB)).isTrue();
      StoreException refusal = null;
      while (refusal == null) {
        try {
          write(store, written);
          written++;
        } catch (StoreException e) {
          refusal = e;
        }
      }
      assertThat(refusal.full()).isTrue();
      assertThat(refusal).hasMessageContaining("the disk is full");
      assertThat(written).isGreaterThan(100);

      int refused = written;
      assertThatThrownBy(() -> write(store, refused)).isInstanceOf(StoreException.class);
      assertHolds(store, written);

      Files.delete(ballast);
      awaitHealed(store);
      assertHolds(store, written);
      write(store, written);
      written++;
    }
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      assertHolds(store, written);
      put(store, "zz", "1");
    }
  }

  /**
   * Flushes are held back until memtables are full: then RocksDB stops writes, and recovers from
   * the flush that finds no space only while none of them waits inside it.
   */
  @Test
  void a_disk_that_fills_up_under_stalled_writes_heals() throws Exception {
    RocksSettings settings = new RocksSettings(32 * MIB, 2 * MIB, 64 * MIB, 0);
    RocksStore store = RocksStore.open(disk.resolve("data"), settings);
    RocksDB db = store.db();
    db.pauseBackgroundWork();
    CompletableFuture<Integer> refused =
        CompletableFuture.supplyAsync(() -> writeUntilRefused(store));
    await("writes are stopped", () -> property(store, "is-write-stopped") == 1);
    Path rest = disk.resolve("rest");
    Files.write(rest, new byte[(int) (free() - MIB / 2)]);

    db.continueBackgroundWork();

    int written = refused.get(300, TimeUnit.SECONDS);
    assertHolds(store, written);
    Files.delete(rest);
    Files.delete(ballast);
    awaitHealed(store);
    write(store, written);
    assertHolds(store, written + 1);
    // Not closed if this fails: a write that waits for ever would hold that up.
    store.close();
  }

  private static int writeUntilRefused(RocksStore store) {
    for (int written = 0; ; written++) {
      try {
        write(store, written);
      } catch (StoreException e) {
        assertThat(e.full()).isTrue();
        return written;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 16})
  void what_a_full_disk_refused_does_not_come_back_after_a_crash(int memtableMib) throws Exception {
    RocksSettings settings = new RocksSettings(32 * MIB, memtableMib * MIB, 64 * MIB, 2 * MIB);
    int written = 0;
    Path crashed = temp.resolve("crashed");
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      try {
        for (; ; written++) {
          write(store, written);
        }
      } catch (StoreException e) {
        assertThat(e.full()).isTrue();
      }
      copyOfOneMoment(disk.resolve("data"), crashed);
    }
    try (RocksStore store = RocksStore.open(crashed, settings)) {
      assertHolds(store, written);
    }
  }

  /**
   * The store removes and adds files by itself: a copy counts only if nothing changed meanwhile.
   */
  private static void copyOfOneMoment(Path from, Path to) throws IOException {
    for (int tries = 0; tries < 200; tries++) {
      Path copy = Files.createDirectory(to.resolveSibling(to.getFileName() + "-" + tries));
      try {
        Map<Path, Long> before = sizes(from);
        for (Path file : before.keySet()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
        if (sizes(from).equals(before) && sizes(copy).values().containsAll(before.values())) {
          Files.move(copy, to);
          return;
        }
      } catch (NoSuchFileException e) {
        // The store has just removed it.
      }
    }
    throw new IOException("the files of " + from + " never stood still");
  }

  private static Map<Path, Long> sizes(Path folder) throws IOException {
    Map<Path, Long> sizes = new TreeMap<>();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        sizes.put(file, Files.size(file));
      }
    }
    return sizes;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_full_disk_when_opening_is_told_and_heals(boolean exists) throws Exception {
    RocksSettings settings = new RocksSettings(32 * MIB, 16 * MIB, 64 * MIB, 0);
    if (exists) {
      try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
        write(store, 0);
      }
    }
    Path rest = disk.resolve("rest");
    assertThat(run("dd", "if=/dev/zero", "of=" + rest, "bs=4k")).isFalse();

    assertThatThrownBy(() -> RocksStore.open(disk.resolve("data"), settings).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the disk is full")
        .extracting(e -> ((StoreException) e).full())
        .isEqualTo(true);

    Files.delete(rest);
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      assertHolds(store, exists ? 1 : 0);
    }
  }

  @Test
  void the_reserve_is_refused_before_the_disk_is_full() {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(2 * MIB);
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      long usable = store.usableBytes();
      assertThat(usable).isBetween(4 * MIB, 12 * MIB);
      assertThat(store.hasSpaceFor(usable - 2 * MIB)).isTrue();
      assertThat(store.hasSpaceFor(usable - 2 * MIB + 1)).isFalse();
    }
  }

  /** Else a disk that is not much larger than the reserve would be short for want of it alone. */
  @Test
  void the_ballast_does_not_make_the_disk_short() throws Exception {
    RocksSettings settings = new RocksSettings(16 * MIB, 2 * MIB, 64 * MIB, 14 * MIB);
    try (RocksStore store = RocksStore.open(disk.resolve("data"), settings)) {
      await("the disk is short", store::diskIsShort);

      Files.delete(ballast);

      await("the disk is no longer short", () -> !store.diskIsShort());
      assertThat(disk.resolve("data").resolve(Ballast.FILE)).doesNotExist();
    }
  }

  /** It would take the last bytes from the log, fail, and be begun again and again. */
  @Test
  void no_compaction_is_begun_that_has_no_room() throws Exception {
    try (RocksStore store = openWithTables(3)) {
      await("compactions are off", () -> !store.compactsByItself());
      writeTables(store, count(store), 9);

      assertThat(property(store, "background-errors")).isZero();
      delete(store);
      await("compactions are on", store::compactsByItself);
      await("the tables are gone", () -> tables() <= 2);
    }
  }

  /**
   * After a compaction that found no room RocksDB begins no other until there is room for all that
   * it would read, although what it would write is next to nothing.
   */
  @Test
  void what_is_deleted_becomes_space_after_a_compaction_found_none() throws Exception {
    // Short of space with the ballast, too, and less than the tables have.
    try (RocksStore store = openWithTables(2);
        CompactRangeOptions options = new CompactRangeOptions()) {
      assertThatThrownBy(() -> store.compact(options)).isInstanceOf(StoreException.class);
      assertThat(property(store, "background-errors")).isPositive();

      delete(store);

      await("the tables are gone", () -> tables() <= 2);
    }
  }

  /** By the estimate each deletion takes one entry with it, and nearly all would stay. */
  @Test
  void what_was_written_over_before_it_was_deleted_becomes_space() throws Exception {
    Files.delete(ballast);
    try (RocksStore store = RocksStore.open(disk.resolve("data"), RESERVE_OF_6)) {
      holdCompactions(store);
      writeTables(store, 0, 9, 100);
      awaitBallast();
      Files.write(disk.resolve("rest"), new byte[(int) (free() - 5 * MIB)]);
      await("space is short", () -> !store.hasSpaceFor(0));

      delete(store, 100);

      await("the tables are gone", () -> tables() <= 2);
    }
  }

  /**
   * By the estimate the many small entries that are deleted make room for a compaction. It finds
   * none, is begun again and again, and meanwhile RocksDB slows writes down for its twenty tables
   * of level 0: who compacts must not wait for the end of that.
   */
  @Test
  void what_is_deleted_becomes_space_while_writes_are_slow() throws Exception {
    Files.delete(ballast);
    try (RocksStore store = RocksStore.open(disk.resolve("data"), RESERVE_OF_6)) {
      holdCompactions(store);
      int written = 0;
      while (tables() < 20) {
        for (int end = written + 60; written < end; written++) {
          write(store, written);
        }
        moveToTables(store);
      }
      Batch small = new Batch();
      Batch deleted = new Batch();
      for (int i = 0; i < 10_000; i++) {
        small.put(bytes("small" + i), bytes(""));
        deleted.delete(bytes("small" + i));
      }
      store.write(small);
      moveToTables(store);
      awaitBallast();
      Files.write(disk.resolve("rest"), new byte[(int) (free() - 3 * MIB)]);
      writeOnceThereIsRoom(store, deleted);
      moveToTables(store);
      store.compactByItself(true);
      await("no room was found", () -> property(store, "background-errors") > 0);

      delete(store, written);

      await("few tables are left", () -> isSmallAfterAWrite(store));
    }
  }

  /**
   * RocksDB obeys first and then notes its options in a file. If the note were a refusal, the store
   * would take compactions for off that are on, and leave them on while the disk is full.
   */
  @Test
  void compactions_are_turned_on_and_off_while_the_disk_is_full() throws Exception {
    try (RocksStore store =
        RocksStore.open(disk.resolve("data"), new RocksSettings(16 * MIB, 2 * MIB, 64 * MIB, 0))) {
      compactByItselfWhenFull(store, false);
      for (int i = 0; i < 12; i++) {
        write(store, i);
        moveToTables(store);
      }
      assertThat(tables()).isEqualTo(12);

      compactByItselfWhenFull(store, true);

      await("few tables are left", () -> isSmallAfterAWrite(store));
    }
  }

  private void compactByItselfWhenFull(RocksStore store, boolean may) throws IOException {
    fillUp();
    store.compactByItself(may);
    Files.delete(disk.resolve("rest"));
  }

  /** Nothing keeps space free here: no byte is left. */
  private void fillUp() throws IOException {
    try (OutputStream rest = Files.newOutputStream(disk.resolve("rest"))) {
      while (true) {
        rest.write(new byte[4096]);
      }
    } catch (IOException e) {
      assertThat(free()).isZero();
    }
  }

  /** The store itself begins with them once it has seen that there is room. */
  private void holdCompactions(RocksStore store) throws Exception {
    await("compactions are on", store::compactsByItself);
    store.compactByItself(false);
  }

  private void moveToTables(RocksStore store) throws Exception {
    store.flush();
    await("flushed", () -> property(store, "num-immutable-mem-table") == 0);
  }

  /** There is always something in memory. */
  private boolean isSmallAfterAWrite(RocksStore store) {
    Batch beat = new Batch();
    beat.put(bytes("beat"), bytes("1"));
    writeOnceThereIsRoom(store, beat);
    return tables() < 10;
  }

  /** A store with seven tables of 1 MiB each. */
  private RocksStore openWithTables(int freeMib) throws Exception {
    Files.delete(ballast);
    RocksStore store = RocksStore.open(disk.resolve("data"), RESERVE_OF_6);
    writeTables(store, 0, 7);
    awaitBallast();
    Files.write(disk.resolve("rest"), new byte[(int) (free() - freeMib * MIB)]);
    return store;
  }

  private void awaitBallast() throws Exception {
    Path kept = disk.resolve("data").resolve(Ballast.FILE);
    await("the ballast is there", () -> kept.toFile().length() == 3 * MIB);
  }

  /** Writes until there are so many tables; none comes later, when there is no room. */
  private void writeTables(RocksStore store, int first, int number) throws Exception {
    writeTables(store, first, number, Integer.MAX_VALUE);
  }

  /** The same, over and over the same keys. */
  private void writeTables(RocksStore store, int first, int number, int keys) throws Exception {
    for (int written = first; tables() < number; written++) {
      write(store, written % keys);
      await("flushed", () -> property(store, "num-immutable-mem-table") == 0);
    }
  }

  private static void delete(RocksStore store) {
    delete(store, count(store));
  }

  private static void delete(RocksStore store, int written) {
    Batch deletions = new Batch();
    for (int i = 0; i < written; i++) {
      deletions.delete(bytes(String.format(Locale.ROOT, "%08d", i)));
    }
    writeOnceThereIsRoom(store, deletions);
  }

  private static int count(RocksStore store) {
    return 1 + Integer.parseInt(new String(store.get(bytes("last")), UTF_8));
  }

  private long free() {
    return disk.toFile().getUsableSpace();
  }

  private int tables() {
    String[] tables = disk.resolve("data").toFile().list((folder, name) -> name.endsWith(".sst"));
    return tables == null ? 0 : tables.length;
  }

  private static long property(RocksStore store, String name) throws RocksDBException {
    long stamp = store.enter();
    try {
      return store.db().getLongProperty("rocksdb." + name);
    } finally {
      store.leave(stamp);
    }
  }

  private void await(String what, Await.Condition condition) {
    Await.until(what, () -> free() + " bytes are free", condition);
  }

  private static void write(RocksStore store, int number) {
    byte[] value = new byte[6000];
    new Random(number).nextBytes(value);
    Batch batch = new Batch();
    batch.put(bytes(String.format(Locale.ROOT, "%08d", number)), value);
    batch.put(bytes("last"), bytes(Integer.toString(number)));
    store.write(batch);
  }

  private static void assertHolds(RocksStore store, int written) {
    int found = 0;
    try (Store.Cursor cursor = store.range(bytes("0"), bytes("a"))) {
      while (cursor.next()) {
        byte[] expected = new byte[6000];
        new Random(found).nextBytes(expected);
        assertThat(cursor.value()).isEqualTo(expected);
        found++;
      }
    }
    assertThat(found).isEqualTo(written);
    assertThat(store.get(bytes("last")))
        .isEqualTo(written == 0 ? null : bytes(Integer.toString(written - 1)));
  }

  /** RocksDB looks for space every five seconds by itself; nothing here can hurry it. */
  private static void awaitHealed(RocksStore store) {
    Batch healed = new Batch();
    healed.put(bytes("healed"), bytes("1"));
    writeOnceThereIsRoom(store, healed);
  }

  private static void writeOnceThereIsRoom(RocksStore store, Batch batch) {
    Await.value("the refusal of a write", () -> refusal(store, batch), Optional::isEmpty);
  }

  private static Optional<String> refusal(RocksStore store, Batch batch) {
    try {
      store.write(batch);
      return Optional.empty();
    } catch (StoreException e) {
      assertThat(e.full()).isTrue();
      return Optional.of(String.valueOf(e.getCause()));
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
