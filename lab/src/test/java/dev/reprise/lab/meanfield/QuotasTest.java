package dev.reprise.lab.meanfield;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotasTest {
  @ParameterizedTest
  @CsvSource({"0", "0.1", "0.3", "0.9", "1"})
  void acceptsWhatABucketOfWholeDevicesAccepts(double rejectionCost) {
    double perSecond = 100_000;
    Quotas quota = new Quotas(perSecond, 0.1, rejectionCost);
    SplittableRandom random = new SplittableRandom(7);
    double tokens = 10_000;
    double ofBucket = 0;
    double ofFluid = 0;
    for (int step = 0; step < 300; step++) {
      int arrivals = (int) (random.nextDouble() * random.nextDouble() * 8_000);
      for (int i = 0; i < arrivals; i++) {
        tokens = Math.min(10_000, tokens + perSecond * 0.01 / arrivals);
        if (tokens >= 1) {
          tokens -= 1;
          ofBucket++;
        } else {
          tokens = Math.max(-perSecond, tokens - rejectionCost);
        }
      }
      if (arrivals == 0) {
        tokens = Math.min(10_000, tokens + perSecond * 0.01);
      }
      ofFluid += quota.accept(arrivals, 0.01, perSecond);
      assertThat(ofFluid).as("step %d", step).isCloseTo(ofBucket, within(20 + 0.002 * ofBucket));
    }
  }

  @Test
  void owesAtMostASecondOfWork() {
    Quotas quota = new Quotas(100, 0, 0.5);

    assertThat(quota.accept(1_000_000, 10, 100)).isLessThan(2);
    // A second pays the debt; from then on as many are accepted as one token allows, by chance.
    assertThat(quota.accept(0, 1, 100)).isZero();
    assertThat(quota.accept(50, 1, 100)).isCloseTo(30, within(1e-9));
  }
}
