package dev.reprise.delivery.salvage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that RocksDB has written, read without it. */
class DamagedStoreTest {
  private static final RocksSettings SMALL =
      new RocksSettings(8 << 20, 1 << 20, 4 << 20, 0).withoutSync();

  @TempDir Path temp;

  /** What was read of a key. */
  private record Found(String value, boolean isUncertain) {}

  private final Map<String, Found> found = new HashMap<>();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private DamagedStore read(Path folder) throws Exception {
    DamagedStore damaged = new DamagedStore(folder);
    found.clear();
    List<String> keys = new ArrayList<>();
    try (RocksStore logs = RocksStore.open(temp.resolve("logs-" + System.nanoTime()), SMALL)) {
      damaged.read(
          logs,
          (key, value, doubt) -> {
            keys.add(text(key));
            found.put(text(key), new Found(text(value), doubt != DamagedStore.Doubt.NONE));
          });
    }
    assertThat(keys).isSorted().doesNotHaveDuplicates();
    return damaged;
  }

  /** Writes, overwrites and deletes, in files of several levels; returns what is there at last. */
  private static Map<String, String> fill(Path folder, long seed, int batches) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, String> model = new TreeMap<>();
    // Synced, so that the store notes its last write.
    try (RocksStore store =
        RocksStore.open(folder, new RocksSettings(8 << 20, 1 << 20, 4 << 20, 0))) {
      for (int i = 0; i < batches; i++) {
        Batch batch = new Batch();
        for (int j = 0; j < 50; j++) {
          int number = random.nextInt(20_000);
          String key = "v" + (number % 7) + String.format(Locale.ROOT, "key-%05d", number);
          if (random.nextInt(4) == 0) {
            batch.delete(bytes(key));
            model.remove(key);
          } else {
            byte[] value = new byte[random.nextInt(200) + (random.nextInt(100) == 0 ? 20_000 : 0)];
            new Random(random.nextLong()).nextBytes(value);
            batch.put(bytes(key), value);
            model.put(key, text(value));
          }
        }
        ((Store) store).write(batch);
      }
    }
    return model;
  }

  private static List<Path> files(Path folder, String end) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  private static void flip(Path file, long offset) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] bytes = new byte[8];
      open.seek(offset);
      open.readFully(bytes);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] ^= (byte) 0xa5;
      }
      open.seek(offset);
      open.write(bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2d06800538d394c2",
    "1, 13e608bc156defed",
    "3, 974a8c6fa70c32a8",
    "4, d53c28cdece5352d",
    "8, d4d9e4c499ebd3fc",
    "9, d6fde0887a1893ca",
    "16, ca4738193200d5bf",
    "17, 02ec68113d62488b",
    "64, 37d7807c33e74a3c",
    "128, a67ae43aec758836",
    "129, fb628a6571944e54",
    "200, 41c155b1e16b9600",
    "240, 2408051b9d580275",
    "241, ef630bb6bb6cfe02",
    "1024, 46703f18d0b7abc5",
    "1025, 178c11ef15cb206e",
    "8192, bd4ab8125c56ceab",
    "20000, 4b1961536176d6e3"
  })
  void theHashIsThatOfItsAuthors(int length, String hash) {
    byte[] in = new byte[length];
    for (int i = 0; i < length; i++) {
      in[i] = (byte) (i * 131 + (i >> 8) * 7 + 3);
    }
    assertThat(HexFormat.of().toHexDigits(Xxh3.hash(in, length))).isEqualTo(hash);
  }

  @Test
  void aWholeStoreIsReadAsRocksDbReadsIt() throws Exception {
    Path folder = temp.resolve("data");
    Map<String, String> model = fill(folder, 1, 1500);

    DamagedStore read = read(folder);

    // Into how many tables the writes went is up to the compactions.
    assertThat(files(folder, ".sst")).isNotEmpty();
    assertThat(files(folder, ".log")).isNotEmpty();
    assertThat(read.damages()).isEmpty();
    assertThat(read.lostWrites()).isEmpty();
    assertThat(found.values()).noneMatch(Found::isUncertain);
    assertThat(found.keySet()).isEqualTo(model.keySet());
    model.forEach((key, value) -> assertThat(found.get(key).value()).isEqualTo(value));
  }

  @Test
  void tablesAreFoundWhateverTheDigitsOfTheLocale() throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      aWholeStoreIsReadAsRocksDbReadsIt();
    } finally {
      Locale.setDefault(before);
    }
  }

  /** RocksDB fills up the end of a block where the next header has no room: up to 10 bytes. */
  @Test
  void theFillerAtTheEndsOfBlocksIsNoDamage() throws Exception {
    Path folder = temp.resolve("data");
    int writes = 60_000;
    RocksSettings allInTheLog = new RocksSettings(64 << 20, 32 << 20, 64 << 20, 0).withoutSync();
    try (Store store = RocksStore.open(folder, allInTheLog)) {
      for (int i = 0; i < writes; i++) {
        Batch batch = new Batch();
        batch.put(bytes(String.format(Locale.ROOT, "v%06d", i)), new byte[i * 31 % 23]);
        store.write(batch);
      }
    }
    long inLogs = 0;
    for (Path log : files(folder, ".log")) {
      inLogs += Files.size(log);
    }
    // Records have 45 bytes or so: of 70 blocks, six end in 7 to 10 bytes, which look like a
    // header.
    assertThat(inLogs).isGreaterThan(70 * 32_768);

    DamagedStore read = read(folder);

    assertThat(read.damages()).isEmpty();
    assertThat(found).hasSize(writes);
  }

  /**
   * Whatever is damaged, nothing is taken for certain that is not, and nothing readable is lost.
   */
  @Test
  @Tag("slow")
  void whatIsTakenForCertainIsSo() throws Exception {
    long first = System.nanoTime();
    int deletedAgain = 0;
    for (int run = 0; run < 12; run++) {
      long seed = first + run;
      System.out.println("seed " + seed);
      SplittableRandom random = new SplittableRandom(seed);
      Path folder = temp.resolve("data-" + run);
      Map<String, String> model = fill(folder, seed, 200 + random.nextInt(700));
      List<Path> damaged = new ArrayList<>(files(folder, ".sst"));
      damaged.addAll(files(folder, ".log"));
      for (int i = 0; i < 1 + run / 6; i++) {
        Path file = damaged.get(random.nextInt(damaged.size()));
        if (Files.size(file) < 100) {
          continue;
        }
        if (run % 6 == 5) {
          Files.delete(file);
          damaged.remove(file);
        } else {
          flip(file, random.nextLong(Files.size(file) - 8));
        }
      }
      DamagedStore read = read(folder);
      for (Map.Entry<String, Found> each : found.entrySet()) {
        if (!each.getValue().isUncertain()) {
          assertThat(each.getValue().value())
              .as("seed %d, %s", seed, each.getKey())
              .isEqualTo(model.get(each.getKey()));
        }
        deletedAgain += model.containsKey(each.getKey()) ? 0 : 1;
      }
      for (Map.Entry<String, String> each : model.entrySet()) {
        Found there = found.get(each.getKey());
        boolean isWhole = there != null && there.value().equals(each.getValue());
        assertThat(isWhole || read.mayHaveHeld(bytes(each.getKey())))
            .as("seed %d, %s", seed, each.getKey())
            .isTrue();
      }
      if (read.damages().isEmpty() && read.lostWrites().isEmpty()) {
        assertThat(found).hasSameSizeAs(model);
      }
    }
    System.out.println("uncertain records that had been deleted: " + deletedAgain);
  }
}
