package dev.reprise.lab.report;

import dev.reprise.common.text.AmountText;
import dev.reprise.lab.figure.Figure;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Writes the numbers of a report: for machines, and for people as {@link AmountText} shows them, in
 * one line with their units. {@link Double#toString} is not used, as it differs between releases of
 * Java.
 */
final class Numbers {
  static final String NEVER = AmountText.NEVER;

  private static final MathContext EXACT = new MathContext(9, RoundingMode.HALF_EVEN);
  private static final MathContext MARGIN = new MathContext(2, RoundingMode.HALF_UP);
  private static final char NO_BREAK = '\u00a0';
  private static final char MINUS = '\u2212';

  private static final String SECONDS = "s";

  /** The seconds from which on a time is shown in hours. */
  private static final double MIN_HOURS = 3 * 3600;

  /** Sums of parts of devices end a little below the whole. */
  private static final double ROUNDING = 1e-9;

  private Numbers() {}

  /** Returns a number for machines, with nine significant digits. */
  static BigDecimal exact(double value) {
    BigDecimal rounded = new BigDecimal(value).round(EXACT).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }

  /** Returns a number for machines, with nine significant digits, or {@code never}. */
  static String exactText(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? NEVER : "-" + NEVER;
    }
    return exact(value).toPlainString();
  }

  /** Returns a number for people as {@link AmountText#count} does, or {@code never}. */
  static String shown(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? NEVER : MINUS + NEVER;
    }
    return AmountText.count(value);
  }

  /** Returns the margin of a mean for people, with two significant digits. */
  static String margin(double value) {
    return "\u00b1" + NO_BREAK + shown(new BigDecimal(value).round(MARGIN).doubleValue());
  }

  /** Returns the margin of a mean for people, in the unit in which the mean is shown. */
  static String margin(double value, double mean, String unit) {
    return margin(unit.equals(SECONDS) ? inUnitOf(mean, value) : value);
  }

  /** Returns a share for people; only the whole is 100 %. */
  static String percent(double share) {
    return below(100 * share, 100) + NO_BREAK + "%";
  }

  /** Returns a figure for people with its unit; only a share that is the whole is 1. */
  static String shown(double value, Figure figure) {
    return FigureCharts.SHARES.contains(figure) && !Double.isInfinite(value)
        ? below(value, 1)
        : shown(value, figure.unit());
  }

  /** One that failed among many must be seen: less than the whole is never rounded up to it. */
  private static String below(double value, double whole) {
    String shown = shown(value);
    if (value >= whole * (1 - ROUNDING) || !shown.equals(shown(whole))) {
      return shown;
    }
    BigDecimal limit = BigDecimal.valueOf(whole);
    BigDecimal exact = new BigDecimal(value);
    int decimals = 1;
    while (exact.setScale(decimals, RoundingMode.HALF_UP).compareTo(limit) >= 0) {
      decimals++;
    }
    return exact.setScale(decimals, RoundingMode.HALF_UP).toPlainString();
  }

  /**
   * Returns a number for people with its unit; short times are in milliseconds, and long ones in
   * hours.
   */
  static String shown(double value, String unit) {
    if (Double.isInfinite(value)) {
      return shown(value);
    }
    return unit.equals(SECONDS)
        ? withUnit(shown(inUnitOf(value, value)), unitOf(value))
        : withUnit(shown(value), unit);
  }

  private static String unitOf(double seconds) {
    double magnitude = Math.abs(seconds);
    if (magnitude >= MIN_HOURS) {
      return "h";
    }
    return magnitude >= AmountText.MIN_SECONDS && magnitude < 1 ? "ms" : SECONDS;
  }

  private static double inUnitOf(double seconds, double value) {
    return switch (unitOf(seconds)) {
      case "h" -> value / 3600;
      case "ms" -> value * 1000;
      default -> Math.abs(value) < AmountText.MIN_SECONDS ? 0 : value;
    };
  }

  /** Returns a number for people with its sign and unit. */
  static String signed(double value, String unit) {
    return value > 0 && !Double.isInfinite(value) ? "+" + shown(value, unit) : shown(value, unit);
  }

  static String withUnit(String number, String unit) {
    if (unit.isEmpty()) {
      return number;
    }
    return unit.startsWith("/") ? number + unit : number + NO_BREAK + unit;
  }
}
