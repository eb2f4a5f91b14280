package dev.reprise.cli.device;

import dev.reprise.cli.base.Json;
import dev.reprise.cli.device.DeviceState.Reason;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.device.DeviceCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows what devices are doing: one table that is drawn anew for a person, one line after the other
 * in a file or pipe, JSON lines for programs.
 */
final class DeviceBoard {
  private static final int MAX_REASONS = 5;
  private static final int LINES_PER_HEADING = 25;

  /** A rate over less says nothing. */
  private static final long MIN_MEASURE_NANOS = 90_000_000;

  private static final String[] HEADING = {
    "TIME",
    "CONNECTED",
    "RETRYING",
    "WAITING",
    "IN FLIGHT",
    "ACCEPTED",
    "ACKNOWLEDGED",
    "/S",
    "NOT DELIVERED",
    "ATTEMPTS",
    "CONNECTS",
    "LOSSES"
  };

  private final Terminal terminal;
  private final boolean json;
  private final boolean redraws;
  private int drawnLines;
  private int shown;
  private double perSecond;
  private long measuredAtNanos;
  private @Nullable DeviceState before;

  DeviceBoard(Terminal terminal, boolean json) {
    this.terminal = terminal;
    this.json = json;
    this.redraws = !json && terminal.interactiveOut() && terminal.canMoveCursor();
  }

  /** Shows the state, and how fast messages were acknowledged since the previous one. */
  void show(DeviceState state, long elapsedNanos) {
    long sinceNanos = elapsedNanos - measuredAtNanos;
    if (sinceNanos >= MIN_MEASURE_NANOS) {
      perSecond = state.acknowledgedPerSecond(before, sinceNanos);
      before = state;
      measuredAtNanos = elapsedNanos;
    }
    long elapsedMillis = elapsedNanos / 1_000_000;
    if (json) {
      terminal.line(Json.compact(state.toJson(elapsedMillis, perSecond)));
    } else if (redraws) {
      redraw(block(state, elapsedMillis));
    } else {
      if (shown % LINES_PER_HEADING == 0) {
        terminal.line(heading());
      }
      terminal.line(row(state, elapsedMillis));
    }
    shown++;
    terminal.flush();
  }

  /** Forgets what was drawn, so that it stays. */
  void leave() {
    drawnLines = 0;
  }

  private void redraw(List<String> lines) {
    StringBuilder drawing = new StringBuilder();
    if (drawnLines > 0) {
      drawing.append("\r\u001b[").append(drawnLines).append("A\u001b[J");
    }
    lines.forEach(line -> drawing.append(line).append('\n'));
    terminal.out().print(drawing);
    drawnLines = lines.size();
  }

  private List<String> block(DeviceState state, long elapsedMillis) {
    DeviceCounters counted = state.counted();
    List<String> lines = new ArrayList<>();
    fact(
        lines,
        "time",
        AmountText.rough(Duration.ofMillis(elapsedMillis / 1000 * 1000)),
        Style.PLAIN);
    fact(
        lines,
        "connected",
        state.connected()
            + " of "
            + state.devices()
            + (state.connecting() > 0 ? ", " + state.connecting() + " connecting" : "")
            + (state.disconnected() > 0 ? ", " + state.disconnected() + " given up" : ""),
        state.disconnected() > 0
            ? Style.BAD
            : state.connected() == state.devices() ? Style.GOOD : Style.WAITING);
    fact(
        lines,
        "retrying",
        state.retrying()
            + (state.longestWaitNanos() > 0
                ? ", waits of up to "
                    + AmountText.rough(Duration.ofMillis(state.longestWaitNanos() / 1_000_000))
                : ""),
        state.retrying() > 0 ? Style.WAITING : Style.PLAIN);
    for (Reason reason : first(state)) {
      fact(
          lines,
          "",
          "  " + reason.devices() + " " + reason.name() + " - " + reason.example(),
          Style.DIM);
    }
    fact(
        lines,
        "queue",
        number(counted.waiting()) + " waiting, " + number(counted.inFlight()) + " in flight",
        Style.PLAIN);
    fact(
        lines,
        "accepted",
        number(counted.accepted())
            + (counted.recovered() > 0
                ? ", and " + number(counted.recovered()) + " left by an earlier run"
                : ""),
        Style.PLAIN);
    fact(
        lines,
        "acknowledged",
        number(counted.acknowledged()) + ", " + number(Math.round(perSecond)) + "/s",
        Style.PLAIN);
    fact(
        lines,
        "not delivered",
        number(counted.rejected())
            + " rejected, "
            + number(counted.expired())
            + " expired, "
            + number(counted.dropped())
            + " dropped",
        notDelivered(counted) > 0 ? Style.BAD : Style.PLAIN);
    fact(
        lines,
        "attempts",
        number(counted.attempts())
            + " to send, "
            + number(counted.connects())
            + " to connect; "
            + number(counted.losses())
            + " failed or lost",
        Style.PLAIN);
    return lines;
  }

  private static List<Reason> first(DeviceState state) {
    return state.reasons().subList(0, Math.min(MAX_REASONS, state.reasons().size()));
  }

  private void fact(List<String> lines, String name, String value, Style style) {
    String label = String.format("%-15s", name);
    // A line that wraps would be two, and the next drawing one line too low.
    String shortened = Words.shortened(value, terminal.width() - 1 - label.length());
    lines.add(terminal.styled(label, Style.DIM) + terminal.styled(shortened, style));
  }

  private static long notDelivered(DeviceCounters counted) {
    return counted.rejected() + counted.expired() + counted.dropped();
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String heading() {
    StringBuilder line = new StringBuilder();
    for (String name : HEADING) {
      line.append(cell(name, name));
    }
    return line.append("WHY").toString();
  }

  private String row(DeviceState state, long elapsedMillis) {
    DeviceCounters counted = state.counted();
    String[] cells = {
      elapsedMillis / 1000 + " s",
      String.valueOf(state.connected()),
      String.valueOf(state.retrying()),
      String.valueOf(counted.waiting()),
      String.valueOf(counted.inFlight()),
      String.valueOf(counted.accepted()),
      String.valueOf(counted.acknowledged()),
      String.valueOf(Math.round(perSecond)),
      String.valueOf(notDelivered(counted)),
      String.valueOf(counted.attempts()),
      String.valueOf(counted.connects()),
      String.valueOf(counted.losses())
    };
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      line.append(cell(HEADING[i], cells[i]));
    }
    return line.append(
            first(state).stream()
                .map(reason -> reason.devices() + " " + reason.name())
                .collect(Collectors.joining("; ")))
        .toString()
        .stripTrailing();
  }

  /** Returns a cell as wide as its heading and as what usually stands below it. */
  private static String cell(String heading, String text) {
    return String.format("%" + Math.max(6, heading.length()) + "s  ", text);
  }
}
