package dev.reprise.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.lab.figure.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

class NumbersTest {
  private static final double NEVER = Double.POSITIVE_INFINITY;

  @Test
  void peopleSeeThreeDigitsAndWholeNumbersInFull() {
    assertThat(Numbers.shown(0)).isEqualTo("0");
    assertThat(Numbers.shown(0.999999)).isEqualTo("1");
    assertThat(Numbers.shown(1.2345)).isEqualTo("1.23");
    assertThat(Numbers.shown(24.25)).isEqualTo("24.3");
    assertThat(Numbers.shown(241.7)).isEqualTo("242");
    assertThat(Numbers.shown(99.96)).isEqualTo("100");
    assertThat(Numbers.shown(182_814)).isEqualTo("182,814");
    assertThat(Numbers.shown(1_000_000_000)).isEqualTo("1,000,000,000");
    assertThat(Numbers.shown(0.01234)).isEqualTo("0.0123");
    assertThat(Numbers.shown(0.00001234)).isEqualTo("1.23e\u22125");
    assertThat(Numbers.shown(-6.5)).isEqualTo("\u22126.5");
    assertThat(Numbers.shown(NEVER, "s")).isEqualTo("never");
    assertThat(Numbers.shown(5, "/s")).isEqualTo("5/s");
    assertThat(Numbers.signed(5, "")).isEqualTo("+5");
    assertThat(Numbers.margin(0.3149)).isEqualTo("\u00b1\u00a00.31");
  }

  @Test
  void timesAreShownInTheUnitThatSuitsThem() {
    assertThat(Numbers.shown(0.137, "s")).isEqualTo("137\u00a0ms");
    assertThat(Numbers.shown(0, "s")).isEqualTo("0\u00a0s");
    assertThat(Numbers.shown(9_000, "s")).isEqualTo("9,000\u00a0s");
    assertThat(Numbers.shown(14_400, "s")).isEqualTo("4\u00a0h");
    assertThat(Numbers.signed(-0.25, "s")).isEqualTo("\u2212250\u00a0ms");
    assertThat(Numbers.signed(0.25, "s")).isEqualTo("+250\u00a0ms");
    assertThat(Numbers.margin(0.0031, 0.137, "s")).isEqualTo("\u00b1\u00a03.1");
    assertThat(Numbers.margin(1_800, 14_400, "s")).isEqualTo("\u00b1\u00a00.5");
    assertThat(Numbers.margin(0.0031, 0.137, "")).isEqualTo("\u00b1\u00a00.0031");
  }

  @Test
  void onlyTheWholeIsShownAsTheWhole() {
    assertThat(Numbers.percent(1)).isEqualTo("100\u00a0%");
    assertThat(Numbers.percent(0.99996)).isEqualTo("99.996\u00a0%");
    assertThat(Numbers.percent(0.9999)).isEqualTo("99.99\u00a0%");
    assertThat(Numbers.percent(0.999999)).isEqualTo("99.9999\u00a0%");
    assertThat(Numbers.percent(0.57)).isEqualTo("57\u00a0%");
    assertThat(Numbers.shown(0.99999, Figure.SUCCESS)).isEqualTo("0.99999");
    assertThat(Numbers.shown(1, Figure.SUCCESS)).isEqualTo("1");
    assertThat(Numbers.shown(0.99999, Figure.ATTEMPTS)).isEqualTo("1");
  }

  @Test
  void machinesSeeNineDigitsWithoutExponents() {
    assertThat(Numbers.exactText(1.0 / 3)).isEqualTo("0.333333333");
    assertThat(Numbers.exactText(1e12)).isEqualTo("1000000000000");
    assertThat(Numbers.exactText(1e-7)).isEqualTo("0.0000001");
    assertThat(Numbers.exactText(0.1 + 0.2)).isEqualTo("0.3");
    assertThat(Numbers.exactText(-0.0)).isEqualTo("0");
    assertThat(Numbers.exactText(NEVER)).isEqualTo("never");
    assertThat(Numbers.exactText(-NEVER)).isEqualTo("-never");
  }

  @Test
  void scalesEndAtRoundValues() {
    assertThat(Scale.fromZero(873)).isEqualTo(new Scale(0, 1_000, false));
    assertThat(Scale.fromZero(0).high()).isPositive();
    assertThat(Scale.decades(50, 200_000)).isEqualTo(new Scale(10, 1_000_000, true));
    assertThat(Axis.isWide(1, 100, 15)).isTrue();
    assertThat(Axis.isWide(0, 100, 15)).isFalse();
  }

  @Test
  void numbersOnAnAxisAreShort() {
    assertThat(Scale.compact(10_000)).isEqualTo("10k");
    assertThat(Scale.compact(1_500_000)).isEqualTo("1.5M");
    assertThat(Scale.time(0.02)).isEqualTo("20\u00a0ms");
    assertThat(Scale.time(120)).isEqualTo("2\u00a0min");
    assertThat(Scale.time(14_400)).isEqualTo("4\u00a0h");
  }

  @Test
  void scalesMapTheirEndsToTheEdgesAndKeepWhatIsOutsideThere() {
    for (Scale scale : List.of(new Scale(2, 200, false), new Scale(2, 200, true))) {
      assertThat(scale.at(2)).isZero();
      assertThat(scale.at(200)).isEqualTo(1);
      assertThat(scale.at(-5)).isZero();
      assertThat(scale.at(1e9)).isEqualTo(1);
    }
    assertThat(new Scale(2, 200, true).at(20)).isCloseTo(0.5, within(1e-12));
  }
}
