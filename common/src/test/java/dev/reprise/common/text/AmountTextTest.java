package dev.reprise.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountTextTest {
  private static final Map<String, Long> NANOS =
      Map.of(
          "d", 86_400_000_000_000L,
          "h", 3_600_000_000_000L,
          "min", 60_000_000_000L,
          "s", 1_000_000_000L,
          "ms", 1_000_000L,
          "ns", 1L);

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s, 0 s, 0 s",
    "PT0.000000001S, 0.000001 ms, 1 ns, 0 s",
    "PT0.0125S, 12.5 ms, 12.5 ms, 12 ms",
    "PT0.25S, 250 ms, 250 ms, 250 ms",
    "PT0.999S, 999 ms, 999 ms, 999 ms",
    "PT1.18S, 1180 ms, 1.18 s, 1.2 s",
    "PT9.96S, 9960 ms, 9.96 s, 10 s",
    "PT10.9S, 10900 ms, 10.9 s, 10 s",
    "PT20S, 20 s, 20 s, 20 s",
    "PT3M5S, 3 min 5 s, 3 min 5 s, 3 min 5 s",
    "PT1H, 1 h, 1 h, 1 h",
    "PT2H5M, 2 h 5 min, 2 h 5 min, 2 h 5 min",
    "PT6H34M16.243S, 23656243 ms, 6 h 34 min 16.243 s, 6 h 34 min",
    "PT52H0M1S, 2 d 4 h 1 s, 2 d 4 h 1 s, 2 d 4 h",
    "PT24H0.5S, 86400500 ms, 1 d 0.5 s, 1 d"
  })
  void spansAreWrittenInThreeWays(Duration span, String plain, String exact, String rough) {
    assertThat(AmountText.plain(span)).isEqualTo(plain);
    assertThat(AmountText.exact(span)).isEqualTo(exact);
    assertThat(AmountText.rough(span)).isEqualTo(rough);
  }

  @Property
  void plainAndExactSayTheWholeSpan(@ForAll @LongRange(min = 0) long nanos) {
    Duration span = Duration.ofNanos(nanos);

    assertThat(nanos(AmountText.plain(span))).isEqualTo(nanos);
    assertThat(nanos(AmountText.exact(span))).isEqualTo(nanos);
  }

  @Property
  void roughSaysNearlyTheWholeSpan(@ForAll @LongRange(min = 0) long millis) {
    long nanos = nanos(AmountText.rough(Duration.ofMillis(millis % 100_000_000)));

    assertThat((double) nanos).isCloseTo(millis % 100_000_000 * 1e6, Percentage.withPercentage(10));
  }

  private static long nanos(String words) {
    String[] parts = words.split(" ", -1);
    BigDecimal sum = BigDecimal.ZERO;
    for (int i = 0; i < parts.length; i += 2) {
      sum = sum.add(new BigDecimal(parts[i]).multiply(BigDecimal.valueOf(NANOS.get(parts[i + 1]))));
    }
    return sum.longValueExact();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "31.44 | 31.4",
        "1000000 | 1,000,000",
        "123456.5 | 123,457",
        "99.96 | 100",
        "0.05 | 0.05",
        "0.0001 | 0.0001",
        "0.00001234 | 1.23e\u22125",
        "0 | 0",
        "-1.5 | \u22121.5",
        "Infinity | infinitely many"
      })
  void numbersHaveThreeDigitsThatSaySomething(double value, String text) {
    assertThat(AmountText.count(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0.05, 50 ms",
    "15.5, 15.5 s",
    "1e-7, 0 s",
    "5e-7, 0.0005 ms",
    "1, 1 s",
    "3600, '3,600 s'",
    "Infinity, never"
  })
  void calculatedTimesAreInSecondsOrMilliseconds(double seconds, String text) {
    assertThat(AmountText.seconds(seconds)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"PT0.05S, 50 ms", "PT15.55S, 15.6 s", "PT1.485S, 1.49 s", "PT0S, 0 s"})
  void durationsAreShownAsCalculatedTimes(Duration duration, String text) {
    assertThat(AmountText.seconds(duration)).isEqualTo(text);
  }

  @Property
  void aCountIsNearItsNumber(@ForAll @DoubleRange(min = 0, max = 1e12) double value) {
    String count = AmountText.count(value).replace(",", "").replace("\u2212", "-");

    assertThat(Double.parseDouble(count)).isCloseTo(value, Offset.offset(value * 0.0051));
  }

  @Test
  void ratesAndSharesHaveTheirUnit() {
    assertThat(AmountText.rate(5_000)).isEqualTo("5,000/s");
    assertThat(AmountText.percent(0.1254)).isEqualTo("12.5 %");
  }

  @Test
  void bytesHaveSeparatorsAndALargerUnit() {
    assertThat(AmountText.bytes(0)).isEqualTo("0 bytes");
    assertThat(AmountText.bytes(1)).isEqualTo("1 byte");
    assertThat(AmountText.bytes(1_048_575)).isEqualTo("1,048,575 bytes");
    assertThat(AmountText.bytes(204_111_872)).isEqualTo("204,111,872 bytes (195 MiB)");
    assertThat(AmountText.bytes(5L << 30)).isEqualTo("5,368,709,120 bytes (5 GiB)");
  }
}
