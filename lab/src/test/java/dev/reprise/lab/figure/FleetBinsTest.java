package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FleetBinsTest {
  private static final long MONTH_MILLIS = 30L * 86_400 * 1_000;

  @Test
  void binsAreAsNarrowAsAskedForFromRecoveryOnHoweverLongTheOutage() {
    FleetBins bins = new FleetBins(0.001, 10, MONTH_MILLIS + 3, MONTH_MILLIS / 1e3 + 0.003);
    bins.add(0, 7);
    bins.add(MONTH_MILLIS + 2, 5);
    bins.add(MONTH_MILLIS + 3, 2);
    bins.add(MONTH_MILLIS + 13, 4);

    TimeBins counted = bins.toBins();

    assertThat(counted.binSeconds()).isCloseTo(0.01, within(1e-12));
    assertThat(counted.total()).isEqualTo(18);
    assertThat(counted.counts().length).isLessThan(100_100);
    assertThat(counted.reaches(14)).isCloseTo(MONTH_MILLIS / 1e3 + 0.013, within(1e-6));
    assertThat(counted.reaches(18)).isCloseTo(MONTH_MILLIS / 1e3 + 0.023, within(1e-6));
    assertThat(counted.reaches(12)).isLessThanOrEqualTo(MONTH_MILLIS / 1e3 + 0.003 + 1e-6);
  }

  @Test
  void widensOnlyWhatComesAfterRecoveryAndLosesNothing() {
    FleetBins bins = new FleetBins(0.001, 10, 60_000, 60);
    bins.add(59_995, 1);
    bins.add(60_000, 1);
    bins.add(60_000 + 25_000_000, 1);

    TimeBins counted = bins.toBins();

    assertThat(counted.pastSeconds()).isCloseTo(0.01, within(1e-12));
    assertThat(counted.binSeconds()).isCloseTo(0.1, within(1e-12));
    assertThat(counted.total()).isEqualTo(3);
    assertThat(counted.reaches(1)).isCloseTo(60, within(1e-6));
    assertThat(counted.reaches(2)).isCloseTo(60.1, within(1e-6));
    assertThat(counted.reaches(3)).isCloseTo(25_060.1, within(1e-6));
  }

  @Test
  void aSpanIsWhatItsUnitsAre() {
    FleetBins one = new FleetBins(0.01, 10, 6_003, 60.03);
    FleetBins other = new FleetBins(0.01, 10, 6_003, 60.03);
    one.add(5_000, 9_999, 0.25);
    for (long unit = 5_000; unit < 9_999; unit++) {
      other.add(unit, 0.25);
    }

    assertThat(one.toBins().counts()).isEqualTo(other.toBins().counts());
  }

  @Test
  void peaksAreThoseOfSecondsCountedFromRecovery() {
    SecondPeaks peaks = new SecondPeaks();
    peaks.add(-2, 5);
    peaks.add(-2, 6);
    peaks.add(-1, 9);
    peaks.add(0, 3);
    peaks.add(1, 2);
    peaks.add(1, 2);

    assertThat(peaks.before()).isEqualTo(11);
    assertThat(peaks.after()).isEqualTo(4);
  }
}
