package dev.reprise.cli.demo;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.demo.SteadyPublisher.Accepted;
import dev.reprise.cli.service.Pages;
import dev.reprise.cli.service.SubscriptionCommand;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.common.text.AmountText;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.document.SubscriptionDocument;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The story of a cluster, of which a node and a broker are killed while messages are published, and
 * the ledger afterwards.
 */
final class ClusterDemo {
  private static final int PER_SECOND = 10;
  private static final String TOPIC = "orders";
  private static final String POLICY =
      "{\"healthyRetryPolicy\": {\"numRetries\": 30, \"minDelayTarget\": 1, \"maxDelayTarget\":"
          + " 2}}";

  /** The killed ones. The first node is the one that the commands ask. */
  private static final int KILLED_NODE = 2;

  private static final int KILLED_BROKER = 3;

  /** So many answers to what was sent later say that publishing goes on. */
  private static final int ANSWERS = 2 * PER_SECOND;

  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final String INDENT = "   ";

  private final DemoStage stage;
  private final DemoCluster cluster;
  private final ClusterDemoEndpoint endpoint;
  private final Progress progress;
  private final SteadyPublisher publisher;

  /** The subscriptions in the order of their shards. */
  private final Map<Integer, String> subscriptions = new TreeMap<>();

  private ClusterDemo(
      DemoStage stage,
      DemoCluster cluster,
      ClusterDemoEndpoint endpoint,
      SteadyPublisher publisher) {
    this.stage = stage;
    this.cluster = cluster;
    this.endpoint = endpoint;
    this.publisher = publisher;
    this.progress = new Progress(stage.terminal());
  }

  /**
   * Runs the demo.
   *
   * @param stage asks the first node
   * @return {@link ExitCode#DONE} only if everything that was accepted is accounted for
   */
  static int tell(DemoStage stage, DemoCluster cluster) throws InterruptedException {
    List<String> paths =
        cluster.nodes().stream().map(node -> node.url() + "/v1/topics/orders/messages").toList();
    try (ClusterDemoEndpoint endpoint = new ClusterDemoEndpoint();
        SteadyPublisher publisher = new SteadyPublisher(paths)) {
      return new ClusterDemo(stage, cluster, endpoint, publisher).tell();
    }
  }

  private int tell() throws InterruptedException {
    stage.step(
        "Three brokers of Kafka and three nodes of Reprise start, each a process of its own.");
    start();

    stage.step(
        "One topic, and a subscriber in each shard. Their endpoint answers 503 now and then, and"
            + " refuses some.");
    subscribe();

    stage.step(PER_SECOND + " messages a second are published from now on, to the nodes in turn.");
    publisher.begin(PER_SECOND);
    watch(STEADY_NANOS);

    killNode();
    watch(STEADY_NANOS);

    killBroker();
    watch(STEADY_NANOS);

    stage.step("Publishing ends, the endpoint recovers, and what is left is delivered.");
    publisher.end();
    endpoint.recover();
    long began = System.nanoTime();
    await("publishes under way: ", publisher::underWay, () -> publisher.underWay() == 0);
    await("pending: ", () -> ledger().pending(), () -> ledger().pending() == 0);
    stage.say("After " + since(began) + " nothing is pending:");
    stage.run("ledger", "--verify");
    return account();
  }

  private void start() throws InterruptedException {
    progress.show(INDENT + "brokers start...");
    cluster.start();
    await(
        "nodes that are ready: ",
        () -> cluster.nodes().stream().filter(DemoNode::isReady).count(),
        () -> cluster.nodes().stream().allMatch(DemoNode::isReady));
    await("shards with an owner: ", () -> cluster.owners().size(), this::isShared);
    // Nodes answer before their shards are open, and a command would not wait for long.
    await("shards with an owner: ", () -> cluster.owners().size(), this::takesChanges);
    stage.say("brokers  " + cluster.brokers().replace(",", "  "));
    stage.say(
        "nodes    "
            + cluster.nodes().stream()
                .map(node -> node.name() + " " + node.url())
                .collect(Collectors.joining("  ")));
    stage.say(
        "Deliveries are divided into "
            + DemoCluster.SHARDS
            + " shards. One node owns a shard and delivers; another keeps a copy of it:");
    showOwners(cluster.owners());
    stage.say("A message is accepted once two of the three brokers have it.");
  }

  /** Returns whether each node has its part of the shards. */
  private boolean isShared() throws InterruptedException {
    Map<Integer, String> owners = cluster.owners();
    return owners.size() == DemoCluster.SHARDS
        && DemoCluster.byNode(owners).size() == DemoCluster.NODES;
  }

  private boolean takesChanges() {
    try {
      var unused = stage.client().put("/v1/topics/" + TOPIC, "name");
      return true;
    } catch (CommandFailure e) {
      return false;
    }
  }

  private void showOwners(Map<Integer, String> owners) {
    DemoCluster.byNode(owners)
        .forEach((node, shards) -> stage.say("  " + node + " owns " + shards(shards)));
  }

  private static String shards(List<Integer> shards) {
    return (shards.size() == 1 ? "shard " : "shards ")
        + shards.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private void subscribe() throws InterruptedException {
    stage.run("topic", "create", TOPIC, "--policy", POLICY);
    stage.run("subscribe", TOPIC, endpoint.url(), "--format", "raw");
    await("subscriptions: ", subscriptions::size, this::hasOneInEachShard);
    stage.say("... and " + (subscriptions.size() - 1) + " more like it");
    endpoint.refuseSomeOf(TOPIC + "-1");
  }

  /** Subscribes once more if it does not. An answer may be lost, so what is there counts. */
  private boolean hasOneInEachShard() {
    try {
      JsonNode page = stage.client().get(SubscriptionCommand.PATH, "items");
      for (SubscriptionDocument each : Pages.items(page, SubscriptionDocument.class)) {
        long number = Long.parseLong(each.id().substring(each.id().lastIndexOf('-') + 1));
        subscriptions.put((int) (number % DemoCluster.SHARDS), each.id());
      }
      if (subscriptions.size() < DemoCluster.SHARDS) {
        var unused =
            stage
                .client()
                .send(
                    "POST",
                    "/v1/topics/" + TOPIC + "/subscriptions",
                    Json.object().put("endpoint", endpoint.url()).put("format", "raw"),
                    "id");
      }
    } catch (CommandFailure e) {
      // Asked again.
    }
    return subscriptions.size() == DemoCluster.SHARDS;
  }

  private void killNode() throws InterruptedException {
    DemoNode killed = cluster.nodes().get(KILLED_NODE - 1);
    await("shards with an owner: ", () -> cluster.owners().size(), this::isShared);
    List<Integer> shards =
        DemoCluster.byNode(cluster.owners()).getOrDefault(killed.name(), List.of());
    stage.step("kill -9 of " + killed.name() + ", which owns " + shards(shards) + ".");
    long atNanos = System.nanoTime();
    killed.kill();
    Map<Integer, Long> again = new TreeMap<>();
    await(
        "shards that attempt again: ",
        () -> again.size(),
        () -> {
          for (int shard : shards) {
            Long last = endpoint.lastNanos().get(subscriptions.get(shard));
            // What was under way when it ended may still arrive.
            if (last != null && last - atNanos > TimeUnit.MILLISECONDS.toNanos(500)) {
              again.putIfAbsent(shard, last);
            }
          }
          return again.size() == shards.size();
        });
    await("shards with an owner: ", () -> cluster.owners().size(), this::isWhole);
    Map<Integer, String> owners = cluster.owners();
    again.forEach(
        (shard, nanos) ->
            stage.say(
                String.format(
                    Locale.ROOT,
                    "  shard %d: %s has taken it over; attempts go on after %s",
                    shard,
                    owners.get(shard),
                    span(nanos - atNanos))));
    stage.say(
        "Publishing went on meanwhile: the longest time without an answer was "
            + span(longestGapNanos(atNanos))
            + ".");
  }

  private boolean isWhole() throws InterruptedException {
    return cluster.owners().size() == DemoCluster.SHARDS;
  }

  private void killBroker() throws InterruptedException {
    stage.step("kill -9 of broker " + KILLED_BROKER + ": two of three are left.");
    long atNanos = System.nanoTime();
    long refused = publisher.refused();
    cluster.killBroker(KILLED_BROKER);
    await(
        "publishes that wait: ",
        publisher::underWay,
        () -> answersToWhatWasSentAfter(atNanos) >= ANSWERS && publisher.underWay() < PER_SECOND);
    long gapNanos = longestGapNanos(atNanos);
    long refusedNow = publisher.refused() - refused;
    stage.say(
        "Publishing paused for "
            + span(gapNanos)
            + ", until the other brokers led what the lost one had led; "
            + (refusedNow == 0
                ? "what was sent meanwhile was accepted then."
                : refusedNow + " sent meanwhile were refused with 503, and not accepted."));
    long resumedNanos = System.nanoTime();
    await(
        "shards that attempt again: ",
        () -> attemptedSince(resumedNanos),
        () -> attemptedSince(resumedNanos) == DemoCluster.SHARDS);
    stage.say("All shards attempt again.");
  }

  private long attemptedSince(long nanos) {
    return endpoint.lastNanos().values().stream().filter(each -> each - nanos > 0).count();
  }

  private long answersToWhatWasSentAfter(long nanos) {
    return publisher.accepted().stream().filter(each -> each.sentNanos() - nanos > 0).count();
  }

  /** Returns the longest time after a moment in which no publish was answered. */
  private long longestGapNanos(long fromNanos) {
    long longest = 0;
    long before = fromNanos;
    for (Accepted each : publisher.accepted()) {
      if (each.answeredNanos() - fromNanos > 0) {
        longest = Math.max(longest, each.answeredNanos() - before);
        before = each.answeredNanos();
      }
    }
    return longest;
  }

  /** Lets the cluster work for a while, and says what came of it. */
  private void watch(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    await("published: ", publisher::sent, () -> System.nanoTime() - end > 0);
    LedgerCounts counts = ledger();
    stage.say(
        String.format(
            Locale.ROOT,
            "%,d published so far: %,d deliveries accepted, %,d delivered, %,d pending, %,d dead",
            publisher.accepted().size(),
            counts.accepted(),
            counts.delivered(),
            counts.pending(),
            counts.deadLettered()));
  }

  /** Asks again while a shard is on its way to another node. */
  private LedgerCounts ledger() {
    Pauses pauses = DemoStage.patience();
    while (true) {
      try {
        JsonNode answer = stage.client().get("/v1/ledger", "total");
        return Json.document(answer, LedgerDocument.class).total();
      } catch (CommandFailure e) {
        cluster.requireAlive();
        DemoStage.pause(pauses);
      }
    }
  }

  /** Compares what was accepted with what has become of it. */
  private int account() {
    LedgerCounts counts = ledger();
    long difference =
        counts.accepted() - counts.delivered() - counts.deadLettered() - counts.pending();
    List<String> lost = new ArrayList<>();
    List<Accepted> accepted = publisher.accepted();
    for (Accepted each : accepted) {
      for (String subscription : subscriptions.values()) {
        if (!endpoint.hasDecided(subscription, each.message())) {
          lost.add(each.message() + "@" + subscription);
        }
      }
    }
    boolean good = difference == 0 && lost.isEmpty() && counts.pending() == 0;
    stage.step("The account, as the endpoint has seen it as well:");
    stage.say(
        String.format(
            Locale.ROOT,
            "accepted %,d = delivered %,d + dead %,d + pending %,d, difference %,d",
            counts.accepted(),
            counts.delivered(),
            counts.deadLettered(),
            counts.pending(),
            difference));
    stage.say(
        String.format(
            Locale.ROOT,
            "lost %,d: %s",
            lost.size(),
            lost.isEmpty()
                ? String.format(
                    Locale.ROOT,
                    "each of the %,d messages that were accepted has reached its %d subscribers",
                    accepted.size(),
                    subscriptions.size())
                : String.join(" ", lost.subList(0, Math.min(lost.size(), 10)))));
    stage.say(
        String.format(
            Locale.ROOT,
            "repeated %,d: sent again, under the same id, after the endpoint had taken it",
            endpoint.repeated()));
    if (publisher.unanswered() > 0) {
      stage.say(
          String.format(
              Locale.ROOT,
              "%,d published without an answer, because the node was killed: what it had accepted"
                  + " of them",
              publisher.unanswered()));
      stage.say("is in the ledger, and was delivered");
    }
    if (!good) {
      throw CommandFailure.failed("the account does not add up");
    }
    return ExitCode.DONE;
  }

  private interface Condition {
    boolean holds() throws InterruptedException;
  }

  private interface Figure {
    long value() throws InterruptedException;
  }

  private void await(String what, Figure figure, Condition condition) throws InterruptedException {
    Pauses pauses = DemoStage.patience();
    while (!condition.holds()) {
      cluster.requireAlive();
      progress.show(INDENT + what + figure.value());
      DemoStage.pause(pauses);
    }
    progress.clear();
  }

  private static String since(long nanos) {
    return span(System.nanoTime() - nanos);
  }

  private static String span(long nanos) {
    return AmountText.rough(Duration.ofNanos(nanos));
  }
}
