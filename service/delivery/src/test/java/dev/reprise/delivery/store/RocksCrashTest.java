package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksCrashTest {
  @TempDir Path folder;

  @Test
  @Tag("slow")
  void a_write_outlives_a_process_that_ends_when_it_returns() throws Exception {
    Random random = new Random(20);
    int written = 0;
    for (int crash = 1; crash <= 20; crash++) {
      int count = 1 + random.nextInt(200);
      Process process = StoreProcess.start("write", folder, written, count);
      assertThat(process.waitFor()).isEqualTo(9);
      written += count;

      try (RocksStore store = RocksStore.open(folder, RocksSettings.defaults())) {
        int found = 0;
        try (Store.Cursor cursor = store.range(new byte[0], StoreContract.bytes("z"))) {
          while (cursor.next()) {
            assertThat(StoreContract.text(cursor.key()))
                .isEqualTo(String.format(Locale.ROOT, "%08d", found));
            found++;
          }
        }
        assertThat(found).as("after crash " + crash + " (seed 20)").isEqualTo(written);
      }
    }
  }
}
