package dev.reprise.server.watch;

import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.delivery.IntakeLog;
import java.util.List;
import java.util.Locale;

/** A node that has just joined, and owns nothing. */
final class FreshNode implements ClusterSeries.Node {
  private final ClusterFigures figures = new ClusterFigures();

  @Override
  public int nodes() {
    return 1;
  }

  @Override
  public int shards() {
    return 16;
  }

  @Override
  public NodeState state() {
    return new NodeState(List.of(), List.of(), List.of(), 0);
  }

  @Override
  public boolean tellsOfUnowned() {
    return true;
  }

  @Override
  public long brokerClockOffMillis() {
    return 0;
  }

  @Override
  public ClusterFigures figures() {
    return figures;
  }

  @Override
  public double pressure() {
    return 0;
  }

  @Override
  public int topicFaults() {
    return 0;
  }

  @Override
  public String topic(IntakeLog log) {
    return "reprise." + log.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public long lost(IntakeLog log) {
    return 0;
  }

  @Override
  public long refusedRecords() {
    return 0;
  }
}
