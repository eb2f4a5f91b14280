package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogCopyTest {
  private static final byte[] LOW = {'P', 1};

  /** Of the keys that other parts of a service have in a cluster's catalog. */
  private static final byte[] HIGH = {(byte) 0xff, (byte) 0xed, 's'};

  @Test
  void copyThatBeginsAnewKeepsNothing(@TempDir Path folder) {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0).withoutSync();
    try (RocksStore store = RocksStore.open(folder, settings)) {
      LogCopy copy = new LogCopy(store.view(1));
      Batch batch = new Batch();
      batch.put(LOW, new byte[] {1});
      batch.put(HIGH, new byte[] {1});
      copy.apply(batch, 10, 1_000);

      assertThat(copy.prepare(11, 2_000_000, 1_000_000, key -> false)).isTrue();

      assertThat(copy.position()).isZero();
      assertThat(copy.store().get(LOW)).isNull();
      assertThat(copy.store().get(HIGH)).isNull();
    }
  }

  private static byte[] longLived(int number) {
    return ByteBuffer.allocate(5).put((byte) 'P').putInt(number).array();
  }

  private static byte[] shortLived(int number) {
    return ByteBuffer.allocate(5).put((byte) 'd').putInt(number).array();
  }

  private static boolean isShortLived(byte[] key) {
    return key[0] == 'd';
  }

  /** Adds a record of 1,000 bytes, which cannot be compressed, of each kind. */
  private static void fill(LogCopy copy, int records) {
    Random random = new Random(5);
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[1_000];
      random.nextBytes(value);
      Batch batch = new Batch();
      LogCopy.add(batch, longLived(i), value, false);
      LogCopy.add(batch, shortLived(i), value, true);
      copy.apply(batch, copy.position() + 2, 1_000);
    }
  }

  private static int entries(Store store) {
    int entries = 0;
    try (Store.Cursor cursor = store.range(new byte[] {}, new byte[] {-1, -1, -1, -1})) {
      while (cursor.next()) {
        entries++;
      }
    }
    return entries;
  }

  @Test
  void aDroppedCopyGivesItsDiskBackAndLeavesOthersAlone(@TempDir Path folder) {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0).withoutSync();
    try (RocksStore store = RocksStore.open(folder, settings)) {
      LogCopy before = new LogCopy(store.view(1));
      LogCopy copy = new LogCopy(store.view(2));
      LogCopy behind = new LogCopy(store.view(3));
      fill(before, 10);
      fill(behind, 10);
      fill(copy, 30_000);
      store.compactView(2);
      long full = store.diskBytes();

      copy.drop(LogCopyTest::isShortLived);
      store.compactView(2);

      assertThat(full - store.diskBytes()).isGreaterThan(55_000_000);
      assertThat(entries(store.view(2))).isZero();
      // Each with its position.
      assertThat(entries(store.view(1))).isEqualTo(21);
      assertThat(entries(store.view(3))).isEqualTo(21);
    }
  }

  @Test
  void aDroppedCopyStaysDroppedAndBeginsAnewAsAnother(@TempDir Path folder) {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0);
    Batch late = new Batch();
    late.put(LOW, new byte[] {1});
    try (RocksStore store = RocksStore.open(folder, settings)) {
      LogCopy copy = new LogCopy(store.view(1));
      fill(copy, 100);

      copy.drop(LogCopyTest::isShortLived);

      assertThatThrownBy(() -> copy.apply(late, 1_000, 2_000))
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.lost()).isTrue())
          .hasMessageContaining("the copy was dropped");
      copy.isWhole(2_000);
      assertThatThrownBy(() -> copy.prepare(0, 2_000, 1_000, LogCopyTest::isShortLived))
          .isInstanceOf(StoreException.class);
    }
    try (RocksStore store = RocksStore.open(folder, settings)) {
      assertThat(entries(store)).isZero();
      LogCopy again = new LogCopy(store.view(1));
      assertThat(again.position()).isZero();
      fill(again, 50);
      Batch ended = new Batch();
      for (int i = 0; i < 50; i++) {
        LogCopy.add(ended, shortLived(i), null, true);
      }
      again.apply(ended, again.position() + 50, 2_000);
      assertThat(entries(store.view(1))).isEqualTo(51);
      store.compactView(1);
    }
    try (RocksStore store = RocksStore.open(folder, settings)) {
      assertThat(entries(store.view(1))).isEqualTo(51);
    }
  }

  @Test
  void copyThatIsAheadOfItsLogIsKept(@TempDir Path folder) {
    RocksSettings settings = RocksSettings.defaults().withReserveBytes(0).withoutSync();
    try (RocksStore store = RocksStore.open(folder, settings)) {
      LogCopy copy = new LogCopy(store.view(1));
      Batch batch = new Batch();
      batch.put(LOW, new byte[] {1});
      copy.apply(batch, 10, 1_000);

      assertThatThrownBy(() -> copy.prepare(9, 2_000_000, 1_000_000, key -> false))
          .isInstanceOf(StoreException.class)
          .hasMessage("the copy goes up to 10, and its log ends at 9");

      assertThat(copy.position()).isEqualTo(10);
      assertThat(copy.store().get(LOW)).isNotNull();
    }
  }
}
