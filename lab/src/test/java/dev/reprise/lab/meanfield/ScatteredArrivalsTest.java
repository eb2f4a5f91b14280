package dev.reprise.lab.meanfield;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScatteredArrivalsTest {
  @ParameterizedTest
  @CsvSource({
    "1, 0, 0.5", "1, 0, 1", "1, 0, 12", "1, 0.2, 2", "1.5, 0, 1", "2, 0, 0.9", "2, 0.3, 1.5",
    "5, 0, 1", "5, 0.1, 0.8", "5, 0.1, 4", "20, 0, 1", "20, 0.2, 1", "49, 0, 1", "49, 0.1, 3"
  })
  void acceptsWhatABucketAcceptsOfDevicesThatComeByChance(
      double mostTokens, double rejectionCost, double load) {
    SplittableRandom random = new SplittableRandom(1);
    double tokens = mostTokens;
    double time = 0;
    int accepted = 0;
    for (int i = 0; i < 2_000_000; i++) {
      double gap = -Math.log(1 - random.nextDouble()) / load;
      time += gap;
      tokens = Math.min(mostTokens, tokens + gap);
      if (tokens >= 1) {
        tokens -= 1;
        accepted++;
      } else {
        tokens -= rejectionCost;
      }
    }

    assertThat(new ScatteredArrivals(mostTokens, rejectionCost).accepted(load))
        .isCloseTo(accepted / time, within(0.003 * accepted / time));
  }

  @Test
  void acceptsHalfOfAFullLoadWithOneTokenAndNearlyAllWithMany() {
    assertThat(new ScatteredArrivals(1, 0).accepted(1)).isCloseTo(0.5, within(1e-9));
    assertThat(new ScatteredArrivals(49, 0).accepted(1)).isBetween(0.98, 1.0);
    assertThat(new ScatteredArrivals(20, 0).accepted(0.1)).isEqualTo(0.1);
    assertThat(new ScatteredArrivals(20, 0).accepted(0)).isZero();
  }

  @Test
  void acceptsNothingWhenRefusalsTakeAllOfTheCapacity() {
    assertThat(new ScatteredArrivals(5, 0.1).accepted(10)).isZero();
  }
}
