package dev.reprise.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @ParameterizedTest
  @CsvFileSource(resources = "/vectors/retry-after.csv", numLinesToSkip = 1)
  void vectors(
      @Nullable String header, @Nullable String responseDate, String expected, String note) {
    Instant date = responseDate == null ? null : HttpDate.parse(responseDate, NOW);
    assertThat(date == null).isEqualTo(responseDate == null);

    Duration wait = RetryAfter.parse(header == null ? "" : header, date, NOW);

    switch (expected) {
      case "none" -> assertThat(wait).as(note).isNull();
      case "saturated" -> assertThat(wait).as(note).isEqualTo(RetryAfter.MAX_WAIT);
      default ->
          assertThat(wait)
              .as(note)
              .isEqualTo(Duration.ofNanos(new BigDecimal(expected).movePointRight(9).longValue()));
    }
  }

  @Test
  void absentHeaderIsNoHint() {
    assertThat(RetryAfter.parse(null, null, NOW)).isNull();
  }

  @Test
  void dateCountsFromTheServersOwnClockWhenItSentOne() {
    String header = "Sun, 01 Mar 2026 13:00:00 GMT";

    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(Duration.ofHours(1));
    assertThat(RetryAfter.parse(header, Instant.parse("2026-03-01T12:59:00Z"), NOW))
        .isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036, PT2562047H47M16S",
    "9223372037, PT2562047H47M16.854775807S",
    "9223372036854775807, PT2562047H47M16.854775807S",
    "9223372036854775808, PT2562047H47M16.854775807S",
    "'Fri, 31 Dec 9999 23:59:59 GMT', PT2562047H47M16.854775807S",
    "0000000000000000000000120, PT2M"
  })
  void saturatesAtWhatNanosecondsCanHold(String header, Duration expected) {
    Duration wait = RetryAfter.parse(header, null, NOW);

    assertThat(wait).isEqualTo(expected);
    assertThat(wait.toNanos()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "2.0, PT2S",
    "0.65, PT0.65S",
    "292.052427053, PT4M52.052427053S",
    "0.0000000001, PT0.000000001S",
    "1.9999999999, PT2S",
    "9223372036.854775807, PT2562047H47M16.854775807S",
    "9223372036.9, PT2562047H47M16.854775807S",
    "99999999999999999999.5, PT2562047H47M16.854775807S"
  })
  void secondsMayHaveAFraction(String header, Duration expected) {
    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {".5", "1.", ".", "1.5.2", "1,5", "-1.5", "+1.5", "1.5s", "1.5e3", "1. 5"})
  void aFractionHasDigitsOnBothSidesAndNothingElse(String header) {
    assertThat(RetryAfter.parse(header, null, NOW)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {" 120", "120 ", "\t120 \t"})
  void blanksAroundTheValueAreNotPartOfIt(String header) {
    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(Duration.ofMinutes(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "١٢٠",
        "120s",
        "12 0",
        "\n120",
        "0x10",
        "Infinity",
        "sun, 01 Mar 2026 13:00:00 GMT",
        "Sun, 1 Mar 2026 13:00:00 GMT",
        "Sun, 01 Mar 2026 13:00:00 UTC",
        "Sun, 01 Mar 2026 13:00:00 +0000",
        "Sun, 01 Mar 2026 24:00:00 GMT",
        "Sun, 01 Mar 2026 13:60:00 GMT",
        "Sun, 01 Mar 2026 13:00:61 GMT",
        "Sun, 30 Feb 2026 13:00:00 GMT",
        "Sun, 00 Mar 2026 13:00:00 GMT",
        "Sun, 01-Mar-26 13:00:00 GMT",
        "Sun Mar 1 13:00:00 2026",
        "2026-03-01T13:00:00Z"
      })
  void whatIsNeitherSecondsNorADateIsNoHint(String header) {
    assertThat(RetryAfter.parse(header, null, NOW)).isNull();
  }

  @Test
  void leapSecondIsTheStartOfTheNextMinute() {
    assertThat(HttpDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", NOW))
        .isEqualTo(Instant.parse("2017-01-01T00:00:00Z"));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-01T12:00:00Z, 'Sunday, 01-Mar-76 12:00:00 GMT', 2076-03-01T12:00:00Z",
    "2026-03-01T12:00:00Z, 'Sunday, 01-Mar-76 12:00:01 GMT', 1976-03-01T12:00:01Z",
    "2026-03-01T12:00:00Z, 'Sunday, 01-Mar-77 12:00:00 GMT', 1977-03-01T12:00:00Z",
    "1999-12-31T23:00:00Z, 'Saturday, 01-Jan-00 00:00:00 GMT', 2000-01-01T00:00:00Z",
    "2060-01-01T00:00:00Z, 'Tuesday, 29-Feb-00 00:00:00 GMT', 2000-02-29T00:00:00Z",
    "2340-01-01T00:00:00Z, 'Tuesday, 29-Feb-00 00:00:00 GMT', 2000-02-29T00:00:00Z",
    "-1000000000-01-01T00:00:00Z, 'Tuesday, 29-Feb-00 00:00:00 GMT', 0000-02-29T00:00:00Z"
  })
  void twoDigitYearIsAtMostFiftyYearsAhead(String reference, String text, Instant expected) {
    assertThat(HttpDate.parse(text, Instant.parse(reference))).isEqualTo(expected);
  }

  @Provide
  Arbitrary<String> nearMisses() {
    List<String> valid =
        List.of(
            "120",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994");
    Arbitrary<String> damaged =
        Arbitraries.of(valid)
            .flatMap(
                text ->
                    Arbitraries.integers()
                        .between(0, text.length() - 1)
                        .flatMap(
                            at ->
                                Arbitraries.chars()
                                    .all()
                                    .map(c -> text.substring(0, at) + c + text.substring(at + 1))));
    return Arbitraries.oneOf(damaged, Arbitraries.strings().ofMaxLength(60));
  }

  @Provide
  Arbitrary<Instant> anyTime() {
    return Arbitraries.oneOf(
        Arbitraries.of(Instant.MIN, Instant.MAX, Instant.EPOCH, NOW),
        Arbitraries.longs()
            .between(Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond())
            .map(Instant::ofEpochSecond));
  }

  @Property
  void noHeaderThrowsAndEveryWaitFitsNanoseconds(
      @ForAll("nearMisses") String header,
      @ForAll("anyTime") Instant responseDate,
      @ForAll("anyTime") Instant now) {
    for (Duration wait :
        new Duration[] {
          RetryAfter.parse(header, null, now), RetryAfter.parse(header, responseDate, now)
        }) {
      if (wait != null) {
        assertThat(wait).isBetween(Duration.ZERO, RetryAfter.MAX_WAIT);
      }
    }
  }

  @Test
  void ofSeveralValuesTheLongestThatIsReadableCounts() {
    Instant now = Instant.parse("1994-11-06T08:47:37Z");
    assertThat(RetryAfter.longest(List.of("5", "soon", "120"), "no date", now))
        .isEqualTo(Duration.ofMinutes(2));
    assertThat(RetryAfter.longest(List.of("Sun, 06 Nov 1994 08:49:37 GMT"), null, now))
        .isEqualTo(Duration.ofMinutes(2));
    assertThat(RetryAfter.longest(List.of("soon"), null, now)).isNull();
    assertThat(RetryAfter.longest(List.of(), null, now)).isNull();
  }
}
