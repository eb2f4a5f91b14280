package dev.reprise.delivery.store;

import static dev.reprise.delivery.store.StoreContract.bytes;
import static dev.reprise.delivery.store.StoreContract.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that cannot be used, and what the operator is told. */
class RocksFolderTest {
  /** Memtables of half a megabyte: more than the writes that are to stay in the log. */
  private static final RocksSettings SMALL = new RocksSettings(8 << 20, 1 << 20, 16 << 20, 0);

  private static final int IN_TABLES = 1400;
  private static final int ENTRIES = 2000;

  @TempDir Path temp;
  private Path folder;

  @BeforeEach
  void nameFolder() {
    folder = temp.resolve("data");
  }

  // --- in use ------------------------------------------------------------------------------

  @Test
  void a_folder_that_another_process_uses_is_refused_with_its_pid() throws Exception {
    Process other = StoreProcess.start("hold", folder);
    try {
      StoreProcess.awaitHolding(other);

      assertThatThrownBy(this::open)
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "data folder "
                  + folder
                  + " is in use by another process (pid "
                  + other.pid()
                  + "): stop that one, or choose another folder");
    } finally {
      other.destroyForcibly().waitFor();
    }
    assertThatCode(() -> open().close()).as("after a kill").doesNotThrowAnyException();
  }

  @Test
  void a_folder_that_this_process_uses_is_refused_and_stays_locked() throws Exception {
    Path link = Files.createSymbolicLink(temp.resolve("link"), folder);
    try (RocksStore store = open()) {
      for (Path path : List.of(folder, link)) {
        assertThatThrownBy(() -> RocksStore.open(path, SMALL))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("data folder " + path + " is in use by this very process");
      }
      put(store, "a", "1");
      // The refusal above must not have ended the lock against other processes.
      assertThat(StoreProcess.start("hold", folder).waitFor()).isEqualTo(1);
    }
    open().close();
  }

  // --- unusable ----------------------------------------------------------------------------

  @Test
  void a_folder_that_is_a_file_is_refused() throws Exception {
    Files.writeString(folder, "mine");

    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessage("data folder " + folder + " is not a folder: choose another");
    assertThat(Files.readString(folder)).isEqualTo("mine");
  }

  @Test
  void a_folder_that_may_not_be_written_is_refused() {
    // Not even root may write here.
    assertThatThrownBy(() -> RocksStore.open(Path.of("/proc/reprise"), SMALL))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data folder /proc/reprise cannot be ");
  }

  // --- damaged -----------------------------------------------------------------------------

  @Test
  void a_table_that_was_cut_short_is_named() throws Exception {
    fill();
    Path table = largest(".sst");
    cut(table, 1000);

    assertRefused(table);
  }

  @Test
  void a_table_that_is_missing_is_named() throws Exception {
    fill();
    Path table = largest(".sst");
    Files.delete(table);

    assertRefused(table);
  }

  @Test
  void a_damaged_block_of_a_table_is_an_error_to_its_readers() throws Exception {
    fill();
    Path table = largest(".sst");
    flip(table, Files.size(table) / 3);

    try (RocksStore store = open()) {
      assertThatThrownBy(() -> count(store))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(table.getFileName().toString());
    }
  }

  @Test
  void a_manifest_that_was_cut_short_is_named() throws Exception {
    fill();
    Path manifest = manifest();
    cut(manifest, Files.size(manifest) - 20);

    assertRefused(manifest);
  }

  /** Whatever file is cut wherever: the store is whole, or someone is told. */
  @Test
  void no_file_can_be_cut_short_without_being_noticed() throws Exception {
    fill();
    Path whole = temp.resolve("whole");
    copy(folder, whole);
    Random random = new Random(7);
    for (String name : contents().keySet()) {
      for (int i = 0; i < 12; i++) {
        folder = temp.resolve(name + "-" + i);
        copy(whole, folder);
        Path file = folder.resolve(name);
        long size = Files.size(file);
        long cut = size == 0 ? 0 : i < 6 ? Math.min(size, 1 + i * 25) : 1 + random.nextLong(size);
        cut(file, cut);
        try (RocksStore store = open()) {
          assertThat(count(store))
              .as("%s cut by %d of %d bytes", name, cut, size)
              .isEqualTo(ENTRIES);
        } catch (StoreException e) {
          assertThat(e).hasMessageContaining(folder.toString());
        }
      }
    }
  }

  @Test
  void a_manifest_that_is_missing_is_named() throws Exception {
    fill();
    Path manifest = manifest();
    Files.delete(manifest);

    assertRefused(manifest);
  }

  @Test
  void an_empty_current_file_is_named() throws Exception {
    fill();
    Path current = folder.resolve("CURRENT");
    cut(current, Files.size(current));

    assertRefused(current);
  }

  /** RocksDB would begin a new database here, and remove the tables of the old one. */
  @Test
  void a_missing_current_file_is_named_and_nothing_overwritten() throws Exception {
    fill();
    Path current = folder.resolve("CURRENT");
    byte[] content = Files.readAllBytes(current);
    Files.delete(current);

    assertRefused(current);
    Files.write(current, content);
    assertWhole();
  }

  @Test
  void a_log_that_was_cut_short_is_named_and_can_be_put_back() throws Exception {
    fill();
    assertRefusedUntilPutBack(() -> cut(newestLog(), 37));
  }

  @Test
  void a_log_damaged_in_its_middle_is_named_and_can_be_put_back() throws Exception {
    fill();
    assertRefusedUntilPutBack(() -> flip(newestLog(), Files.size(newestLog()) / 2));
  }

  @Test
  void a_log_that_is_missing_is_noticed() throws Exception {
    fill();
    Files.delete(newestLog());

    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(folder + " is damaged");
  }

  @Test
  void the_operator_can_go_on_without_the_end_of_a_damaged_log() throws Exception {
    fill();
    cut(newestLog(), 37);
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("delete " + folder.resolve(SyncedMark.FILE));
    Files.delete(folder.resolve(SyncedMark.FILE));

    try (RocksStore store = open()) {
      assertThat(count(store)).isEqualTo(ENTRIES - 1);
      put(store, "a", "1");
    }
    try (RocksStore store = open()) {
      assertThat(count(store)).isEqualTo(ENTRIES);
    }
  }

  /** What the disk holds when the power fails within a write: the write was not acknowledged. */
  @Test
  void half_a_record_at_the_end_of_the_log_is_dropped_alone() throws Exception {
    for (int recordBytes : new int[] {1, 7, 20, 600}) {
      folder = temp.resolve("power-" + recordBytes);
      fill();
      Path after = temp.resolve("after-" + recordBytes);
      try (RocksStore store = open()) {
        put(store, "acknowledged", "1");
        Path log = newestLog();
        long length = Files.size(log);
        byte[] mark = Files.readAllBytes(folder.resolve(SyncedMark.FILE));
        put(store, "under way", "x".repeat(1000));
        copy(folder, after);
        Files.write(after.resolve(SyncedMark.FILE), mark);
        Path torn = after.resolve(log.getFileName());
        cut(torn, Files.size(torn) - length - recordBytes);
      }
      try (RocksStore store = RocksStore.open(after, SMALL)) {
        assertThat(store.get(bytes("acknowledged"))).isEqualTo(bytes("1"));
        assertThat(store.get(bytes("under way"))).isNull();
        assertThat(count(store)).isEqualTo(ENTRIES + 1);
        put(store, "later", "1");
      }
      try (RocksStore store = RocksStore.open(after, SMALL)) {
        assertThat(count(store)).isEqualTo(ENTRIES + 2);
      }
    }
  }

  // --- short forms -------------------------------------------------------------------------

  private RocksStore open() {
    return RocksStore.open(folder, SMALL);
  }

  /** A closed store with tables and an unflushed log. */
  private void fill() {
    // Opening makes tables of what the log holds; whether a flush is over by the end of a run is
    // up to a thread of the store.
    fill(0, IN_TABLES);
    fill(IN_TABLES, ENTRIES);
  }

  private void fill(int from, int to) {
    Random random = new Random(from);
    byte[] value = new byte[600];
    try (RocksStore store = open()) {
      for (int i = from; i < to; ) {
        Batch batch = new Batch();
        // The last few alone, so that the log ends in small records.
        for (int end = i < to - 100 ? i + 100 : i + 1; i < end; i++) {
          random.nextBytes(value);
          batch.put(bytes(String.format(Locale.ROOT, "%08d", i)), value.clone());
        }
        store.write(batch);
      }
    }
  }

  private void assertWhole() {
    try (RocksStore store = open()) {
      assertThat(count(store)).isEqualTo(ENTRIES);
    }
  }

  private static int count(Store store) {
    int count = 0;
    try (Store.Cursor cursor = store.range(new byte[0], bytes("z"))) {
      while (cursor.next()) {
        cursor.value();
        count++;
      }
    }
    return count;
  }

  private void assertRefused(Path file) throws IOException {
    Map<String, String> before = contents();
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data folder " + folder + " is damaged, in " + file + ": ")
        .hasMessageContaining("Restore the folder from a backup")
        .extracting(e -> ((StoreException) e).full())
        .isEqualTo(false);
    assertThat(contents()).isEqualTo(before);
  }

  private interface Damage {
    void apply() throws IOException;
  }

  private void assertRefusedUntilPutBack(Damage damage) throws IOException {
    Path log = newestLog();
    byte[] content = Files.readAllBytes(log);
    damage.apply();
    Map<String, String> before = contents();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(folder + " is damaged")
          .hasMessageContaining("newest log " + log + " is damaged or was cut short");
    }
    assertThat(contents()).isEqualTo(before);
    Files.write(log, content);
    assertWhole();
  }

  /** Every file's content, but for RocksDB's own diary and the locks. */
  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith("LOG") && !name.equals("LOCK") && !name.equals("reprise.lock")) {
          byte[] bytes = Files.readAllBytes(file);
          contents.put(name, bytes.length + " bytes, hash " + Arrays.hashCode(bytes));
        }
      }
    }
    return contents;
  }

  private Path largest(String ending) throws IOException {
    return files(ending).max(Comparator.comparing(file -> file.toFile().length())).orElseThrow();
  }

  private Path newestLog() throws IOException {
    return files(".log").max(Comparator.comparing(Path::getFileName)).orElseThrow();
  }

  private Path manifest() throws IOException {
    return folder.resolve(Files.readString(folder.resolve("CURRENT")).strip());
  }

  private Stream<Path> files(String ending) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).toList().stream();
    }
  }

  private static void cut(Path file, long bytes) throws IOException {
    try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
      data.setLength(data.length() - bytes);
    }
  }

  private static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
      data.seek(at);
      int old = data.read();
      data.seek(at);
      data.write(old ^ 0x55);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
