package dev.reprise.lab.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AmountsTest {
  @Test
  void amountsHaveThreeDigitsThatSaySomethingAndTheirUnit() {
    assertThat(Amounts.count(31.44)).isEqualTo("31.4");
    assertThat(Amounts.count(1_000_000)).isEqualTo("1,000,000");
    assertThat(Amounts.count(0.05)).isEqualTo("0.05");
    assertThat(Amounts.count(Double.POSITIVE_INFINITY)).isEqualTo("infinitely many");
    assertThat(Amounts.rate(5_000)).isEqualTo("5,000/s");
    assertThat(Amounts.percent(0.1254)).isEqualTo("12.5 %");
    assertThat(Amounts.seconds(0.05)).isEqualTo("50 ms");
    assertThat(Amounts.seconds(15.5)).isEqualTo("15.5 s");
    assertThat(Amounts.seconds(1e-7)).isEqualTo("0 s");
    assertThat(Amounts.seconds(Double.POSITIVE_INFINITY)).isEqualTo("never");
  }
}
