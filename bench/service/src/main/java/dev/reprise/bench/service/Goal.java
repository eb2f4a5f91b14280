package dev.reprise.bench.service;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares measured figures, such as {@code p50=0.50 ms}, with a goal such as {@code p50<=2ms}. */
final class Goal {
  private static final Pattern CONDITION =
      Pattern.compile("([a-z0-9]*)(<=|>=|<)([0-9.]+)(ms|s|MB|GB|)");

  private Goal() {}

  /**
   * Returns whether the figures reach the goal.
   *
   * @param goal conditions, divided by commas; one without a name is about {@code ratio}
   * @param figures {@code name=number unit}, divided by spaces; of {@code 1ms/2ms} each counts
   * @return {@code met}, or {@code MISSED}
   * @throws IllegalArgumentException when the goal cannot be read, or names no figure that is there
   */
  static String verdict(String goal, String figures) {
    for (String text : goal.split(",", -1)) {
      Matcher condition = CONDITION.matcher(text);
      if (!condition.matches()) {
        throw new IllegalArgumentException("goal is " + text + ": must be like p50<=2ms");
      }
      String name = condition.group(1).isEmpty() ? "ratio" : condition.group(1);
      Matcher figure =
          Pattern.compile("(?:^| )" + name + "=((?:[0-9.]+ ?(?:ms|s|MB|GB|)/?)+)").matcher(figures);
      if (!figure.find()) {
        throw new IllegalArgumentException("goal is " + text + ": no such figure in " + figures);
      }
      double bound = value(condition.group(3), condition.group(4));
      Matcher part = Pattern.compile("([0-9.]+) ?(ms|s|MB|GB|)").matcher(figure.group(1));
      while (part.find()) {
        double value = value(part.group(1), part.group(2));
        boolean reached =
            switch (condition.group(2)) {
              case "<=" -> value <= bound;
              case ">=" -> value >= bound;
              default -> value < bound;
            };
        if (!reached) {
          return "MISSED";
        }
      }
    }
    return "met";
  }

  private static double value(String number, String unit) {
    double factor =
        switch (unit) {
          case "ms" -> 1e-3;
          case "MB" -> 1e6;
          case "GB" -> 1e9;
          default -> 1;
        };
    return Double.parseDouble(number) * factor;
  }
}
