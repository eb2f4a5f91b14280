package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.fixtures.Await;
import dev.reprise.fixtures.StartedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;

/** A file system that refuses hard links, as vfat and some of SMB and FUSE do. */
class CopyWithoutLinksTest {
  private static final int TABLES = 3;

  @TempDir Path temp;

  /** Copies a store of some tables and a log in the folder that is named, and reads the copy. */
  public static void main(String[] args) throws Exception {
    Path read = Path.of(args[1]);
    try (RocksStore store = RocksStore.open(Path.of(args[0]), RocksSettings.defaults());
        FlushOptions flush = new FlushOptions()) {
      for (int i = 0; i < TABLES; i++) {
        StoreContract.put(store, "table" + i, "1");
        store.db().flush(flush);
      }
      StoreContract.put(store, "log", "1");
      Files.move(store.copy(), read);
    }
    try (RocksStore copy = RocksStore.open(read, RocksSettings.defaults())) {
      int found = copy.get(StoreContract.bytes("log")) == null ? 0 : 1;
      for (int i = 0; i < TABLES; i++) {
        found += copy.get(StoreContract.bytes("table" + i)) == null ? 0 : 1;
      }
      System.out.println(found + " read");
    }
  }

  @Test
  @Tag("slow")
  void a_copy_needs_no_links() throws Exception {
    Path log = temp.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(
                StartedProcess.java(
                    List.of("-XX:TieredStopAtLevel=1"),
                    CopyWithoutLinksTest.class.getName(),
                    List.of(temp.resolve("data").toString(), temp.resolve("read").toString())))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("LD_PRELOAD", withoutLinks().toString());
    try (StartedProcess process = StartedProcess.start("the store", builder, log)) {
      int code = process.awaitEnd(Await.LIMIT);
      assertThat(code).as(Files.readString(log)).isZero();
    }
    assertThat(Files.readString(log)).contains(TABLES + 1 + " read");
  }

  private Path withoutLinks() throws Exception {
    Path source = temp.resolve("links.c");
    Path library = temp.resolve("links.so");
    Files.writeString(
        source,
        """
        #include <errno.h>
        int link(const char *a, const char *b) { errno = EPERM; return -1; }
        """);
    List<String> compile =
        List.of("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString());
    try {
      assertThat(new ProcessBuilder(compile).inheritIO().start().waitFor()).isZero();
    } catch (IOException e) {
      assumeTrue(false, "SKIPPED: links that fail need a C compiler as cc: " + e.getMessage());
    }
    return library;
  }
}
