package dev.reprise.chaos;

import dev.reprise.fixtures.Await;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.LedgerDocument;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** A load over which faults come, and the checks of what is left of it. */
final class Trial {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int WARM_MILLIS = 1_000;

  private final Scene scene;
  private final ChaosReceiver receiver;
  private final int perSecond;

  Trial(Scene scene, ChaosReceiver receiver, int perSecond) {
    this.scene = scene;
    this.receiver = receiver;
    this.perSecond = perSecond;
  }

  /**
   * The findings of a trial.
   *
   * @param published how many messages were acknowledged
   * @param unclear of how many it is not known whether they were accepted
   * @param repeated how often an endpoint got what it had taken before
   * @param answered the share of publishes all of whose answers were acknowledgements, 0 to 1
   * @param refused how many publishes had another answer, and not only a connection that ended
   * @param pause the longest time in which nothing was acknowledged
   * @param lost how many acknowledged deliveries are nowhere
   * @param broken the rules that were broken
   */
  record Verdict(
      long published,
      long unclear,
      int repeated,
      double answered,
      int refused,
      Duration pause,
      long lost,
      List<String> broken) {
    /** The verdict of a schedule that could not be carried out. */
    static Verdict failed(Throwable cause) {
      return new Verdict(0, 0, 0, 0, 0, Duration.ZERO, 0, List.of("it could not be carried out"));
    }

    /** The same with more rules that were broken. */
    Verdict with(ChaosFindings more) {
      List<String> all = new ArrayList<>(broken);
      all.addAll(more.broken());
      return new Verdict(
          published, unclear, repeated, answered, refused, pause, lost + more.lost(), all);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "published=%d unclear=%d repeated=%d answered=%.4f pause=%.1f s lost=%d broken=%d",
          published,
          unclear,
          repeated,
          answered,
          pause.toMillis() / 1e3,
          lost,
          broken.size());
    }
  }

  /** Publishes to a new topic while the faults come one after the other. */
  Verdict run(String topic, List<Fault> faults, RandomGenerator random)
      throws IOException, InterruptedException {
    Nodes nodes = scene.nodes();
    List<Subscribed> subscriptions = Subscribed.make(nodes.any(), receiver, topic);
    try (Load load = Load.start(nodes, topic, perSecond)) {
      awaitFirstDeliveries(subscriptions);
      Scene.sleep(WARM_MILLIS);
      for (Fault each : faults) {
        each.strike(scene, random);
        Scene.sleep(random.nextInt(WARM_MILLIS));
      }
      load.finish(PATIENCE);
      String stuck = awaitDelivered(load, subscriptions);
      load.troubles()
          .forEach((what, times) -> scene.say(times + " publishes were answered " + what));
      Checker checker =
          new Checker(nodes, receiver, load, subscriptions, scene.strikes(), scene.movedNanos());
      ChaosFindings findings = checker.check();
      if (!stuck.isEmpty()) {
        findings.add(stuck);
      }
      long accepted = load.accepted().size();
      return new Verdict(
          accepted,
          load.unclear().size(),
          checker.repeated(),
          load.answered(),
          load.refused(),
          load.longestPause(),
          findings.lost(),
          findings.broken());
    }
  }

  /**
   * Waits until every owner has delivered: the first time it loads classes between the look at its
   * lease and the first byte, and all that are under way would go out after a stop.
   */
  private void awaitFirstDeliveries(List<Subscribed> subscriptions) {
    Set<String> waiting =
        subscriptions.stream()
            .filter(each -> each.kind() != Subscribed.Kind.PARKED)
            .map(Subscribed::id)
            .collect(Collectors.toCollection(HashSet::new));
    Await.until(
        PATIENCE,
        "each has a delivery",
        () -> waiting,
        () -> {
          receiver.arrivals().forEach(each -> waiting.remove(each.subscription()));
          return waiting.isEmpty();
        });
  }

  /**
   * Waits until everything that can end has ended, for as long as anything does; why that does not
   * come, or nothing.
   */
  private String awaitDelivered(Load load, List<Subscribed> subscriptions)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    String waiting = "";
    long ended = 0;
    do {
      try {
        LedgerDocument ledger = Checker.ledger(scene.nodes(), false);
        waiting = waiting(ledger, load, subscriptions);
        long now = ledger.total().delivered() + ledger.total().deadLettered();
        if (now > ended) {
          ended = now;
          end = System.nanoTime() + PATIENCE.toNanos();
        }
      } catch (IOException e) {
        waiting = "the ledger cannot be read: " + e.getMessage();
      }
      if (waiting.isEmpty()) {
        return "";
      }
      Scene.sleep(100);
    } while (System.nanoTime() - end < 0);
    return "nothing delivered for " + PATIENCE.toSeconds() + " s: " + waiting;
  }

  private String waiting(LedgerDocument ledger, Load load, List<Subscribed> subscriptions) {
    for (Subscribed each : subscriptions) {
      LedgerCounts counts = Checker.counts(ledger, each);
      boolean parked = each.kind() == Subscribed.Kind.PARKED;
      if (counts.accepted() < load.accepted().size() || (!parked && counts.pending() > 0)) {
        return each + " has " + counts + " of " + load.accepted().size();
      }
    }
    return "";
  }
}
