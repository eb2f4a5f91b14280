package dev.reprise.bench.common;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares measured figures, such as {@code p50=0.50 ms}, with a goal such as {@code p50<=2ms}. A
 * figure and its bound have the same unit, or units of time or of size: {@code ns}, {@code us},
 * {@code ms}, {@code s}, {@code B}, {@code KB}, {@code MB}, {@code GB}, {@code %}, {@code M} for
 * millions, or none.
 */
public final class Goal {
  /** The verdict of a goal that is reached. */
  public static final String MET = "met";

  /** The verdict of a goal that is not. */
  public static final String MISSED = "MISSED";

  private static final String NUMBER = "(-?[0-9.]+|Infinity) ?(ns|us|ms|s|B|KB|MB|GB|M|%|)";
  private static final Pattern CONDITION = Pattern.compile("([A-Za-z0-9/-]*)(<=|>=|<|>)" + NUMBER);
  private static final Pattern PART = Pattern.compile(NUMBER);

  private Goal() {}

  /**
   * Returns whether the figures reach the goal.
   *
   * @param goal conditions, divided by commas; one without a name is about {@code ratio}
   * @param figures {@code name=number unit}, divided by spaces; of {@code 1ms/2ms} each counts
   * @return {@value #MET} or {@value #MISSED}
   * @throws IllegalArgumentException when the goal cannot be read, or names no figure that is there
   */
  public static String verdict(String goal, String figures) {
    for (String text : goal.split(",", -1)) {
      Matcher condition = CONDITION.matcher(text);
      if (!condition.matches()) {
        throw new IllegalArgumentException("goal is " + text + ": must be like p50<=2ms");
      }
      String name = condition.group(1).isEmpty() ? "ratio" : condition.group(1);
      Matcher figure =
          Pattern.compile("(?:^| )" + Pattern.quote(name) + "=((?:" + NUMBER + "/?)+)")
              .matcher(figures);
      if (!figure.find()) {
        throw new IllegalArgumentException("goal is " + text + ": no such figure in " + figures);
      }
      double bound = value(condition.group(3), condition.group(4));
      Matcher part = PART.matcher(figure.group(1));
      while (part.find()) {
        if (!reaches(value(part.group(1), part.group(2)), condition.group(2), bound)) {
          return MISSED;
        }
      }
    }
    return MET;
  }

  private static boolean reaches(double value, String comparison, double bound) {
    return switch (comparison) {
      case "<=" -> value <= bound;
      case ">=" -> value >= bound;
      case "<" -> value < bound;
      default -> value > bound;
    };
  }

  private static double value(String number, String unit) {
    double factor =
        switch (unit) {
          case "ns" -> 1e-9;
          case "us" -> 1e-6;
          case "ms" -> 1e-3;
          case "KB" -> 1e3;
          case "MB", "M" -> 1e6;
          case "GB" -> 1e9;
          default -> 1;
        };
    return Double.parseDouble(number) * factor;
  }
}
