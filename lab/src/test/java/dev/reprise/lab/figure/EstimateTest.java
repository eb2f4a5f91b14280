package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** Wilson's interval as computed by hand, and as in the tables of Newcombe (1998), method 3. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, 0.7935",
    "2, 2, 0.3424, 1",
    "0, 10, 0, 0.2775",
    "5, 10, 0.2366, 0.7634",
    "15, 148, 0.0624, 0.1605",
    "81, 263, 0.2553, 0.3662"
  })
  void theChanceOfACollapseHasABinomialInterval(
      int collapsed, int runs, double lowest, double highest) {
    double[] values = new double[runs];
    Arrays.fill(values, 0, collapsed, 1);

    Estimate chance = Estimate.ofFigure(Figure.COLLAPSED, values);

    assertThat(chance.mean()).isCloseTo((double) collapsed / runs, within(1e-12));
    assertThat(chance.lowest()).isCloseTo(lowest, within(0.00005));
    assertThat(chance.highest()).isCloseTo(highest, within(0.00005));
  }

  @Test
  void anIntervalEndsWhereNoFigureCanBe() {
    Estimate share = Estimate.ofFigure(Figure.SUCCESS, 0.237, 0.281);
    assertThat(share.lowest()).isZero();
    assertThat(share.highest()).isCloseTo(0.259 + 12.706 * 0.022, within(1e-4));
    assertThat(share.isSymmetric()).isFalse();

    Estimate rate = Estimate.ofFigure(Figure.HYSTERESIS, 4, 12);
    assertThat(rate.lowest()).isZero();
    assertThat(rate.highest()).isCloseTo(8 + 12.706 * 4, within(1e-2));

    assertThat(Estimate.ofFigure(Figure.GOODPUT, 0.9, 1).highest()).isEqualTo(1);
    assertThat(Estimate.ofFigure(Figure.ATTEMPTS, 2.4, 2.5)).isEqualTo(Estimate.of(2.4, 2.5));
    assertThat(Estimate.ofDifference(Figure.SUCCESS, -0.9, 0.1).lowest()).isEqualTo(-1);
    assertThat(Estimate.ofDifference(Figure.ATTEMPTS, -9, 1)).isEqualTo(Estimate.of(-9, 1));
  }

  @Property
  void sharesAndTheirIntervalsAreBetweenNothingAndAll(
      @ForAll @Size(min = 1, max = 20) List<@DoubleRange(min = 0, max = 1) Double> values) {
    double[] shares = values.stream().mapToDouble(Double::doubleValue).toArray();
    double[] chances = values.stream().mapToDouble(Math::rint).toArray();
    for (Estimate estimate :
        List.of(
            Estimate.ofFigure(Figure.SUCCESS, shares),
            Estimate.ofFigure(Figure.COLLAPSED, chances))) {
      assertThat(estimate.lowest()).isBetween(0.0, estimate.mean());
      assertThat(estimate.highest()).isBetween(estimate.mean(), 1 + 1e-12);
    }
  }

  @Test
  void noValuesAndNoNumbersAreRefused() {
    assertThatThrownBy(() -> Estimate.of()).hasMessage("values is empty: must have at least one");
    assertThatThrownBy(() -> Estimate.of(1, Double.NaN))
        .hasMessage("values has NaN: must be numbers");
  }
}
