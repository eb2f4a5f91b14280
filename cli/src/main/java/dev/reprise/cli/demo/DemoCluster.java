package dev.reprise.cli.demo;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.group.ShardOwners;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Three brokers and three nodes on this machine, each a process that ends with this one. Not for
 * several threads at once, but for {@link #close}.
 */
final class DemoCluster implements AutoCloseable {
  static final int BROKERS = 3;
  static final int NODES = 3;
  static final int SHARDS = 6;
  private static final String NAME = "reprise";

  private final Path folder;
  private final List<DemoNode> nodes = new ArrayList<>();
  private volatile @Nullable Brokers brokers;
  private @Nullable ShardOwners owners;

  /** A cluster whose files are below a folder; nothing runs yet. */
  DemoCluster(Path folder) {
    this.folder = folder;
    try {
      for (int i = 1; i <= NODES; i++) {
        nodes.add(new DemoNode("node-" + i, folder));
      }
    } catch (UncheckedIOException e) {
      close();
      throw CommandFailure.failed("the demo's cluster needs ports: " + e.getMessage());
    }
  }

  /** Starts the brokers, waits until they serve, and starts the nodes. */
  void start() throws InterruptedException {
    try {
      Brokers started = Brokers.start(folder.resolve("kafka"), BROKERS);
      brokers = started;
      owners = new ShardOwners(started.bootstrap(), NAME);
      for (DemoNode node : nodes) {
        node.launch(started.bootstrap(), SHARDS);
      }
    } catch (IOException | UncheckedIOException | IllegalStateException e) {
      throw CommandFailure.failed("the demo's cluster does not start: " + e.getMessage());
    }
  }

  List<DemoNode> nodes() {
    return nodes;
  }

  String brokers() {
    return running().bootstrap();
  }

  /** Ends a broker as kill -9 does; they are numbered from 1. */
  void killBroker(int number) {
    running().kill(number);
  }

  /** Returns the name of each shard's owner, as far as there is one. */
  Map<Integer, String> owners() throws InterruptedException {
    ShardOwners asked = owners;
    return asked == null ? Map.of() : asked.read();
  }

  /** Returns the shards of each node. */
  static Map<String, List<Integer>> byNode(Map<Integer, String> owners) {
    Map<String, List<Integer>> shards = new TreeMap<>();
    owners.forEach(
        (shard, node) -> shards.computeIfAbsent(node, name -> new ArrayList<>()).add(shard));
    return shards;
  }

  /**
   * Checks that the nodes run.
   *
   * @throws CommandFailure if one has ended without being killed by the demo
   */
  void requireAlive() {
    for (DemoNode node : nodes) {
      if (node.hasEnded()) {
        throw new CommandFailure(
            ExitCode.FAILED, node.name() + " has ended; its log ends with", node.lastLines());
      }
    }
  }

  private Brokers running() {
    Brokers running = brokers;
    if (running == null) {
      throw new IllegalStateException("the brokers do not run");
    }
    return running;
  }

  @Override
  public void close() {
    nodes.forEach(DemoNode::close);
    ShardOwners asked = owners;
    if (asked != null) {
      asked.close();
    }
    Brokers running = brokers;
    if (running != null) {
      running.close();
    }
  }
}
