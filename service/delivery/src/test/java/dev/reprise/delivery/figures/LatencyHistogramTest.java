package dev.reprise.delivery.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  @Test
  void quantilesAreKnownToWithinAnEighth() {
    SplittableRandom random = new SplittableRandom(1);
    LatencyHistogram histogram = new LatencyHistogram();
    long[] micros = new long[10_000];
    for (int i = 0; i < micros.length; i++) {
      micros[i] = (long) Math.exp(random.nextDouble(2, 17));
      histogram.add(micros[i] * 1000);
    }
    Arrays.sort(micros);
    for (double part : new double[] {0.01, 0.5, 0.9, 0.99, 0.999}) {
      double exact = micros[(int) Math.ceil(part * micros.length) - 1];
      assertThat((double) histogram.quantileMicros(part))
          .as("quantile %s", part)
          .isCloseTo(exact, within(exact / 8 + 1));
    }
    assertThat(histogram.quantileMicros(1)).isLessThanOrEqualTo(histogram.maxMicros());
    assertThat(histogram.maxMicros()).isEqualTo(micros[micros.length - 1]);
    assertThat(histogram.sumMicros()).isEqualTo(Arrays.stream(micros).sum());
  }

  @Test
  void bucketsAreInTheOrderOfDurations() {
    int last = -1;
    for (long micros = 0; micros < 1L << 40; micros += 1 + micros / 16) {
      int bucket = LatencyHistogram.bucket(micros);
      assertThat(bucket).isBetween(last, LatencyHistogram.BUCKETS - 1);
      last = bucket;
    }
    assertThat(last).isEqualTo(LatencyHistogram.BUCKETS - 1);
    assertThat(LatencyHistogram.bucket(Long.MAX_VALUE)).isEqualTo(last);
  }

  @Test
  void aSumHasBoth() {
    LatencyHistogram one = new LatencyHistogram();
    one.add(5_000_000);
    LatencyHistogram other = new LatencyHistogram();
    other.add(1_000);
    other.add(900_000_000);
    one.add(other);
    one.add(new LatencyHistogram());

    assertThat(one.count()).isEqualTo(3);
    assertThat(one.maxMicros()).isEqualTo(900_000);
    assertThat(one.quantileMicros(0.5)).isBetween(4_400L, 5_600L);
    assertThat(new LatencyHistogram().quantileMicros(0.5)).isZero();
  }

  @Test
  void bucketsThatDoNotExistAreRefused() {
    assertThatThrownBy(() -> new LatencyHistogram(127, new int[2], 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("127");
  }
}
