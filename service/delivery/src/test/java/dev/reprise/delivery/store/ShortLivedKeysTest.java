package dev.reprise.delivery.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.CompactRangeOptions;

/** What RocksDB makes of keys that are put once and deleted once. */
class ShortLivedKeysTest {
  private static final int KEYS = 1000;

  @TempDir Path folder;
  private RocksStore store;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder.resolve("data"), RocksSettings.defaults());
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Opening moves what is in the log to a table. */
  private void moveToTable() {
    store.close();
    open();
  }

  private static byte[] key(int number) {
    return String.format(Locale.ROOT, "key %06d", number).getBytes(ISO_8859_1);
  }

  private static Batch batch(BiConsumer<Batch, byte[]> operation) {
    Batch batch = new Batch();
    for (int i = 0; i < KEYS; i++) {
      operation.accept(batch, key(i));
    }
    return batch;
  }

  private static Batch puts() {
    return batch((batch, key) -> batch.putOnce(key, key));
  }

  private static Batch deletions() {
    return batch(Batch::deleteOnce);
  }

  private int found() {
    int found = 0;
    try (Store.Cursor cursor = store.range(key(0), key(KEYS))) {
      while (cursor.next()) {
        found++;
      }
    }
    return found;
  }

  @Test
  void leave_nothing_behind_in_the_tables() {
    Batch lasting = new Batch();
    lasting.put("z".getBytes(ISO_8859_1), key(0));
    store.write(lasting);
    store.write(puts());
    store.write(deletions());
    moveToTable();

    RocksStore.Tables tables = store.flush();
    assertThat(tables.entries()).isEqualTo(1);
    assertThat(tables.deletions()).isZero();
  }

  @Test
  void deleted_after_the_table_was_written_stay_deleted() throws Exception {
    store.write(puts());
    moveToTable();
    store.write(deletions());
    assertThat(found()).isZero();
    moveToTable();
    assertThat(found()).isZero();
    try (CompactRangeOptions all = new CompactRangeOptions()) {
      store.compact(all);
    }

    assertThat(found()).isZero();
    assertThat(store.flush().entries()).isZero();
  }

  @Test
  void their_deletions_are_counted() {
    store.write(puts());
    moveToTable();
    Batch more = new Batch();
    // A table of deletions would be compacted before anybody could count them.
    for (int i = 0; i < 3 * KEYS; i++) {
      more.put(key(KEYS + i), key(i));
    }
    store.write(more);
    store.write(deletions());
    moveToTable();

    assertThat(store.flush().deletions()).isEqualTo(KEYS);
  }

  @Test
  void a_table_full_of_their_deletions_is_compacted_soon() throws Exception {
    // As many as RocksTuning allows within the entries that it looks at.
    int keys = 20_000;
    Batch puts = new Batch();
    Batch deletions = new Batch();
    for (int i = 0; i < keys; i++) {
      puts.putOnce(key(i), key(i));
      deletions.deleteOnce(key(i));
    }
    store.write(puts);
    moveToTable();
    store.write(deletions);
    moveToTable();

    Await.value("deletions", () -> store.flush().deletions(), left -> left == 0);

    assertThat(store.flush().entries()).isZero();
  }

  @Test
  void an_applied_batch_that_is_written_again_leaves_nothing() throws Exception {
    // Once within a memtable, once over tables: they are merged by different steps of RocksDB.
    for (int tables = 0; tables < 2; tables++) {
      store.write(puts());
      if (tables > 0) {
        moveToTable();
      }
      store.write(puts().again());
      assertThat(found()).isEqualTo(KEYS);
      if (tables > 0) {
        moveToTable();
      }
      store.write(deletions());
      if (tables > 0) {
        moveToTable();
      }
      store.write(deletions().again());
      assertThat(found()).isZero();
      moveToTable();
      try (CompactRangeOptions all = new CompactRangeOptions()) {
        store.compact(all);
      }
      assertThat(found()).isZero();
    }
  }

  @Test
  void a_lost_batch_that_is_written_again_is_there_once() throws Exception {
    store.write(puts().again());
    moveToTable();
    assertThat(found()).isEqualTo(KEYS);

    store.write(deletions());
    moveToTable();
    try (CompactRangeOptions all = new CompactRangeOptions()) {
      store.compact(all);
    }

    assertThat(found()).isZero();
  }
}
