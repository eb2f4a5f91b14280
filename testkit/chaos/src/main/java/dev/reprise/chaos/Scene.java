package dev.reprise.chaos;

import dev.reprise.cluster.broker.Brokers;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Everything that a fault may strike, and a record of when something was struck. */
final class Scene {
  private final Brokers brokers;
  private final int brokerCount;
  private final Nodes nodes;
  private final Path folder;
  private final PrintStream out;
  private final long beganNanos = System.nanoTime();
  private final List<Strike> strikes = new ArrayList<>();
  private int skipped;
  private OptionalLong movedNanos = OptionalLong.empty();

  /**
   * A time in which deliveries may be repeated, because their owner was lost with what it had under
   * way.
   *
   * @param fault what has happened
   * @param node the node that was lost; empty for several
   * @param beganNanos when, by {@link System#nanoTime}
   * @param endedNanos when everything was at work again; 0 until then
   */
  record Strike(String fault, String node, long beganNanos, long endedNanos) {}

  Scene(Brokers brokers, int brokerCount, Nodes nodes, Path folder, PrintStream out) {
    this.brokers = brokers;
    this.brokerCount = brokerCount;
    this.nodes = nodes;
    this.folder = folder;
    this.out = out;
  }

  Brokers brokers() {
    return brokers;
  }

  int brokerCount() {
    return brokerCount;
  }

  Nodes nodes() {
    return nodes;
  }

  /** Returns a folder for what a fault needs. */
  Path folder() {
    return folder;
  }

  /** Something is struck from now on, until {@link #mended}. */
  void struck(String fault, String node) {
    strikes.add(new Strike(fault, node, System.nanoTime(), 0));
    say(fault + (node.isEmpty() ? "" : " " + node));
  }

  /** Everything that was struck is at work again. */
  void mended() {
    long now = System.nanoTime();
    strikes.replaceAll(
        each ->
            each.endedNanos() > 0
                ? each
                : new Strike(each.fault(), each.node(), each.beganNanos(), now));
    say("mended");
  }

  /** Something is not struck, since this machine does not allow it. */
  void skipped(String fault) {
    skipped++;
    say("SKIPPED: " + fault + ", which this machine does not allow");
  }

  /** Returns how often this machine did not allow what was to be struck. */
  int skipped() {
    return skipped;
  }

  /** A service without a cluster has done everything so far, and does nothing any more. */
  void moved() {
    movedNanos = OptionalLong.of(System.nanoTime());
    say("the service has ended");
  }

  /** Returns when a service without a cluster has ended; empty if all of it was a cluster. */
  OptionalLong movedNanos() {
    return movedNanos;
  }

  List<Strike> strikes() {
    return List.copyOf(strikes);
  }

  /** Returns the shards of a node, as the group has agreed. */
  List<Integer> shardsOf(NodeProcess node) throws InterruptedException {
    return nodes.owners().entrySet().stream()
        .filter(each -> each.getValue().equals(node))
        .map(Map.Entry::getKey)
        .toList();
  }

  void say(String what) {
    out.printf(Locale.ROOT, "  %6.1f s  %s%n", (System.nanoTime() - beganNanos) / 1e9, what);
  }

  static void sleep(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }
}
