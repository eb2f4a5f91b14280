package dev.reprise.policy.preview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.policy.Policies;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ExpectedDelayTest {
  @Provide
  Arbitrary<Backoff> backoffs() {
    return Policies.backoffs();
  }

  /** Evenly spread draws have the average that the preview expects. */
  @Property(tries = 200)
  void expectedIsTheAverageOfAllDraws(@ForAll("backoffs") Backoff backoff) {
    int draws = 4096;
    for (int retry : List.of(1, 2, 5, 9)) {
      // Exact: a double drops single nanoseconds from a sum over 2^53, which is 104 days.
      BigInteger sum = BigInteger.ZERO;
      for (int i = 0; i < draws; i++) {
        // The middles of as many equal parts of all numbers.
        long drawn = ((long) i << 52) + (1L << 51);
        sum = sum.add(BigInteger.valueOf(backoff.delayNanos(retry, () -> drawn)));
      }
      BigInteger width =
          BigInteger.valueOf(backoff.range(retry).highestNanos())
              .subtract(BigInteger.valueOf(backoff.range(retry).lowestNanos()));
      BigInteger expected = BigInteger.valueOf(ExpectedDelay.nanos(backoff, retry));

      // One nanosecond, and what the width of one part adds.
      assertThat(expected.multiply(BigInteger.valueOf(draws)).subtract(sum).abs())
          .isLessThanOrEqualTo(width.add(BigInteger.valueOf(draws)));
    }
  }
}
