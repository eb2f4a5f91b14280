package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.MessageId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The order of keys is the order of what they stand for, and where they stand is pinned. */
class KeysTest {
  /** A delivery or dead letter at a time. */
  record Timed(long subscription, long time, MessageId message) {
    static final Comparator<Timed> ORDER =
        Comparator.comparingLong(Timed::subscription)
            .thenComparingLong(Timed::time)
            .thenComparing(Timed::message);
  }

  @Property
  void byteOrderIsTheOrderOfSubscriptionTimeAndMessage(
      @ForAll("timed") Timed one, @ForAll("timed") Timed other) {
    int bytes = Arrays.compareUnsigned(key(one), key(other));
    assertThat(Integer.signum(bytes)).isEqualTo(Integer.signum(Timed.ORDER.compare(one, other)));
  }

  @Property
  void timedKeysAreReadAsTheyWereWritten(@ForAll("timed") Timed timed) {
    byte[] key = key(timed);
    assertThat(Keys.subscription(key)).isEqualTo(timed.subscription());
    assertThat(Keys.time(key)).isEqualTo(timed.time());
    assertThat(Keys.message(key)).isEqualTo(timed.message());
    byte[] from = Keys.timed(Keys.PENDING, timed.subscription(), timed.time());
    assertThat(Arrays.compareUnsigned(from, key)).isNegative();
  }

  @Property
  void noTwoReceiptsHaveTheSameKey(
      @ForAll String group, @ForAll String id, @ForAll String otherGroup, @ForAll String otherId) {
    boolean same = group.equals(otherGroup) && id.equals(otherId);
    assertThat(Arrays.equals(Keys.receipt(group, id), Keys.receipt(otherGroup, otherId)))
        .isEqualTo(same);
    // What ends the one begins the other.
    assertThat(Keys.receipt(group + "x", id)).isNotEqualTo(Keys.receipt(group, "x" + id));
  }

  @Test
  void aReceiptsIdIsKeptInFullUpTo255Bytes() {
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(Keys.receipt("smsc", "4711"))).isEqualTo("5204736d73630434373131");
    assertThat(Keys.receipt("smsc", "i".repeat(255))).hasSize(1 + 5 + 1 + 255);
    byte[] hashed = Keys.receipt("smsc", "i".repeat(256));
    assertThat(hashed).hasSize(1 + 5 + 1 + 32);
    assertThat(hashed[6]).isZero();
    assertThat(Keys.receipt("smsc", "i".repeat(257))).isNotEqualTo(hashed);
    assertThat(Keys.receipt("smsc", "")).hasSize(1 + 5 + 1 + 32);
  }

  @Property
  void historyIsOrderedByMessageThenAttempt(
      @ForAll("messages") MessageId one,
      @ForAll("messages") MessageId other,
      @ForAll @IntRange(min = 0) int attempt,
      @ForAll @IntRange(min = 0) int otherAttempt) {
    byte[] key = Keys.history(7, one, attempt, 0);
    byte[] otherKey = Keys.history(7, other, otherAttempt, 0);
    int byMessage = one.compareTo(other);
    int expected = byMessage != 0 ? byMessage : Integer.compare(attempt, otherAttempt);
    assertThat(Integer.signum(Arrays.compareUnsigned(key, otherKey)))
        .isEqualTo(Integer.signum(expected));
    assertThat(Keys.historyMessage(key)).isEqualTo(one);
    assertThat(Keys.historyAttempt(key)).isEqualTo(attempt);
    assertThat(Keys.subscription(key)).isEqualTo(7);
  }

  @Property
  void afterIsBehindEveryKeyWithThePrefixAndNotBehindMore(
      @ForAll @Size(min = 1, max = 6) byte[] prefix, @ForAll @Size(max = 4) byte[] rest) {
    prefix[0] = 'P';
    byte[] after = Keys.after(prefix);
    byte[] key = Arrays.copyOf(prefix, prefix.length + rest.length);
    System.arraycopy(rest, 0, key, prefix.length, rest.length);
    assertThat(Arrays.compareUnsigned(key, after)).isNegative();
    // Nothing without the prefix lies between: the smallest such key is the bound itself.
    assertThat(Arrays.equals(after, 0, prefix.length, prefix, 0, prefix.length)).isFalse();
  }

  @Test
  void nothingIsAfterOnesAlone() {
    assertThatThrownBy(() -> Keys.after(new byte[] {-1, -1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no key follows a prefix of 0xff bytes alone");
  }

  @Test
  void theLayoutOfStoredKeysIsPinned() {
    MessageId message = new MessageId(0x0102030405060708L, 0x8990919293949596L);
    assertThat(hex(Keys.timed(Keys.PENDING, 1, 2, message)))
        .isEqualTo("50" + "0000000000000001" + "0000000000000002" + ID);
    assertThat(hex(Keys.timed(Keys.DEAD_LETTER, 1, 2, message)))
        .isEqualTo("44" + "0000000000000001" + "0000000000000002" + ID);
    assertThat(hex(Keys.history(1, message, 3, 2)))
        .isEqualTo("41" + "0000000000000001" + ID + "00000003" + "02");
    assertThat(hex(Keys.ofSubscription(Keys.LEDGER, 1))).isEqualTo("4c" + "0000000000000001");
    assertThat(hex(Keys.ofMessage(Keys.PAYLOAD, message))).isEqualTo("4d" + ID);
    assertThat(hex(Keys.ofMessage(Keys.SHARE_COUNT, message))).isEqualTo("43" + ID);
    assertThat(hex(Keys.ofMessage(Keys.ACCEPTED, message))).isEqualTo("4a" + ID);
    assertThat(hex(Keys.idempotency(new byte[] {5, 6}))).isEqualTo("490506");
    assertThat(hex(Keys.CLOCK)).isEqualTo("5363");
    assertThat(hex(Keys.TAKEN)).isEqualTo("5374");
    assertThat(hex(Keys.OPEN_TAKEN)).isEqualTo("5361");
    assertThat(hex(Keys.LOST)).isEqualTo("5367");
    assertThat(hex(Keys.OPEN_LOST)).isEqualTo("5368");
    assertThat(hex(Keys.STANDS)).isEqualTo("5373");
    assertThat(hex(Keys.CLOSED_LEDGER)).isEqualTo("536c");
    assertThat(Keys.messageOnly(Keys.ofMessage(Keys.ACCEPTED, message))).isEqualTo(message);
  }

  private static final String ID = "01020304050607088990919293949596";

  private static String hex(byte[] key) {
    return HexFormat.of().formatHex(key);
  }

  private static byte[] key(Timed timed) {
    return Keys.timed(Keys.PENDING, timed.subscription(), timed.time(), timed.message());
  }

  @Provide
  Arbitrary<Timed> timed() {
    return Combinators.combine(
            Arbitraries.longs().between(1, Long.MAX_VALUE),
            Arbitraries.longs().between(0, 3).map(n -> n * 1_700_000_000_000L),
            messages())
        .as(Timed::new);
  }

  @Provide
  Arbitrary<MessageId> messages() {
    Arbitrary<Long> parts = Arbitraries.longs().edgeCases(e -> e.add(-1L, 0L, Long.MIN_VALUE));
    return Combinators.combine(parts, parts).as(MessageId::new);
  }
}
