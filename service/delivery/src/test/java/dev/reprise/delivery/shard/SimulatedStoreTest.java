package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulation is worth what its store is worth. */
class SimulatedStoreTest {
  private final SimulatedStore store = new SimulatedStore(/* countTombstones= */ true);

  @Test
  void keysCompareAsUnsignedBytesInBothDirections() {
    put(0x01, 0x7f, 0x80, 0xff);
    assertThat(keys(store.range(new byte[] {2}, new byte[] {(byte) 0xff})))
        .containsExactly(0x7f, 0x80);
    assertThat(keys(store.reverseRange(new byte[] {1}, new byte[] {(byte) 0xff})))
        .containsExactly(0x80, 0x7f, 0x01);
    assertThat(keys(store.range(new byte[] {9}, new byte[] {3}))).isEmpty();
  }

  @Test
  void aCursorSeesTheStoreAsItWasWhenItWasOpened() {
    put(1, 2);
    try (Store.Cursor cursor = store.range(new byte[] {0}, new byte[] {9})) {
      Batch batch = new Batch();
      batch.delete(new byte[] {2});
      batch.put(new byte[] {3}, new byte[0]);
      store.write(batch);
      assertThat(keys(cursor)).containsExactly(1, 2);
    }
    assertThat(keys(store.range(new byte[] {0}, new byte[] {9}))).containsExactly(1, 3);
  }

  @Test
  void aCrashBeforeAWriteLeavesNothingAndOneAfterItLeavesAll() {
    store.crashAtNextWrite(SimulatedStore.Crash.BEFORE);
    assertThatThrownBy(() -> put(1)).isInstanceOf(SimulatedStore.CrashedException.class);
    assertThat(store.size()).isZero();

    store.crashAtNextWrite(SimulatedStore.Crash.AFTER);
    assertThatThrownBy(() -> put(1, 2)).isInstanceOf(SimulatedStore.CrashedException.class);
    assertThat(store.size()).isEqualTo(2);

    put(3);
    assertThat(store.size()).isEqualTo(3);
  }

  @Test
  void deletedEntriesThatACursorStepsOverAreCounted() {
    put(1, 2, 3, 4);
    Batch batch = new Batch();
    batch.delete(new byte[] {2});
    batch.delete(new byte[] {3});
    store.write(batch);
    assertThat(keys(store.range(new byte[] {1}, new byte[] {9}))).containsExactly(1, 4);
    assertThat(store.tombstonesPassed()).isEqualTo(2);
    assertThat(store.entriesRead()).isEqualTo(2);
  }

  private void put(int... keys) {
    Batch batch = new Batch();
    for (int key : keys) {
      batch.put(new byte[] {(byte) key}, new byte[0]);
    }
    store.write(batch);
  }

  private static List<Integer> keys(Store.Cursor cursor) {
    List<Integer> keys = new ArrayList<>();
    try (cursor) {
      while (cursor.next()) {
        keys.add(cursor.key()[0] & 0xff);
      }
    }
    return keys;
  }
}
