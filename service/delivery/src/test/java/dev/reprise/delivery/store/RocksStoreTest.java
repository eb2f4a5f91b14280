package dev.reprise.delivery.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksStoreTest extends StoreContract {
  @TempDir Path folder;

  @Override
  RocksStore openStore() {
    return RocksStore.open(folder.resolve("data"), RocksSettings.defaults());
  }

  private RocksStore rocks() {
    return (RocksStore) store;
  }

  @Test
  void views_do_not_see_each_other() {
    Store one = rocks().view(1);
    Store two = rocks().view(2);
    Store last = rocks().view(RocksStore.MAX_VIEW);
    put(one, "key", "1");
    put(one, "\u00ff\u00ff\u00ff", "end of 1");
    put(two, "", "begin of 2");
    put(two, "key", "2");
    put(last, "\u00ff\u00ff", "end of all");

    assertThat(scan(one, "", "\u00ff\u00ff\u00ff\u00ff\u00ff"))
        .containsExactly("key=1", "\u00ff\u00ff\u00ff=end of 1");
    assertThat(scan(two, "", "\u00ff")).containsExactly("=begin of 2", "key=2");
    assertThat(scan(last, "", "\u00ff\u00ff\u00ff")).containsExactly("\u00ff\u00ff=end of all");
    assertThat(scan(rocks().view(3), "", "\u00ff\u00ff\u00ff")).isEmpty();
    assertThat(rest(one.reverseRange(bytes(""), bytes("\u00ff\u00ff\u00ff\u00ff"))))
        .containsExactly("\u00ff\u00ff\u00ff=end of 1", "key=1");
  }

  @Test
  void a_view_is_the_same_after_reopening() {
    put(rocks().view(258), "key", "value");
    store.close();
    store = openStore();

    assertThat(scan(rocks().view(258), "", "z")).containsExactly("key=value");
    assertThat(scan("", "\u00ff")).containsExactly("\u0001\u0002key=value");
  }

  @Test
  void closing_a_view_leaves_the_store_open() {
    rocks().view(1).close();
    put("a", "1");

    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void a_view_number_beyond_the_last_is_refused() {
    assertThatThrownBy(() -> rocks().view(65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("view number is 65536: must be from 0 to 65535");
    assertThatThrownBy(() -> rocks().view(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_closed_store_refuses_work_and_does_not_crash() {
    put("a", "1");
    Store.Cursor cursor = store.range(bytes("a"), bytes("z"));
    cursor.next();
    store.close();

    assertThatThrownBy(() -> get("a"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is closed");
    assertThatThrownBy(() -> put("a", "2")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> scan("a", "z")).isInstanceOf(StoreException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(StoreException.class);
    assertThatThrownBy(cursor::key).isInstanceOf(StoreException.class);
    cursor.close();
    store.close();
  }

  @Test
  void an_interrupted_thread_can_write_and_read() {
    Thread.currentThread().interrupt();
    put("a", "1");
    put("a", "2");

    assertThat(get("a")).isEqualTo("2");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void many_threads_work_until_the_store_closes_under_them() throws Exception {
    int threads = 4;
    AtomicIntegerArray written = new AtomicIntegerArray(threads);
    CountDownLatch underWay = new CountDownLatch(threads * 50);
    List<Throwable> surprises = new CopyOnWriteArrayList<>();
    List<Thread> writers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Store view = rocks().view(t);
      Thread writer =
          new Thread(
              () -> {
                try {
                  while (true) {
                    int next = written.get(number);
                    put(view, String.format(Locale.ROOT, "%08d", next), "value");
                    written.incrementAndGet(number);
                    underWay.countDown();
                    assertThat(scan(view, String.format(Locale.ROOT, "%08d", next), "z"))
                        .hasSize(1);
                  }
                } catch (StoreException e) {
                  if (!e.getMessage().contains("is closed")) {
                    surprises.add(e);
                  }
                } catch (Throwable e) {
                  surprises.add(e);
                }
              });
      writers.add(writer);
      writer.start();
    }
    underWay.await();
    store.close();
    for (Thread writer : writers) {
      writer.join();
    }

    assertThat(surprises).isEmpty();
    store = openStore();
    for (int t = 0; t < threads; t++) {
      assertThat(scan(rocks().view(t), "", "z")).hasSize(written.get(t));
    }
  }

  @Test
  void a_cursor_that_was_open_when_the_store_was_reopened_says_so() {
    put("a", "1");
    put("b", "2");
    Store.Cursor cursor = store.range(bytes("a"), bytes("z"));
    cursor.next();
    rocks().reopen(rocks().db());

    for (ThrowingCallable step :
        List.<ThrowingCallable>of(cursor::next, cursor::key, cursor::value)) {
      assertThatThrownBy(step)
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.lasting()).isFalse())
          .hasMessageContaining("was reopened");
    }
    cursor.close();
    assertThat(scan("a", "z")).containsExactly("a=1", "b=2");
  }

  @Test
  void many_threads_work_while_the_store_is_reopened_under_them() throws Exception {
    int threads = 3;
    AtomicIntegerArray written = new AtomicIntegerArray(threads);
    AtomicBoolean stop = new AtomicBoolean();
    List<Throwable> surprises = new CopyOnWriteArrayList<>();
    List<Thread> writers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Store view = RepeatingStore.ofReadsAndWrites(rocks().view(t));
      Thread writer =
          new Thread(
              () -> {
                try {
                  while (!stop.get()) {
                    put(view, String.format(Locale.ROOT, "%08d", written.get(number)), "value");
                    int count = written.incrementAndGet(number);
                    assertThat(scan(view, "", "z")).hasSize(count);
                  }
                } catch (Throwable e) {
                  surprises.add(e);
                }
              });
      writers.add(writer);
      writer.start();
    }
    for (int i = 0; i < 4; i++) {
      int goal = written.get(0) + 5;
      while (written.get(0) < goal && surprises.isEmpty()) {
        Thread.onSpinWait();
      }
      rocks().reopen(rocks().db());
    }
    stop.set(true);
    for (Thread writer : writers) {
      writer.join();
    }

    assertThat(surprises).isEmpty();
    store.close();
    store = openStore();
    for (int t = 0; t < threads; t++) {
      assertThat(scan(rocks().view(t), "", "z")).hasSize(written.get(t));
    }
  }

  @Test
  void sizes_follow_what_is_stored() {
    long diskBefore = rocks().diskBytes();
    long nativeBefore = rocks().nativeBytes();
    put("a", "x".repeat(4 << 20));

    assertThat(rocks().diskBytes() - diskBefore).isBetween(4L << 20, 5L << 20);
    assertThat(rocks().nativeBytes() - nativeBefore).isBetween(4L << 20, 8L << 20);
    assertThat(rocks().usableBytes()).isPositive();
  }

  @Test
  void settings_out_of_range_are_refused_by_name() {
    assertThatThrownBy(() -> new RocksSettings(8 << 20, 5 << 20, 1 << 20, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("memtableBytes is 5242880: must be <= half of memoryBytes 8388608");
    assertThatThrownBy(() -> RocksSettings.defaults().withReserveBytes(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("reserveBytes is -1: must be >= 0");
  }
}
