package dev.reprise.lab.meanfield;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DueAttemptsTest {
  private static double[] due(double lowest, double highest) {
    DueAttempts deposit = new DueAttempts();
    deposit.add(1, lowest, highest);
    double[] ring = new double[64];
    deposit.put(1, ring, 0);
    double[] due = new double[ring.length];
    double sum = 0;
    for (int i = 0; i < ring.length; i++) {
      sum += ring[i];
      due[i] = sum;
    }
    return due;
  }

  @Test
  void wholeDelaysDoNotSpread() {
    assertThat(due(7, 7)).containsSequence(0, 1, 0).satisfies(due -> assertThat(due[7]).isOne());
  }

  @Test
  void keepsTheNumberOfDevicesAndTheirMeanDelay() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      double lowest = 1 + 20 * random.nextDouble();
      double highest = lowest + (i % 3 == 0 ? random.nextDouble() : 20 * random.nextDouble());
      double[] due = due(lowest, highest);
      double sum = 0;
      double mean = 0;
      for (int step = 0; step < due.length; step++) {
        assertThat(due[step]).isGreaterThan(-1e-12);
        sum += due[step];
        mean += step * due[step];
      }
      assertThat(sum).isCloseTo(1, within(1e-9));
      assertThat(mean).isCloseTo((lowest + highest) / 2, within(1e-9));
    }
  }

  @Test
  void theShareOfEachStepIsThatOfDraws() {
    SplittableRandom random = new SplittableRandom(2);
    double[] drawn = new double[64];
    for (int i = 0; i < 1_000_000; i++) {
      drawn[(int) (random.nextDouble() + 2.3 + 1.5 * random.nextDouble())] += 1e-6;
    }

    double[] due = due(2.3, 3.8);

    for (int step = 0; step < due.length; step++) {
      assertThat(due[step]).isCloseTo(drawn[step], within(5 * 0.5e-3));
    }
  }

  @Test
  void whatWouldComeInTheSameStepComesInTheNext() {
    assertThat(due(0, 0)[1]).isOne();
    assertThat(due(0, 2)[0]).isZero();
    assertThat(due(0, 2)[1]).isCloseTo(0.25 + 0.5, within(1e-12));
  }
}
