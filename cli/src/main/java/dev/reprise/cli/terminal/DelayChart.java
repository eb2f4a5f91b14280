package dev.reprise.cli.terminal;

import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.Bars;
import dev.reprise.policy.preview.DelaySpan;
import dev.reprise.policy.preview.SchedulePreview;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Bars for the delay before each retry, as wide as the terminal allows. Where there is jitter, a
 * bar is solid up to the shortest delay and shaded up to the longest.
 */
public final class DelayChart {
  private static final int HEIGHT = 8;
  private static final char SHADE = '\u2591';

  private final List<SchedulePreview.Row> rows;
  private final int retries;
  private final Terminal terminal;
  private final Duration highest;
  private final boolean jittered;

  /** The shortest and the longest delay of the retries of one bar. */
  private record Bar(Duration lowest, Duration highest) {}

  public DelayChart(SchedulePreview preview, Terminal terminal) {
    this.rows = preview.rows();
    this.retries = shownRetries(preview);
    this.terminal = terminal;
    this.highest =
        rows.stream()
            .map(row -> row.delay().highest())
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    this.jittered = rows.stream().anyMatch(row -> row.delay().isJittered());
  }

  /** Retries without end are shown until they are all alike, and a little further. */
  private static int shownRetries(SchedulePreview preview) {
    if (preview.rows().isEmpty()) {
      return 0;
    }
    SchedulePreview.Row last = preview.rows().get(preview.rows().size() - 1);
    return last.isEndless() ? last.firstRetry() + 2 : last.lastRetry();
  }

  public void print() {
    if (highest.isZero()) {
      return;
    }
    String top = AmountText.exact(highest);
    String middle = AmountText.exact(highest.dividedBy(2));
    int margin = Math.max(top.length(), middle.length());
    int room = Math.min(72, terminal.width() - margin - 6);
    int bars = Math.min(retries, room);
    int barWidth = Math.min(4, Math.max(1, room / retries));
    List<Bar> shown = bars(bars);
    for (int row = HEIGHT; row >= 1; row--) {
      String label = row == HEIGHT ? top : row == HEIGHT / 2 ? middle : "";
      StringBuilder line = new StringBuilder();
      for (Bar bar : shown) {
        line.append(cell(bar, row).repeat(barWidth));
      }
      terminal.line(
          "  " + " ".repeat(margin - label.length()) + label + axis() + paint(line.toString()));
    }
    String last = String.valueOf(retries);
    int gap = Math.max(1, bars * barWidth - 1 - last.length());
    terminal.line(
        "  " + " ".repeat(margin + 2) + (retries == 1 ? "1" : "1" + " ".repeat(gap) + last));
    terminal.line(
        "  "
            + " ".repeat(margin + 2)
            + terminal.styled(
                "delay before each retry" + scale(bars, retries) + legend(), Style.DIM));
  }

  private String paint(String bars) {
    return terminal.styled(bars.stripTrailing(), Style.GOOD);
  }

  private static String scale(int bars, int retries) {
    return bars == retries ? "" : ", " + retries + " retries in " + bars + " bars";
  }

  private String axis() {
    return terminal.unicode() ? " \u2502" : " |";
  }

  private String legend() {
    if (!jittered) {
      return "";
    }
    return terminal.unicode() ? ": \u2588 shortest, \u2591 longest" : ": # shortest, : longest";
  }

  /** Returns the bars, each with the ends of all its retries. */
  private List<Bar> bars(int count) {
    List<Bar> bars = new ArrayList<>();
    int row = 0;
    for (int bar = 0; bar < count; bar++) {
      long last = (bar + 1L) * retries / count;
      DelaySpan first = rows.get(row).delay();
      Bar ends = new Bar(first.lowest(), first.highest());
      while (rows.get(row).lastRetry() < last) {
        row++;
        ends = widened(ends, rows.get(row).delay());
      }
      bars.add(ends);
      if (rows.get(row).lastRetry() == last && row < rows.size() - 1) {
        row++;
      }
    }
    return bars;
  }

  /** The shortest delay is that of the retry with the longest: what a bar is about is its top. */
  private static Bar widened(Bar bar, DelaySpan delay) {
    return delay.highest().compareTo(bar.highest()) > 0
        ? new Bar(delay.lowest(), delay.highest())
        : bar;
  }

  private String cell(Bar bar, int row) {
    int solid = eighths(jittered ? bar.lowest() : bar.highest(), row);
    if (jittered && solid < 8) {
      boolean shaded = eighths(bar.highest(), row) >= 4 || (row == 1 && !bar.highest().isZero());
      if (solid < 4) {
        return shaded ? String.valueOf(terminal.unicode() ? SHADE : ':') : " ";
      }
      return String.valueOf(terminal.unicode() ? Bars.block(Bars.FULL) : '#');
    }
    return String.valueOf(terminal.unicode() ? Bars.block(solid) : Bars.ascii(solid));
  }

  /** Returns how much of the row's cell the delay fills, 0 to 8. */
  private int eighths(Duration delay, int row) {
    return Bars.eighths((double) delay.toNanos() / highest.toNanos(), row, HEIGHT);
  }
}
