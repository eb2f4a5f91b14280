package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.figure.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time until all devices are back against the load that it takes: one dot for each policy. */
final class TradeOffChart {
  private static final int HEIGHT = 300;

  /** The fewest policies that show a trade-off. */
  private static final int POLICIES = 3;

  /** Pixels across that names are placed for. */
  private static final double ASSUMED_WIDTH = 760;

  /** On a telephone, names must not run over the axis either. */
  private static final double NARROW_WIDTH = 290;

  /** The gap between a name and the horizontal axis, in pixels. */
  private static final double ABOVE_AXIS = 2;

  /** Dots that lie nearer to each other, in pixels, cannot be told apart. */
  private static final double SAME_PLACE = 6;

  private static final int MAX_NAME = 42;
  private static final double LETTER = 6.8;
  private static final int LINE = 15;

  private final List<Outcome> shown = new ArrayList<>();
  private final List<Box> taken = new ArrayList<>();

  /** The occupied parts of the plot, in pixels. */
  private record Box(double left, double top, double right, double bottom) {
    boolean meets(Box other) {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  }

  TradeOffChart(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      if (outcome.mean(Figure.DRAIN_LAST).isPresent()
          && Double.isFinite(outcome.mean(Figure.PEAK_RATIO).orElse(Double.NaN))) {
        shown.add(outcome);
      }
    }
    shown.sort(Comparator.comparingDouble(TradeOffChart::drain));
  }

  String html() {
    if (shown.size() < POLICIES || Double.isInfinite(drain(shown.get(0)))) {
      return "";
    }
    boolean never = Double.isInfinite(drain(shown.get(shown.size() - 1)));
    Scale drained = spanning(shown.stream().mapToDouble(TradeOffChart::drain).toArray());
    // Those that are never back stand beyond the end of the axis.
    Scale x =
        never ? new Scale(drained.low(), drained.valueAt(1.18), drained.logarithmic()) : drained;
    Scale y = spanning(shown.stream().mapToDouble(TradeOffChart::peak).toArray());
    Chart chart = new Chart(x, y, HEIGHT).margins(48, 16);
    List<Tick> loads = new ArrayList<>();
    y.ticks(5).forEach(tick -> loads.add(new Tick(tick.value(), tick.label() + "\u00a0×")));
    List<Tick> times = new ArrayList<>(drained.timeTicks(5));
    if (never) {
      times.removeIf(tick -> x.at(tick.value()) > 0.8);
      times.add(new Tick(x.high(), Numbers.NEVER));
      chart.band(drained.high(), x.high(), "shade", "never all back");
    }
    chart.verticalAxis(loads).horizontalAxis(times);
    double most = shown.stream().mapToDouble(TradeOffChart::attempts).max().orElse(1);
    for (Outcome outcome : shown) {
      taken.add(around(chart, x, outcome, radius(outcome, most)));
    }
    List<Outcome> named = new ArrayList<>();
    for (Outcome outcome : shown) {
      // Dots at one place have one label, which names all of them.
      if (named.stream().noneMatch(other -> isSamePlace(chart, x, other, outcome))) {
        List<String> names =
            shown.stream()
                .filter(other -> isSamePlace(chart, x, outcome, other))
                .map(Outcome::name)
                .toList();
        named.add(outcome);
        String name = HarmlessText.withoutMiddle(String.join(", ", names), MAX_NAME);
        place(chart, x, outcome, radius(outcome, most), name);
      } else {
        dot(chart, x, outcome, radius(outcome, most));
      }
    }
    String lead =
        "Time until the last device is back (across) against the highest load in capacities (up)."
            + " The area of a dot grows with the attempts that a device makes after recovery."
            + " Nearer to the lower left corner is better.";
    String panel = Panels.panel("wide", "", "", chart.svg("Scatter plot. " + lead));
    return Panels.section("tradeoff", "Trade-off", lead, "", List.of(panel), "panels one");
  }

  private static Scale spanning(double... values) {
    double lowest = Double.POSITIVE_INFINITY;
    double highest = 0;
    for (double value : values) {
      if (Double.isFinite(value)) {
        lowest = Math.min(lowest, value);
        highest = Math.max(highest, value);
      }
    }
    return Scale.spanning(lowest, highest * 1.05, 6);
  }

  private static boolean isSamePlace(Chart chart, Scale x, Outcome one, Outcome other) {
    double right = (x.at(across(x, one)) - x.at(across(x, other))) * ASSUMED_WIDTH;
    double down = chart.down(peak(one)) - chart.down(peak(other));
    return Math.hypot(right, down) < SAME_PLACE;
  }

  private static void dot(Chart chart, Scale x, Outcome outcome, double radius) {
    String style = "bubble " + Palette.ofPolicy(outcome.index());
    chart.dot(across(x, outcome), peak(outcome), radius, style, title(outcome));
  }

  private static double across(Scale x, Outcome outcome) {
    return Math.min(drain(outcome), x.valueAt(0.955));
  }

  private static Box around(Chart chart, Scale x, Outcome outcome, double radius) {
    double across = x.at(across(x, outcome)) * ASSUMED_WIDTH;
    double down = chart.down(peak(outcome));
    return new Box(across - radius, down - radius, across + radius, down + radius);
  }

  /** Draws a dot, and its name at the first side of it that is free. */
  private void place(Chart chart, Scale x, Outcome outcome, double radius, String name) {
    double across = across(x, outcome);
    String style = Palette.ofPolicy(outcome.index());
    dot(chart, x, outcome, radius);
    double middle = x.at(across) * ASSUMED_WIDTH;
    double down = chart.down(peak(outcome));
    double width = name.length() * LETTER;
    int aside = (int) radius + 5;
    int above = (int) radius + 5;
    // Right, left, above, below; then aslant, and further above.
    int[][] sides = {
      {1, 0},
      {-1, 0},
      {0, -above},
      {0, above + 7},
      {1, -LINE},
      {1, LINE},
      {-1, -LINE},
      {-1, LINE},
      {0, -above - LINE},
      {0, -above - 2 * LINE}
    };
    for (int[] side : sides) {
      double left =
          side[0] > 0 ? middle + aside : side[0] < 0 ? middle - aside - width : middle - width / 2;
      double centre = down + side[1];
      Box box = new Box(left, centre - LINE / 2.0, left + width, centre + LINE / 2.0);
      double narrower = x.at(across) * (ASSUMED_WIDTH - NARROW_WIDTH);
      boolean inside =
          left - narrower > 0
              && left + width < ASSUMED_WIDTH
              && box.top() > -LINE
              && box.bottom() < HEIGHT - ABOVE_AXIS;
      boolean last = side == sides[sides.length - 1];
      if (last || (inside && taken.stream().noneMatch(box::meets))) {
        taken.add(box);
        String anchor = side[0] > 0 ? "start" : side[0] < 0 ? "end" : "middle";
        chart.label(
            name, across, peak(outcome), side[0] * aside, side[1] + 4, anchor, "label " + style);
        return;
      }
    }
  }

  private static String title(Outcome outcome) {
    return "%s: %s, peak %s × capacity, %s attempts a device"
        .formatted(
            outcome.name(),
            Double.isInfinite(drain(outcome))
                ? "never all back"
                : "all back after " + Numbers.shown(drain(outcome), "s"),
            Numbers.shown(peak(outcome)),
            Numbers.shown(attempts(outcome)));
  }

  private static double radius(Outcome outcome, double most) {
    return most > 0 ? 4 + 10 * Math.sqrt(attempts(outcome) / most) : 7;
  }

  private static double drain(Outcome outcome) {
    return outcome.mean(Figure.DRAIN_LAST).orElseThrow();
  }

  private static double peak(Outcome outcome) {
    return outcome.mean(Figure.PEAK_RATIO).orElseThrow();
  }

  private static double attempts(Outcome outcome) {
    double attempts = outcome.mean(Figure.ATTEMPTS_AFTER_RECOVERY).orElse(0);
    return Double.isFinite(attempts) ? attempts : 0;
  }
}
