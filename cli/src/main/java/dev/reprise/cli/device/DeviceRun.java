package dev.reprise.cli.device;

import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.device.message.MessageOutcome.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/** Runs the devices of a plan, shows them meanwhile, and accounts for every message at the end. */
final class DeviceRun {
  /** Between two looks at what is due. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** A wait that people do not notice. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  private final Terminal terminal;
  private final boolean json;
  private final DevicePlan plan;
  private final CountDownLatch stop;
  private final DeviceFleet fleet;
  private final DeviceBoard board;
  private final long startNanos = System.nanoTime();

  /**
   * Creates a run.
   *
   * @param stop opened when the devices are to stop sending
   */
  DeviceRun(Terminal terminal, boolean json, DevicePlan plan, CountDownLatch stop) {
    this.terminal = terminal;
    this.json = json;
    this.plan = plan;
    this.stop = stop;
    this.fleet = new DeviceFleet(plan);
    this.board = new DeviceBoard(terminal, json);
  }

  /**
   * Runs the devices to their end.
   *
   * @return the exit code
   * @throws IllegalArgumentException when the URL is not one that a device can use
   * @throws IOException when a folder cannot be used for a queue
   */
  int run() throws InterruptedException, IOException {
    DeviceState last;
    try (fleet) {
      // A URL that no device can use is reported before anything is shown.
      fleet.open(plan.openAfter(0));
      introduce();
      send();
      drain();
      last = fleet.state();
    }
    account(System.nanoTime() - startNanos);
    if (last.disconnected() == plan.count()) {
      terminal.error("every device has given up");
      return ExitCode.FAILED;
    }
    if (fleet.outcomes().sentCount() == 0 && last.connected() == 0) {
      terminal.error("no device is connected");
      return ExitCode.FAILED;
    }
    return fleet.outcomes().isWell() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void introduce() {
    if (json) {
      return;
    }
    String sends =
        plan.rate() == 0
            ? "sending nothing"
            : DevicePlan.plain(plan.rate())
                + (plan.rate() == 1 ? " message/s of " : " messages/s of ")
                + Words.count(plan.size(), "byte")
                + " from each";
    String ends =
        plan.duration() == null
            ? "Ctrl-C ends it."
            : "For " + AmountText.exact(plan.duration()) + ", or until Ctrl-C.";
    terminal.line(
        Words.count(plan.count(), "device")
            + " at "
            + HarmlessText.visible(plan.shownHub())
            + ", "
            + sends
            + ". "
            + ends);
    terminal.line("");
    terminal.flush();
  }

  private void send() throws InterruptedException, IOException {
    long everyNanos = plan.every().toNanos();
    long endNanos = plan.duration() == null ? Long.MAX_VALUE : plan.duration().toNanos();
    long showAtNanos = everyNanos;
    long elapsedNanos = 0;
    while (!fleet.hasGivenUp()) {
      // Messages due by the end are sent, however late the last look at the clock comes.
      long dueNanos = Math.min(elapsedNanos, endNanos);
      fleet.open(plan.openAfter(dueNanos));
      fleet.send(plan.dueAfter(dueNanos));
      if (elapsedNanos >= endNanos) {
        break;
      }
      if (elapsedNanos >= showAtNanos) {
        board.show(fleet.state(), elapsedNanos);
        showAtNanos = elapsedNanos - elapsedNanos % everyNanos + everyNanos;
        if (terminal.abandoned()) {
          break;
        }
      }
      if (stop.await(TICK_NANOS, TimeUnit.NANOSECONDS)) {
        break;
      }
      elapsedNanos = System.nanoTime() - startNanos;
    }
  }

  private void drain() throws InterruptedException {
    long stoppedNanos = System.nanoTime();
    long endNanos = stoppedNanos + plan.drain().toNanos();
    // A short wait needs no notice.
    awaitDrained(Math.min(endNanos, stoppedNanos + PAUSE_NANOS));
    if (plan.drain().toNanos() > PAUSE_NANOS && !isDrained()) {
      terminal.note(
          "Stopping: waits up to " + AmountText.exact(plan.drain()) + " for what is under way.");
      board.leave();
    }
    while (System.nanoTime() < endNanos && !isDrained()) {
      awaitDrained(Math.min(endNanos, System.nanoTime() + plan.every().toNanos()));
      board.show(fleet.state(), System.nanoTime() - startNanos);
    }
    board.show(fleet.state(), System.nanoTime() - startNanos);
    board.leave();
  }

  private void awaitDrained(long untilNanos) throws InterruptedException {
    while (System.nanoTime() < untilNanos && !isDrained()) {
      TimeUnit.NANOSECONDS.sleep(TICK_NANOS);
    }
  }

  private boolean isDrained() {
    return fleet.hasGivenUp() || fleet.isDrained();
  }

  /** Prints what became of every message. */
  private void account(long elapsedNanos) {
    DeviceOutcomes outcomes = fleet.outcomes();
    DeviceOutcomes earlier = fleet.earlierOutcomes();
    if (json) {
      ObjectNode sum = outcomes.toJson();
      sum.put("type", "sum").put("elapsedMillis", elapsedNanos / 1_000_000);
      sum.put("earlierAcknowledged", earlier.count(Kind.ACKNOWLEDGED));
      terminal.line(Json.compact(sum));
    } else {
      terminal.line("");
      terminal.line(sum(outcomes));
      outcomes
          .reasons()
          .forEach(
              (reason, times) -> terminal.line("  " + times + " " + HarmlessText.visible(reason)));
      if (earlier.endedCount() > 0) {
        terminal.line(
            "Of an earlier run: "
                + Words.count(earlier.count(Kind.ACKNOWLEDGED), "message")
                + " acknowledged.");
      }
    }
  }

  static String sum(DeviceOutcomes outcomes) {
    List<String> parts = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (kind == Kind.ACKNOWLEDGED || outcomes.count(kind) > 0) {
        parts.add(
            String.format(Locale.ROOT, "%,d %s", outcomes.count(kind), DeviceState.word(kind)));
      }
    }
    if (outcomes.lost() > 0) {
      parts.add(String.format(Locale.ROOT, "%,d without an outcome", outcomes.lost()));
    }
    return String.format(Locale.ROOT, "%,d sent = ", outcomes.sentCount())
        + String.join(" + ", parts);
  }
}
