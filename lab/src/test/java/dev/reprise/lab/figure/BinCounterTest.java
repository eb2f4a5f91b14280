package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class BinCounterTest {
  private static final long SECOND = 1_000_000_000;

  private final BinCounter counter = new BinCounter();

  @Test
  void eventsAreCountedInTenthsOfASecond() {
    counter.add(0);
    counter.add(SECOND / 10 - 1);
    counter.add(SECOND / 10);
    assertThat(counter.bins().binSeconds()).isEqualTo(0.1);
    assertThat(counter.bins().counts()).containsExactly(2, 1);
  }

  @Test
  void aShortRunHasASeriesOfTenthsAndALongerOneOfSeconds() {
    counter.add(SECOND / 2);
    counter.add(SECOND * 3 / 2);
    Series fine = counter.perSecond("a", "/s", 2 * SECOND);
    assertThat(fine.binSeconds()).isEqualTo(0.1);
    assertThat(fine.values()).hasSize(20);
    assertThat(fine.values()[5]).isEqualTo(10);
    Series coarse = counter.perSecond("a", "/s", 100 * SECOND);
    assertThat(coarse.binSeconds()).isEqualTo(1);
    assertThat(coarse.values()).hasSize(100).startsWith(1, 1, 0);
  }

  @Test
  void aLongRunHasWiderBinsAndLosesNothing() {
    for (long second = 0; second < 400_000; second += 10) {
      counter.add(second * SECOND);
    }
    assertThat(counter.bins().binSeconds()).isEqualTo(2);
    assertThat(counter.bins().total()).isEqualTo(40_000);
    Series series = counter.perSecond("a", "/s", 400_000 * SECOND);
    assertThat(series.values().length).isBetween(4096, 8193);
    assertThat(series.values()[100]).isCloseTo(0.1, within(0.02));
  }

  @Test
  void whatLastsIsSpreadOverItsBins() {
    counter.add(SECOND / 20, SECOND / 4, 3e-9);
    assertThat(counter.bins().counts())
        .containsExactly(new double[] {0.15, 0.3, 0.15}, within(1e-9));
    assertThat(counter.bins().total()).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void whatLastsLongIsSpreadOverWiderBins() {
    counter.add(0, 50_000 * SECOND, 1e-9);
    assertThat(counter.bins().total()).isCloseTo(50_000, within(1e-3));
    assertThat(counter.bins().counts()[25_000]).isCloseTo(1, within(1e-6));
  }
}
