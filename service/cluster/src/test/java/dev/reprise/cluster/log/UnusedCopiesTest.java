package dev.reprise.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When copies that nobody uses are dropped, on virtual time. */
class UnusedCopiesTest {
  private static final int SHARDS = 3;

  @TempDir Path folder;
  private RocksStore store;
  private ShardCopies copies;
  private long nowNanos = Long.MAX_VALUE - Duration.ofMinutes(10).toNanos();
  private UnusedCopies unused;

  /** The shards that other nodes own, and of which this one is to have no copy. */
  private final Set<Integer> elsewhere = new HashSet<>();

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
    copies = new ShardCopies(store, SHARDS);
    unused = new UnusedCopies(copies, () -> nowNanos);
    for (int shard = 0; shard < SHARDS; shard++) {
      write(copies.apply(shard), 10 + shard);
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static void write(LogCopy copy, long next) {
    Batch batch = new Batch();
    batch.put(new byte[] {'k', (byte) next}, new byte[] {1});
    copy.apply(batch, next, 1_000);
  }

  /** The group's member goes on for a while, as it does: it looks every second or so. */
  private void live(Duration time) {
    for (long i = 0; i < time.toSeconds(); i++) {
      nowNanos += Duration.ofSeconds(1).toNanos();
      unused.look(elsewhere::contains);
    }
  }

  private int entries(int shard) {
    int entries = 0;
    try (Store.Cursor cursor = store.view(1 + shard).range(new byte[] {}, new byte[] {-1, -1})) {
      while (cursor.next()) {
        entries++;
      }
    }
    return entries;
  }

  @Test
  void aCopyThatIsNotUsedForAnHourIsDropped() {
    elsewhere.add(1);
    live(Duration.ofMinutes(59));
    assertThat(copies.positions()).isEqualTo(Map.of(0, 10L, 1, 11L, 2, 12L));

    live(Duration.ofMinutes(2));

    assertThat(copies.positions()).isEqualTo(Map.of(0, 10L, 2, 12L));
    assertThat(entries(1)).isZero();
    assertThat(entries(0)).isEqualTo(2);
    assertThat(entries(2)).isEqualTo(2);
  }

  @Test
  void itsHourBeginsAnewWheneverItIsUsed() {
    elsewhere.add(1);
    live(Duration.ofMinutes(50));
    elsewhere.clear();
    live(Duration.ofMinutes(1));
    elsewhere.add(1);
    live(Duration.ofMinutes(50));
    assertThat(copies.positions()).containsKey(1);

    live(Duration.ofMinutes(11));

    assertThat(copies.positions()).doesNotContainKey(1);
  }

  @Test
  void whileTheNodeStandsStillNextToNothingCounts() {
    elsewhere.add(1);
    live(Duration.ofMinutes(30));

    nowNanos += Duration.ofHours(5).toNanos();
    live(Duration.ofMinutes(28));
    assertThat(copies.positions()).containsKey(1);

    live(Duration.ofMinutes(3));
    assertThat(copies.positions()).doesNotContainKey(1);
  }

  @Test
  void whatIsFoundAtTheStartHasItsHourFromThen() {
    elsewhere.add(1);
    live(Duration.ofMinutes(50));

    unused = new UnusedCopies(new ShardCopies(store, SHARDS), () -> nowNanos);
    live(Duration.ofMinutes(50));
    assertThat(entries(1)).isEqualTo(2);
    live(Duration.ofMinutes(11));

    assertThat(entries(1)).isZero();
  }

  @Test
  void aShardThatComesBackBeginsAnewAndItsOldCopyIsClosed() {
    LogCopy old = copies.apply(1);
    elsewhere.add(1);
    live(Duration.ofMinutes(61));
    elsewhere.clear();

    LogCopy anew = copies.apply(1);
    write(anew, 5);

    assertThat(catchThrowable(() -> write(old, 50))).hasMessageContaining("the copy was dropped");
    assertThat(copies.positions()).containsEntry(1, 5L);
    live(Duration.ofHours(2));
    assertThat(new ShardCopies(store, SHARDS).positions()).containsEntry(1, 5L);
  }
}
