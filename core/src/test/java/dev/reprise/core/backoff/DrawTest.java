package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class DrawTest {
  @Property
  void isTheShareOfTheRangeThatTheBitsAreOfAllBits(
      @ForAll long bits, @ForAll @LongRange(min = 0) long a, @ForAll @LongRange(min = 0) long b) {
    long lowest = Math.min(a, b);
    long highest = Math.max(a, b);
    BigInteger values = BigInteger.valueOf(highest).subtract(BigInteger.valueOf(lowest - 1));
    BigInteger unsignedBits = new BigInteger(Long.toUnsignedString(bits));
    long expected = lowest + unsignedBits.multiply(values).shiftRight(64).longValueExact();

    assertThat(Draw.between(lowest, highest, () -> bits)).isEqualTo(expected);
  }

  @Property
  void bothEndsArePossible(@ForAll @LongRange(min = 0) long a, @ForAll @LongRange(min = 0) long b) {
    long lowest = Math.min(a, b);
    long highest = Math.max(a, b);

    assertThat(Draw.between(lowest, highest, Sources.LOWEST)).isEqualTo(lowest);
    assertThat(Draw.between(lowest, highest, Sources.HIGHEST)).isEqualTo(highest);
  }

  @Test
  void wholeRangeOfALongIsDrawnFrom() {
    assertThat(Draw.between(0, Long.MAX_VALUE, Sources.LOWEST)).isZero();
    assertThat(Draw.between(0, Long.MAX_VALUE, Sources.at(0.5))).isEqualTo(1L << 62);
    assertThat(Draw.between(0, Long.MAX_VALUE, Sources.HIGHEST)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void valuesAreEquallyLikely() {
    SplittableRandom random = new SplittableRandom(20261121);
    int[] counts = new int[10];

    for (int i = 0; i < 100_000; i++) {
      counts[(int) Draw.between(5, 14, random) - 5]++;
    }

    // Five standard deviations of 95 around a tenth.
    for (int count : counts) {
      assertThat(count).isBetween(9_525, 10_475);
    }
  }

  @Test
  void takesOneNumberAndNoneWhenThereIsNoChoice() {
    Sources.Counting random = new Sources.Counting();

    assertThat(Draw.between(1, 2, random)).isEqualTo(2);
    assertThat(random.draws()).isEqualTo(1);
    assertThat(Draw.between(7, 7, random)).isEqualTo(7);
    assertThat(random.draws()).isEqualTo(1);
  }
}
