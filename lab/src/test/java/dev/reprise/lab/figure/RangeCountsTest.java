package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RangeCountsTest {
  @Test
  void smallNumbersHaveRangesOfTheirOwn() {
    RangeCounts counts = new RangeCounts();
    for (long number : new long[] {0, 1, 1, 7, 8, 9, 10}) {
      counts.add(number);
    }
    Distribution distribution = counts.distribution("attempts", "", 1);
    assertThat(distribution.upperBounds()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 9, 11);
    assertThat(distribution.counts()).containsExactly(1, 2, 0, 0, 0, 0, 0, 1, 2, 1);
  }

  @Test
  void nothingCountedIsAnEmptyDistribution() {
    assertThat(new RangeCounts().distribution("delays", "s", 1).counts()).isEmpty();
  }

  @Property
  void everyNumberIsWithinItsRange(@ForAll @LongRange(min = 0, max = Long.MAX_VALUE) long number) {
    RangeCounts counts = new RangeCounts();
    counts.add(number);
    Distribution distribution = counts.distribution("waits", "", 1);
    int last = distribution.counts().length - 1;
    assertThat(Arrays.stream(distribution.counts()).sum()).isEqualTo(1);
    assertThat(distribution.counts()[last]).isEqualTo(1);
    assertThat(distribution.upperBounds()[last]).isGreaterThanOrEqualTo((double) number);
    if (last > 0) {
      assertThat(distribution.upperBounds()[last - 1]).isLessThanOrEqualTo((double) number);
      assertThat(distribution.upperBounds()[last]).isLessThanOrEqualTo(1.25 * number + 1);
    }
  }
}
