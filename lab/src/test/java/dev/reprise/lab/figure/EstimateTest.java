package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class EstimateTest {
  /** t(0.975) as printed in the tables of textbooks, and of NIST's handbook, 1.3.6.7.2. */
  private static final Map<Integer, Double> TABLE =
      Map.ofEntries(
          Map.entry(1, 12.706),
          Map.entry(2, 4.303),
          Map.entry(3, 3.182),
          Map.entry(4, 2.776),
          Map.entry(5, 2.571),
          Map.entry(9, 2.262),
          Map.entry(10, 2.228),
          Map.entry(19, 2.093),
          Map.entry(29, 2.045),
          Map.entry(30, 2.042),
          Map.entry(60, 2.000),
          Map.entry(99, 1.984),
          Map.entry(100, 1.984));

  @Test
  void theQuantilesAreThoseOfThePublishedTables() {
    TABLE.forEach(
        (degrees, expected) ->
            assertThat(StudentT.twoSided(0.95, degrees))
                .describedAs("%d degrees", degrees)
                .isCloseTo(expected, within(0.0005)));
    assertThat(StudentT.twoSided(0.99, 1)).isCloseTo(63.657, within(0.0005));
    assertThat(StudentT.twoSided(0.99, 10)).isCloseTo(3.169, within(0.0005));
    assertThat(StudentT.twoSided(0.95, 9_999)).isCloseTo(1.9602, within(0.00005));
  }

  @Test
  void aHandComputedIntervalComesOut() {
    Estimate estimate = Estimate.of(1, 2, 3, 4, 5);

    assertThat(estimate.mean()).isEqualTo(3);
    assertThat(estimate.highest()).isCloseTo(3 + 2.7764 * Math.sqrt(2.5 / 5), within(1e-4));
    assertThat(estimate.lowest()).isCloseTo(3 - 2.7764 * Math.sqrt(2.5 / 5), within(1e-4));
    assertThat(estimate.runs()).isEqualTo(5);
    assertThat(estimate.hasInterval()).isTrue();
    assertThat(estimate.isBeyondChance()).isTrue();
  }

  @Test
  void oneRunIsItsOwnInterval() {
    assertThat(Estimate.of(7)).isEqualTo(new Estimate(7, 7, 7, 1));
    assertThat(Estimate.of(7).hasInterval()).isFalse();
  }

  @Test
  void oneRunThatNeverGotThereMakesAllOfItInfinite() {
    Estimate never = Estimate.of(1, Double.POSITIVE_INFINITY, 3);

    assertThat(never.mean()).isInfinite();
    assertThat(never.lowest()).isInfinite();
    assertThat(never.highest()).isInfinite();
    assertThat(never.isReached()).isFalse();
    assertThat(never.hasInterval()).isFalse();
  }

  @Test
  void noValuesAndNoNumbersAreRefused() {
    assertThatThrownBy(() -> Estimate.of()).hasMessage("values is empty: must have at least one");
    assertThatThrownBy(() -> Estimate.of(1, Double.NaN))
        .hasMessage("values has NaN: must be numbers");
  }
}
