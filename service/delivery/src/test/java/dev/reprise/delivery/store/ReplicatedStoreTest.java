package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log, and a copy of it that a writer and a reader of the log may both carry on. */
class ReplicatedStoreTest {
  private static final byte[] KEY = {'P', 1};
  private static final byte[] OTHER = {'P', 2};

  @TempDir Path folder;
  private RocksStore rocks;
  private LogCopy copy;

  @BeforeEach
  void open() {
    rocks = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0));
    copy = new LogCopy(rocks.view(1));
  }

  @AfterEach
  void close() {
    rocks.close();
  }

  private void follow(byte[] key, byte[] value, long next) {
    Batch batch = new Batch();
    LogCopy.add(batch, key, value, /* shortLived= */ true);
    copy.apply(batch, next, 0);
  }

  private static Batch turn() {
    Batch turn = new Batch();
    turn.putOnce(KEY, new byte[] {1});
    turn.putOnce(OTHER, new byte[] {1});
    return turn;
  }

  @Test
  void aTurnThatSomebodyHasReadFromTheLogMeanwhileIsNotThereTwice() {
    TurnLog log =
        batch -> {
          // The writer stands still here, and the node follows the log again.
          follow(KEY, new byte[] {1}, 1);
          follow(OTHER, new byte[] {1}, 2);
          return 2;
        };
    ReplicatedStore store = new ReplicatedStore(log, copy, () -> 0);

    assertLost(store);

    Batch end = new Batch();
    end.deleteOnce(KEY);
    copy.apply(end, 3, 0);
    assertThat(copy.store().get(KEY)).as("deleted").isNull();
    assertThat(copy.store().get(OTHER)).isNotNull();
  }

  @Test
  void aTurnOfWhichSomebodyHasReadAPartIsNotAdded() {
    TurnLog log =
        batch -> {
          follow(KEY, new byte[] {1}, 1);
          return 2;
        };
    ReplicatedStore store = new ReplicatedStore(log, copy, () -> 0);

    assertLost(store);

    assertThat(copy.position()).isEqualTo(1);
    assertThat(copy.store().get(OTHER)).isNull();
  }

  private static void assertLost(ReplicatedStore store) {
    assertThatThrownBy(() -> store.write(turn()))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.lost()).as(e.getMessage()).isTrue());
  }

  @Test
  void aCopyIsAsOldAsItsLastProofOfBeingWhole() {
    AtomicLong brokers = new AtomicLong(1_000);
    TurnLog log =
        batch -> {
          // Longer than the log keeps deletions, of which others may have made some.
          brokers.set(500_000);
          return 2;
        };
    new ReplicatedStore(log, copy, brokers::get).write(turn());

    assertThat(copy.asOfMillis()).isEqualTo(1_000);
    assertThat(copy.prepare(3, 500_000, 100_000, key -> key[0] == 'P')).isTrue();
    assertThat(copy.position()).isZero();
    assertThat(copy.store().get(KEY)).isNull();
  }
}
