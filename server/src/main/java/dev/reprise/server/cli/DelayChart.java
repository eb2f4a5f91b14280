package dev.reprise.server.cli;

import dev.reprise.policy.SchedulePreview;
import dev.reprise.server.cli.Terminal.Style;

/** Bars for the delay before each retry, as wide as the terminal allows. */
final class DelayChart {
  private static final int HEIGHT = 8;
  private static final String EIGHTHS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";

  private final SchedulePreview preview;
  private final Terminal terminal;
  private final long highestMillis;

  DelayChart(SchedulePreview preview, Terminal terminal) {
    this.preview = preview;
    this.terminal = terminal;
    this.highestMillis =
        preview.rows().stream().mapToLong(SchedulePreview.Row::delayMillis).max().orElse(0);
  }

  void print() {
    if (highestMillis == 0) {
      return;
    }
    String top = Spans.exact(highestMillis);
    String middle = Spans.exact(highestMillis / 2);
    int margin = Math.max(top.length(), middle.length());
    int room = Math.min(72, terminal.width() - margin - 6);
    int retries = preview.retries();
    int bars = Math.min(retries, room);
    int barWidth = Math.min(4, Math.max(1, room / retries));
    long[] delays = delays(bars);
    for (int row = HEIGHT; row >= 1; row--) {
      String label = row == HEIGHT ? top : row == HEIGHT / 2 ? middle : "";
      StringBuilder line = new StringBuilder();
      for (long delay : delays) {
        line.append(cell(delay, row).repeat(barWidth));
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
            + terminal.styled("delay before each retry" + scale(bars, retries), Style.DIM));
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

  /** Returns the longest delay of each bar's retries. */
  private long[] delays(int bars) {
    long[] delays = new long[bars];
    long retries = preview.retries();
    int row = 0;
    for (int bar = 0; bar < bars; bar++) {
      // The delays of a staged backoff never fall: the last retry of a bar has its longest.
      long last = (bar + 1) * retries / bars;
      while (preview.rows().get(row).lastRetry() < last) {
        row++;
      }
      delays[bar] = preview.rows().get(row).delayMillis();
    }
    return delays;
  }

  private String cell(long delayMillis, int row) {
    double share = (double) delayMillis / highestMillis * HEIGHT;
    int eighths = (int) Math.round(share * 8) - (row - 1) * 8;
    // What is not nothing is seen.
    int shown = row == 1 && delayMillis > 0 ? Math.max(1, eighths) : eighths;
    int clamped = Math.max(0, Math.min(8, shown));
    if (terminal.unicode()) {
      return String.valueOf(EIGHTHS.charAt(clamped));
    }
    return clamped == 0 ? " " : clamped <= 3 ? "." : clamped <= 6 ? ":" : "#";
  }
}
