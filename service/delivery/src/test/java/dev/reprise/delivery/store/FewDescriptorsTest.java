package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.MutableColumnFamilyOptions;

/** A process that may have fewer files open than its store has tables. */
class FewDescriptorsTest {
  private static final int LIMIT = 256;
  private static final int TABLES = 300;
  private static final int ENTRIES = 2 * TABLES;
  private static final int TABLE_BYTES = 16 << 10;

  @TempDir Path temp;

  /** Opens a store in the folder that is named, and reads from more tables than files. */
  public static void main(String[] args) throws Exception {
    Random random = new Random(1);
    try (RocksStore store = RocksStore.open(Path.of(args[0]), RocksSettings.defaults());
        CompactRangeOptions whole =
            new CompactRangeOptions()
                .setBottommostLevelCompaction(BottommostLevelCompaction.kForce)) {
      store
          .db()
          .setOptions(
              MutableColumnFamilyOptions.builder().setTargetFileSizeBase(TABLE_BYTES).build());
      Batch batch = new Batch();
      for (int i = 0; i < ENTRIES; i++) {
        byte[] value = new byte[TABLE_BYTES];
        random.nextBytes(value);
        batch.put(key(i), value);
      }
      store.write(batch);
      store.compact(whole);
      int found = 0;
      for (int i = 0; i < ENTRIES; i++) {
        found += store.get(key(i)) == null ? 0 : 1;
      }
      System.out.println(store.db().getLiveFilesMetaData().size() + " tables, " + found + " read");
    }
  }

  private static byte[] key(int i) {
    return StoreContract.bytes(String.format(Locale.ROOT, "%08d", i));
  }

  @Test
  @Tag("slow")
  void a_store_of_more_tables_than_files_can_be_read() throws Exception {
    Path log = temp.resolve("log");
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c"));
    command.add("ulimit -n " + LIMIT + " && exec \"$0\" \"$@\"");
    command.addAll(
        StartedProcess.java(
            List.of("-XX:TieredStopAtLevel=1"),
            FewDescriptorsTest.class.getName(),
            List.of(temp.resolve("data").toString())));
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "SKIPPED: ulimit needs /bin/sh");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    try (StartedProcess process = StartedProcess.start("the store", builder, log)) {
      assertThat(process.awaitEnd(Await.LIMIT)).as(Files.readString(log)).isZero();
    }
    assertThat(Files.readString(log)).contains("tables, " + ENTRIES + " read");
    int tables =
        Integer.parseInt(Files.readString(log).replaceAll("(?s).*?(\\d+) tables,.*", "$1"));
    assertThat(tables).isGreaterThan(LIMIT);
  }
}
