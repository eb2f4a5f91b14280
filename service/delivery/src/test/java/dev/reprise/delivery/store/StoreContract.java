package dev.reprise.delivery.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link Store} does. A store's own test extends this. */
abstract class StoreContract {
  Store store;

  /** A new, empty store; closed after the test. */
  abstract Store openStore() throws Exception;

  @BeforeEach
  void open() throws Exception {
    store = openStore();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void an_absent_key_has_no_value() {
    assertThat(store.get(bytes("absent"))).isNull();
  }

  @Test
  void an_empty_value_is_a_value() {
    put("key", "");

    assertThat(store.get(bytes("key"))).isEmpty();
    assertThat(scan("a", "z")).containsExactly("key=");
  }

  @Test
  void an_empty_key_is_a_key() {
    put("", "value");

    assertThat(get("")).isEqualTo("value");
    assertThat(scan("", "a")).containsExactly("=value");
  }

  @Test
  void a_later_operation_of_a_batch_wins() {
    Batch batch = new Batch();
    batch.put(bytes("put twice"), bytes("1"));
    batch.put(bytes("put twice"), bytes("2"));
    batch.put(bytes("deleted last"), bytes("1"));
    batch.delete(bytes("deleted last"));
    batch.delete(bytes("put last"));
    batch.put(bytes("put last"), bytes("1"));
    store.write(batch);

    assertThat(scan("a", "z")).containsExactly("put last=1", "put twice=2");
  }

  @Test
  void an_empty_batch_writes_nothing() {
    store.write(new Batch());

    assertThat(scan("", "\u00ff")).isEmpty();
  }

  @Test
  void deleting_what_is_absent_is_no_error() {
    delete("absent");

    assertThat(get("absent")).isNull();
  }

  @Test
  void a_short_lived_key_is_there_until_it_is_deleted() {
    putOnce("kept", "1");
    putOnce("gone", "2");
    deleteOnce("gone");
    deleteOnce("absent");

    assertThat(scan("a", "z")).containsExactly("kept=1");

    putOnce("gone", "3");

    assertThat(scan("a", "z")).containsExactly("gone=3", "kept=1");
  }

  @Test
  void a_later_operation_on_a_short_lived_key_wins() {
    Batch batch = new Batch();
    batch.putOnce(bytes("deleted last"), bytes("1"));
    batch.deleteOnce(bytes("deleted last"));
    batch.deleteOnce(bytes("put last"));
    batch.putOnce(bytes("put last"), bytes("1"));
    store.write(batch);

    assertThat(scan("a", "z")).containsExactly("put last=1");
  }

  @Test
  void keys_are_ordered_as_unsigned_bytes() {
    put("\u0080", "");
    put("\u007f", "");
    put("\u00ff", "");
    put("\u0000", "");
    put("\u007f\u0000", "");

    assertThat(scan("", "\u00ff\u0000"))
        .containsExactly("\u0000=", "\u007f=", "\u007f\u0000=", "\u0080=", "\u00ff=");
  }

  @Test
  void a_range_begins_with_its_first_key_and_ends_before_its_last() {
    put("a", "1");
    put("b", "2");
    put("c", "3");
    put("d", "4");

    assertThat(scan("b", "d")).containsExactly("b=2", "c=3");
    assertThat(scanBack("b", "d")).containsExactly("c=3", "b=2");
  }

  @Test
  void a_range_need_not_begin_or_end_at_a_key() {
    put("b", "2");
    put("d", "4");

    assertThat(scan("a", "c")).containsExactly("b=2");
    assertThat(scan("c", "e")).containsExactly("d=4");
    assertThat(scan("c", "d")).isEmpty();
    assertThat(scan("e", "f")).isEmpty();
    assertThat(scanBack("a", "c")).containsExactly("b=2");
    assertThat(scanBack("c", "e")).containsExactly("d=4");
    assertThat(scanBack("e", "f")).isEmpty();
  }

  @Test
  void a_range_whose_end_is_not_behind_its_beginning_is_empty() {
    put("a", "1");
    put("b", "2");

    assertThat(scan("a", "a")).isEmpty();
    assertThat(scan("b", "a")).isEmpty();
    assertThat(scanBack("a", "a")).isEmpty();
    assertThat(scanBack("b", "a")).isEmpty();
  }

  @Test
  void a_cursor_stays_at_its_end() {
    put("a", "1");

    try (Store.Cursor cursor = store.range(bytes("a"), bytes("b"))) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.next()).isFalse();
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void a_cursor_sees_the_store_as_it_was_when_it_was_opened() {
    put("a", "1");
    put("b", "1");
    try (Store.Cursor cursor = store.range(bytes("a"), bytes("z"));
        Store.Cursor back = store.reverseRange(bytes("a"), bytes("z"))) {
      delete("a");
      put("b", "2");
      put("c", "2");

      assertThat(rest(cursor)).containsExactly("a=1", "b=1");
      assertThat(rest(back)).containsExactly("b=1", "a=1");
    }
    assertThat(scan("a", "z")).containsExactly("b=2", "c=2");
  }

  @Test
  void what_a_cursor_hands_out_is_the_callers() {
    put("a", "1");
    put("b", "2");

    try (Store.Cursor cursor = store.range(bytes("a"), bytes("c"))) {
      cursor.next();
      byte[] key = cursor.key();
      byte[] value = cursor.value();
      cursor.next();
      assertThat(text(key) + text(value)).isEqualTo("a1");
      key[0] = 'x';
      value[0] = 'x';
    }
    assertThat(scan("a", "c")).containsExactly("a=1", "b=2");
  }

  @Test
  void a_batch_may_be_changed_after_it_was_written() {
    Batch batch = new Batch();
    batch.put(bytes("a"), bytes("1"));
    store.write(batch);
    batch.put(bytes("b"), bytes("2"));

    assertThat(scan("a", "z")).containsExactly("a=1");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 127, 128, 16_383, 16_384, 300 << 10, 5 << 20})
  void values_of_any_size_come_back_as_they_were(int size) {
    byte[] value = new byte[size];
    new Random(size).nextBytes(value);
    byte[] key = Arrays.copyOf(value, Math.min(size, 20_000));
    Batch batch = new Batch();
    batch.put(bytes("before"), bytes("1"));
    batch.put(key, value);
    batch.put(bytes("behind"), bytes("2"));
    store.write(batch);

    assertThat(store.get(key)).isEqualTo(value);
    assertThat(get("before") + get("behind")).isEqualTo("12");
  }

  @Test
  void cursors_need_not_be_read_to_their_end() {
    put("a", "1");
    put("b", "2");
    for (int i = 0; i < 10_000; i++) {
      try (Store.Cursor cursor = store.range(bytes("a"), bytes("z"))) {
        cursor.next();
      }
      store.reverseRange(bytes("a"), bytes("z")).close();
    }
    assertThat(scan("a", "z")).containsExactly("a=1", "b=2");
  }

  @Test
  void a_cursor_may_be_closed_twice() {
    Store.Cursor cursor = store.range(bytes("a"), bytes("z"));
    cursor.close();
    cursor.close();
  }

  @Test
  void a_cursor_has_no_key_before_its_first_entry() {
    put("a", "1");

    try (Store.Cursor cursor = store.range(bytes("a"), bytes("z"))) {
      assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
    }
  }

  /** Random batches, compared with a sorted map of the JDK after each. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void it_is_a_sorted_map(long seed) {
    Random random = new Random(seed);
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    for (int round = 0; round < 60; round++) {
      Batch batch = new Batch();
      for (int i = random.nextInt(30); i > 0; i--) {
        byte[] key = randomKey(random);
        if (random.nextBoolean()) {
          byte[] value = bytes("v" + random.nextInt());
          batch.put(key, value);
          expected.put(key, value);
        } else {
          batch.delete(key);
          expected.remove(key);
        }
      }
      store.write(batch);
      byte[] from = randomKey(random);
      byte[] to = randomKey(random);
      if (Arrays.compareUnsigned(from, to) < 0) {
        var range = expected.subMap(from, true, to, false);
        assertThat(rest(store.range(from, to))).as("seed " + seed).isEqualTo(lines(range));
        assertThat(rest(store.reverseRange(from, to)))
            .as("seed " + seed)
            .isEqualTo(lines(range.descendingMap()));
      }
    }
  }

  private static byte[] randomKey(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) * 85);
    }
    return key;
  }

  private static List<String> lines(Map<byte[], byte[]> map) {
    List<String> lines = new ArrayList<>();
    map.forEach((key, value) -> lines.add(text(key) + "=" + text(value)));
    return lines;
  }

  // --- short forms -------------------------------------------------------------------------

  final void put(String key, String value) {
    put(store, key, value);
  }

  static void put(Store store, String key, String value) {
    Batch batch = new Batch();
    batch.put(bytes(key), bytes(value));
    store.write(batch);
  }

  final void delete(String key) {
    Batch batch = new Batch();
    batch.delete(bytes(key));
    store.write(batch);
  }

  final String get(String key) {
    byte[] value = store.get(bytes(key));
    return value == null ? null : text(value);
  }

  final List<String> scan(String from, String to) {
    return scan(store, from, to);
  }

  static List<String> scan(Store store, String from, String to) {
    return rest(store.range(bytes(from), bytes(to)));
  }

  final List<String> scanBack(String from, String to) {
    return rest(store.reverseRange(bytes(from), bytes(to)));
  }

  static List<String> rest(Store.Cursor cursor) {
    try (cursor) {
      List<String> entries = new ArrayList<>();
      while (cursor.next()) {
        entries.add(text(cursor.key()) + "=" + text(cursor.value()));
      }
      return entries;
    }
  }

  /** One byte a character, so that tests can name any byte. */
  final void putOnce(String key, String value) {
    Batch batch = new Batch();
    batch.putOnce(bytes(key), bytes(value));
    store.write(batch);
  }

  final void deleteOnce(String key) {
    Batch batch = new Batch();
    batch.deleteOnce(bytes(key));
    store.write(batch);
  }

  static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }
}
