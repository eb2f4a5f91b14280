package dev.reprise.chaos;

import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** All nodes of a cluster, and what the brokers say about who owns which shard. */
public final class Nodes implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration LEDGER_LIMIT = Duration.ofSeconds(20);

  private final ClusterSpec spec;
  private final List<NodeProcess> all = new ArrayList<>();
  private final Admin admin;

  /** Why the ledger could not be read the last time. */
  private volatile String refusal = "";

  /** Nodes that do not run yet, {@code node-1} and so on, with their data and logs in a folder. */
  public Nodes(ClusterSpec spec, Path folder, int count) {
    this.spec = spec;
    for (int i = 1; i <= count; i++) {
      all.add(new NodeProcess(spec, "node-" + i, folder));
    }
    this.admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                spec.brokers(),
                "request.timeout.ms",
                "5000",
                "default.api.timeout.ms",
                "10000"));
  }

  /** Starts nodes on empty folders, and waits until all shards are at work. */
  public static Nodes start(ClusterSpec spec, Path folder, int count)
      throws IOException, InterruptedException {
    Nodes nodes = new Nodes(spec, folder, count);
    boolean complete = false;
    try {
      nodes.startAll();
      complete = true;
    } finally {
      if (!complete) {
        nodes.close();
      }
    }
    return nodes;
  }

  /** Starts the first node of a cluster that wants API keys, which makes the first one. */
  public void startWithKeys() throws IOException, InterruptedException {
    all.get(0).start();
    useFirstKey();
    startAll();
  }

  /**
   * Starts the first node as a service without a cluster, and no other.
   *
   * @param withKeys whether it wants API keys
   */
  public void startAlone(boolean withKeys) throws IOException, InterruptedException {
    NodeProcess first = all.get(0);
    first.serveAlone(true);
    first.start();
    if (withKeys) {
      useFirstKey();
    }
  }

  private void useFirstKey() throws IOException, InterruptedException {
    NodeProcess first = all.get(0);
    Await.until(
        PATIENCE, first + " makes an API key", first::said, () -> !first.firstKey().isEmpty());
    String key = first.firstKey();
    all.forEach(each -> each.useKey(key));
  }

  /** Starts those that do not run, lets those go on that are paused, and waits for all shards. */
  public void startAll() throws IOException, InterruptedException {
    for (NodeProcess each : all) {
      each.resume();
      if (!each.isAlive()) {
        each.launch();
      }
    }
    for (NodeProcess each : all) {
      each.awaitReady();
    }
    awaitShards();
  }

  /** Returns the options that the nodes have. */
  public ClusterSpec spec() {
    return spec;
  }

  /** Returns all nodes, those that do not run included. */
  public List<NodeProcess> all() {
    return List.copyOf(all);
  }

  /** Returns a node by its place, from 0. */
  public NodeProcess get(int index) {
    return all.get(index);
  }

  /** Returns a node that can be reached. */
  public NodeProcess any() {
    for (NodeProcess each : all) {
      if (each.isReachable()) {
        return each;
      }
    }
    throw new IllegalStateException("no node runs");
  }

  /** Waits until all shards are at work on nodes that run. */
  public void awaitShards() {
    Await.until(PATIENCE, "all shards are at work", this::said, this::areShardsAtWork);
  }

  private String said() throws InterruptedException {
    StringBuilder said = new StringBuilder(owners() + "; " + refusal);
    all.forEach(each -> said.append('\n').append(each.said()));
    return said.toString();
  }

  private boolean areShardsAtWork() throws InterruptedException {
    Map<Integer, NodeProcess> owners = owners();
    if (owners.size() < spec.shards()
        || !owners.values().stream().allMatch(NodeProcess::isReachable)) {
      return false;
    }
    try {
      // Every shard is read through its owner.
      HttpResponse<String> ledger = any().request("GET", "/v1/ledger", "", LEDGER_LIMIT);
      refusal = ledger.statusCode() == 200 ? "" : ledger.statusCode() + " " + ledger.body();
    } catch (IOException e) {
      refusal = e.toString();
    }
    return refusal.isEmpty();
  }

  /** Returns the owners of shards as the group has agreed; fewer than all while it does not. */
  public Map<Integer, NodeProcess> owners() throws InterruptedException {
    Map<Integer, NodeProcess> owners = new HashMap<>();
    try {
      ConsumerGroupDescription group =
          admin.describeConsumerGroups(List.of(spec.name())).all().get().get(spec.name());
      if (group == null || group.groupState() != GroupState.STABLE) {
        return owners;
      }
      for (MemberDescription member : group.members()) {
        NodeProcess node = byClient(member.clientId());
        for (TopicPartition each : member.assignment().topicPartitions()) {
          if (node != null && each.topic().equals(spec.topic("in"))) {
            owners.put(each.partition(), node);
          }
        }
      }
    } catch (ExecutionException e) {
      // The brokers do not know just now.
      return Map.of();
    }
    return owners;
  }

  private @Nullable NodeProcess byClient(String client) {
    for (NodeProcess each : all) {
      if (client.equals(spec.name() + "-" + each.name() + "-member")) {
        return each;
      }
    }
    return null;
  }

  /** Returns the place of a node, from 0. */
  public int placeOf(NodeProcess node) {
    return all.indexOf(node);
  }

  /** Waits until a shard has an owner, and returns it. */
  public NodeProcess ownerOf(int shard) throws InterruptedException {
    awaitShards();
    NodeProcess owner = owners().get(shard);
    if (owner == null) {
      // The group has begun to agree anew.
      return ownerOf(shard);
    }
    return owner;
  }

  /** Asks those that run to end, all at once, and waits for that. */
  public void terminateAll() throws InterruptedException {
    for (NodeProcess each : all) {
      each.resume();
      each.askToEnd();
    }
    for (NodeProcess each : all) {
      if (each.isAlive()) {
        int unused = each.terminate();
      }
    }
  }

  @Override
  public void close() {
    all.forEach(NodeProcess::close);
    admin.close(Duration.ofSeconds(1));
  }
}
