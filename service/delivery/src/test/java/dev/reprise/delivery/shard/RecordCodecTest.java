package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
  @Property
  void whatIsWrittenIsRead(
      @ForAll @LongRange(min = 0) long number,
      @ForAll long fixed,
      @ForAll @IntRange(min = 0, max = 255) int small,
      @ForAll String text,
      @ForAll byte[] blob,
      @ForAll @IntRange(min = 0, max = 40) int capacityBytes) {
    // A lone surrogate has no UTF-8 form.
    String valid = text.replaceAll("\\p{Cs}", "?");
    byte[] bytes =
        new RecordCodec.Writer(capacityBytes)
            .number(number)
            .fixed(fixed)
            .u8(small)
            .text(valid)
            .blob(blob)
            .toBytes();
    RecordCodec.Reader in = new RecordCodec.Reader(bytes);
    assertThat(in.number()).isEqualTo(number);
    assertThat(in.fixed()).isEqualTo(fixed);
    assertThat(in.u8()).isEqualTo(small);
    assertThat(in.text()).isEqualTo(valid);
    assertThat(in.blob()).isEqualTo(blob);
  }

  @Test
  void numbersTakeOneByteForEachSevenBits() {
    assertThat(new RecordCodec.Writer(0).number(0).toBytes()).containsExactly(0);
    assertThat(new RecordCodec.Writer(0).number(127).toBytes()).containsExactly(127);
    assertThat(new RecordCodec.Writer(0).number(128).toBytes()).containsExactly(0x80, 1);
    assertThat(new RecordCodec.Writer(0).number(Long.MAX_VALUE).toBytes()).hasSize(9);
  }

  @Test
  void negativeNumbersAreRefused() {
    assertThatThrownBy(() -> new RecordCodec.Writer(0).number(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("number is -1: must be 0 or more");
  }

  @Test
  void aRecordOfANewerVersionIsRefusedAndNotMisread() {
    assertThatThrownBy(() -> new RecordCodec.Reader(new byte[] {2}).version(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("stored record has version 2: this program reads version 1");
  }

  @Test
  void aCountThatIsNoCountIsRefused() {
    byte[] bytes = new RecordCodec.Writer(0).number(1L << 31).toBytes();
    assertThatThrownBy(() -> new RecordCodec.Reader(bytes).count())
        .isInstanceOf(ArithmeticException.class);
  }
}
