package dev.reprise.lab.scenario;

import dev.reprise.policy.document.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The written form of a duration: those of policies, and fractions such as {@code 0.5ms}. */
public final class SpanText {
  /** The rule for a text. */
  public static final String RULE = "must be a text such as 250ms, 0.5ms, 10s, 4m, 1h or PT10S";

  private static final Pattern FRACTION =
      Pattern.compile("(?<amount>[0-9]{1,9}\\.[0-9]{1,6})(?<unit>ms|s|m|h)");

  /** More milliseconds than the short form has digits for. */
  private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(1_000_000_000);

  private SpanText() {}

  /** Returns the duration, or null when the text is not one. */
  public static @Nullable Duration read(String text) {
    Matcher matcher = FRACTION.matcher(text);
    if (!matcher.matches()) {
      return DurationText.read(text);
    }
    long unitNanos =
        switch (matcher.group("unit")) {
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          default -> 3_600_000_000_000L;
        };
    BigDecimal nanos =
        new BigDecimal(matcher.group("amount")).multiply(BigDecimal.valueOf(unitNanos));
    BigDecimal[] seconds = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
    return Duration.ofSeconds(seconds[0].longValueExact(), seconds[1].longValueExact());
  }

  /** Returns the shortest exact text, which {@link #read} reads. */
  public static String write(Duration span) {
    if (span.toNanosPart() % 1_000_000 == 0) {
      return DurationText.exact(span);
    }
    BigDecimal millis =
        BigDecimal.valueOf(span.getSeconds())
            .add(BigDecimal.valueOf(span.getNano(), 9))
            .movePointRight(3);
    return millis.compareTo(MAX_MILLIS) < 0
        ? millis.stripTrailingZeros().toPlainString() + "ms"
        : span.toString();
  }
}
