package dev.reprise.lab.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ChanceTest {
  private static final int DRAWS = 100_000;

  @Test
  void gaussianDrawsAreNormal() {
    CounterRandom random = new CounterRandom(1);
    double sum = 0;
    double squares = 0;
    int below = 0;
    int farOut = 0;
    for (int i = 0; i < DRAWS; i++) {
      double draw = Chance.gaussian(random.at(i, 1));
      sum += draw;
      squares += draw * draw;
      below += draw < 1 ? 1 : 0;
      farOut += Math.abs(draw) > 1.959964 ? 1 : 0;
    }

    // Four standard errors each; the seed is fixed.
    assertThat(sum / DRAWS).isCloseTo(0, within(4 / Math.sqrt(DRAWS)));
    assertThat(squares / DRAWS).isCloseTo(1, within(4 * Math.sqrt(2.0 / DRAWS)));
    assertThat((double) below / DRAWS).isCloseTo(0.841345, within(4 * 0.3654 / Math.sqrt(DRAWS)));
    assertThat((double) farOut / DRAWS).isCloseTo(0.05, within(4 * 0.2179 / Math.sqrt(DRAWS)));
  }

  /** Releases of Java differ in how they draw from this distribution, and the lab must not. */
  @Test
  void gaussianDrawsAreTheSameInEveryReleaseOfJava() {
    CounterRandom random = new CounterRandom(1);

    assertThat(Chance.gaussian(random.at(1, 1))).isEqualTo(0.9845279121083984);
    assertThat(Chance.gaussian(random.at(2, 1))).isEqualTo(1.4938743414836433);
  }
}
