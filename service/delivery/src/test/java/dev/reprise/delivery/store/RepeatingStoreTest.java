package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store below that fails, for once or for good. */
class RepeatingStoreTest extends StoreContract {
  @TempDir Path folder;
  private final List<Long> pauses = new ArrayList<>();
  private FailingStore failing;

  @Override
  Store openStore() {
    failing = new FailingStore(RocksStore.open(folder.resolve("data"), RocksSettings.defaults()));
    return RepeatingStore.ofReads(failing, pauses::add);
  }

  @Test
  void a_range_whose_steps_fail_is_whole_in_both_directions() {
    for (int i = 0; i < 50; i++) {
      put(String.format(Locale.ROOT, "%02d", i), "value " + i);
    }
    List<String> expected = new ArrayList<>();
    for (int i = 10; i < 40; i++) {
      expected.add(String.format(Locale.ROOT, "%02d=value %d", i, i));
    }
    List<String> reversed = new ArrayList<>(expected);
    Collections.reverse(reversed);
    // Opening, stepping, and asking for key or value fail in turn.
    for (int every : new int[] {4, 5, 7}) {
      failing.failEvery = every;
      assertThat(scan("10", "40")).isEqualTo(expected);
      assertThat(rest(store.reverseRange(bytes("10"), bytes("40")))).isEqualTo(reversed);
      assertThat(get("25")).isEqualTo("value 25");
    }
    assertThat(failing.failures).isGreaterThan(100);
  }

  @Test
  void a_read_that_fails_on_is_given_up_and_shows_meanwhile() {
    put("a", "1");
    List<StoreException> seen = new ArrayList<>();
    RepeatingStore[] repeating = new RepeatingStore[1];
    repeating[0] =
        RepeatingStore.ofReads(
            failing,
            millis -> {
              pauses.add(millis);
              seen.add(repeating[0].fault());
            });
    failing.always = new StoreException("cannot read: IO error", false, null);

    assertThatThrownBy(() -> repeating[0].get(bytes("a"))).isSameAs(failing.always);
    assertThat(pauses.stream().mapToLong(Long::longValue).sum())
        .isBetween(RepeatingStore.PATIENCE_MILLIS, RepeatingStore.PATIENCE_MILLIS + 1000);
    assertThat(seen).containsOnly(failing.always);
    assertThat(repeating[0].fault()).isNull();
  }

  @Test
  void an_error_that_lasts_is_not_waited_for() {
    put("a", "1");
    pauses.clear();
    failing.always = StoreException.lasting("data folder /x is damaged", null);

    assertThatThrownBy(() -> get("a")).isSameAs(failing.always);
    assertThat(pauses).isEmpty();
  }

  @Test
  void a_write_is_repeated_only_where_that_was_asked_for() {
    failing.failWrites = 1;
    assertThatThrownBy(() -> put("a", "1")).isInstanceOf(StoreException.class);

    failing.failWrites = 1;
    put(RepeatingStore.ofReadsAndWrites(failing), "a", "2");
    assertThat(get("a")).isEqualTo("2");
  }

  /** Fails at some steps of reads, and at the first writes. */
  private static final class FailingStore implements Store {
    private final Store store;
    private int failEvery;
    private int steps;
    private int failures;
    private int failWrites;
    private @Nullable StoreException always;

    FailingStore(Store store) {
      this.store = store;
    }

    private void step() {
      if (always != null) {
        throw always;
      }
      if (failEvery > 0 && ++steps % failEvery == 0) {
        failures++;
        throw new StoreException("cannot read: IO error", false, null);
      }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      step();
      return store.get(key);
    }

    @Override
    public Cursor range(byte[] from, byte[] to) {
      step();
      return new FailingCursor(store.range(from, to));
    }

    @Override
    public Cursor reverseRange(byte[] from, byte[] to) {
      step();
      return new FailingCursor(store.reverseRange(from, to));
    }

    @Override
    public void write(Batch batch) {
      if (failWrites > 0) {
        failWrites--;
        throw new StoreException("cannot write: IO error", false, null);
      }
      store.write(batch);
    }

    @Override
    public void close() {
      store.close();
    }

    private final class FailingCursor implements Cursor {
      private final Cursor cursor;

      FailingCursor(Cursor cursor) {
        this.cursor = cursor;
      }

      @Override
      public boolean next() {
        step();
        return cursor.next();
      }

      @Override
      public byte[] key() {
        step();
        return cursor.key();
      }

      @Override
      public byte[] value() {
        step();
        return cursor.value();
      }

      @Override
      public void close() {
        cursor.close();
      }
    }
  }
}
