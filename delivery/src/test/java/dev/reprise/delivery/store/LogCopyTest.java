package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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

      assertThat(copy.prepare(5, 2_000, 1_000_000, key -> false)).isTrue();

      assertThat(copy.position()).isZero();
      assertThat(copy.store().get(LOW)).isNull();
      assertThat(copy.store().get(HIGH)).isNull();
    }
  }
}
