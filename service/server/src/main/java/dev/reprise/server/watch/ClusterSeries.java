package dev.reprise.server.watch;

import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.cluster.node.ClusterHost;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.delivery.IntakeLog;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The series of a node of a cluster. All are there as soon as the node has joined, before it owns a
 * shard.
 */
final class ClusterSeries {
  /** The figures that are read at each scrape. */
  interface Node {
    /** Nodes that the group knows. */
    int nodes();

    /** Shards of the cluster. */
    int shards();

    NodeState state();

    /** Whether this node reports the shards without an owner. */
    boolean tellsOfUnowned();

    /** The largest clock offset of a broker, in milliseconds; less than 0 if it is behind. */
    long brokerClockOffMillis();

    ClusterFigures figures();

    /** Shortage of processor time, 0 to 1. */
    double pressure();

    /** Settings of topics that endanger data. */
    int topicFaults();

    /** The name of a topic. */
    String topic(IntakeLog log);

    /** Records of a topic that were deleted before they were taken in; 1 for an unknown number. */
    long lost(IntakeLog log);

    /** Records that were no messages. */
    long refusedRecords();
  }

  private final MeterRegistry registry;

  private ClusterSeries(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Begins the series of a node. */
  static void begin(MeterRegistry registry, Node node) {
    new ClusterSeries(registry).watch(node);
  }

  /** Returns a node of a real cluster. */
  static Node of(ClusterHost host) {
    return new Node() {
      @Override
      public int nodes() {
        return host.map().nodes().size();
      }

      @Override
      public int shards() {
        return host.shardCount();
      }

      @Override
      public NodeState state() {
        return host.state();
      }

      @Override
      public boolean tellsOfUnowned() {
        return host.tellsOfUnowned();
      }

      @Override
      public long brokerClockOffMillis() {
        return host.brokerClocks().furthestMillis();
      }

      @Override
      public ClusterFigures figures() {
        return host.figures();
      }

      @Override
      public double pressure() {
        return host.pressure();
      }

      @Override
      public int topicFaults() {
        return host.topicFaults().size();
      }

      @Override
      public String topic(IntakeLog log) {
        return host.topic(log);
      }

      @Override
      public long lost(IntakeLog log) {
        return host.lostIntake(log).values().stream()
            .mapToLong(lost -> Math.max(1, lost.count()))
            .sum();
      }

      @Override
      public long refusedRecords() {
        return host.refusedRecords();
      }
    };
  }

  private void watch(Node node) {
    gauge("reprise.cluster.nodes", "Nodes that the group knows", node, Node::nodes);
    gauge("reprise.cluster.shards", "Shards of the cluster", node, Node::shards);
    for (NodeState.Phase phase : NodeState.Phase.values()) {
      Gauge.builder("reprise.cluster.shards.owned", node, n -> owned(n, phase))
          .description("Shards that are given to this node, by whether they are at work")
          .tag("state", phase.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    gauge(
        "reprise.cluster.records.not.taken",
        "Records that the brokers have accepted and this node's shards have not taken",
        node,
        n -> backlogs(n).mapToLong(ShardBacklog::notTaken).filter(count -> count > 0).sum());
    gauge(
        "reprise.cluster.records.not.taken.age.seconds",
        "Age of the oldest record that the brokers have accepted and this node's shards have not"
            + " taken",
        node,
        n -> age(backlogs(n).mapToLong(ShardBacklog::oldestMillis)));
    gauge(
        "reprise.cluster.shards.standing",
        "Shards that take nothing for a minute or more, although something waits",
        node,
        n -> backlogs(n).filter(ShardBacklog::stands).count());
    gauge(
        "reprise.cluster.turn.age.seconds",
        "Age of the oldest turn that the brokers have not committed",
        node,
        n -> age(n.state().owned().stream().mapToLong(each -> each.backlog().turnMillis())));
    gauge(
        "reprise.cluster.shards.followed",
        "Shards of which this node keeps a copy",
        node,
        n -> n.state().followed().size());
    gauge(
        "reprise.cluster.follower.lag.max",
        "Lag of the most outdated copy, in records",
        node,
        n -> n.state().followed().stream().mapToLong(NodeState.Followed::lag).max().orElse(0));
    gauge(
        "reprise.cluster.clock.off.seconds",
        "Clock offset: the least by which this node's clock is ahead of the brokers'",
        node,
        n -> n.state().clockOffMillis() / 1000.0);
    gauge(
        "reprise.cluster.broker.clock.off.seconds",
        "Largest clock offset of a broker: the least by which its clock is ahead of most clocks",
        node,
        n -> n.brokerClockOffMillis() / 1000.0);
    ClusterFigures figures = node.figures();
    FunctionCounter.builder("reprise.cluster.takeovers", figures, ClusterFigures::takeovers)
        .description("Shards that this node has taken over")
        .register(registry);
    gauge(
        "reprise.cluster.takeover.last.seconds",
        "How long the last take-over took",
        figures,
        f -> f.lastTakeoverMillis() / 1000.0);
    FunctionCounter.builder("reprise.cluster.shards.lost", figures, ClusterFigures::lostShards)
        .description("Shards that this node has lost without giving them back")
        .register(registry);
    FunctionCounter.builder(
            "reprise.cluster.copies.dropped", figures, ClusterFigures::copiesDropped)
        .description("Copies dropped because this node no longer takes part in their shards")
        .register(registry);
    FunctionTimer.builder(
            "reprise.cluster.commit.duration",
            figures,
            ClusterFigures::commits,
            ClusterFigures::commitNanos,
            TimeUnit.NANOSECONDS)
        .description("How long the brokers take for a transaction of a shard's turn")
        .register(registry);
    gauge(
        "reprise.cluster.pressure",
        "Shortage of processor time: 0 while turns and requests are not delayed, 1 while they are"
            + " delayed as long as allowed",
        node,
        Node::pressure);
    gauge(
        "reprise.cluster.topic.faults",
        "Settings of topics that endanger data",
        node,
        Node::topicFaults);
    for (IntakeLog log : IntakeLog.values()) {
      Gauge.builder("reprise.cluster.intake.lost", node, n -> n.lost(log))
          .description(
              "Records that were deleted before the shards of this node had taken them in, and are"
                  + " not acknowledged; 1 if their number is unknown")
          .tag("kafka_topic", node.topic(log))
          .register(registry);
    }
    FunctionCounter.builder("reprise.cluster.records.refused", node, Node::refusedRecords)
        .description("Records that were no messages, of applications and stray ones")
        .register(registry);
  }

  /** Those of this node's shards, and of those without an owner if this node reports them. */
  private static Stream<ShardBacklog> backlogs(Node node) {
    NodeState state = node.state();
    return Stream.concat(
        state.owned().stream().map(NodeState.Owned::backlog),
        node.tellsOfUnowned()
            ? state.unowned().stream().map(NodeState.Unowned::backlog)
            : Stream.empty());
  }

  private static double age(LongStream sinceMillis) {
    long now = System.currentTimeMillis();
    return sinceMillis
            .filter(since -> since > 0)
            .map(since -> Math.max(0, now - since))
            .max()
            .orElse(0)
        / 1000.0;
  }

  private static double owned(Node node, NodeState.Phase phase) {
    return node.state().owned().stream().filter(each -> each.phase() == phase).count();
  }

  /** A meter has its subject by a weak reference; these gauges keep the node for all meters. */
  private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
    Gauge.builder(name, of, value)
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
