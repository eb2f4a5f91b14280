package dev.reprise.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace for each node of a cluster, joined by a bridge of this machine on which
 * brokers and endpoints listen. A node whose link is down is cut off: nothing arrives, and nobody
 * is told. Needs the rights of root.
 */
final class Network implements AutoCloseable {
  /** Networks of several programs at the same time are different ones. */
  private static final String SUBNET = "10.231." + ProcessHandle.current().pid() % 256 + ".";

  private static final int FIRST_NODE = 10;

  private final String bridge = "rb" + ProcessHandle.current().pid();
  private final List<String> namespaces = new ArrayList<>();

  /** Namespaces and bridges would outlive this process. */
  private final Thread atExit = new Thread(this::delete, "network");

  private Network() {}

  /** Makes the namespaces of so many nodes. */
  static Network make(int nodes) throws IOException, InterruptedException {
    Network network = new Network();
    Runtime.getRuntime().addShutdownHook(network.atExit);
    boolean complete = false;
    try {
      ChaosCommand.run("ip", "link", "add", network.bridge, "type", "bridge");
      ChaosCommand.run("ip", "address", "add", network.host() + "/24", "dev", network.bridge);
      ChaosCommand.run("ip", "link", "set", network.bridge, "up");
      for (int i = 0; i < nodes; i++) {
        network.add(i);
      }
      complete = true;
    } finally {
      if (!complete) {
        network.close();
      }
    }
    return network;
  }

  private void add(int node) throws IOException, InterruptedException {
    String namespace = bridge + "n" + node;
    ChaosCommand.run("ip", "netns", "add", namespace);
    namespaces.add(namespace);
    ChaosCommand.run(
        "ip",
        "link",
        "add",
        link(node),
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        namespace);
    ChaosCommand.run("ip", "link", "set", link(node), "master", bridge, "up");
    ChaosCommand.run("ip", "-n", namespace, "link", "set", "lo", "up");
    ChaosCommand.run("ip", "-n", namespace, "address", "add", address(node) + "/24", "dev", "eth0");
    ChaosCommand.run("ip", "-n", namespace, "link", "set", "eth0", "up");
  }

  private String link(int node) {
    return bridge + "v" + node;
  }

  /** Returns the network, as {@code --allow} has it. */
  static String subnet() {
    return SUBNET + "0/24";
  }

  /** Returns the address of this machine that nodes reach. */
  String host() {
    return SUBNET + 1;
  }

  /** Returns the address of a node, by its place. */
  String address(int node) {
    return SUBNET + (FIRST_NODE + node);
  }

  /** Returns the command that runs another in the namespace of a node. */
  List<String> command(int node) {
    return List.of("ip", "netns", "exec", namespaces.get(node));
  }

  /** Nothing gets to a node or from it. */
  void cut(int node) throws IOException, InterruptedException {
    ChaosCommand.run("ip", "link", "set", link(node), "down");
  }

  /** Ends {@link #cut}. */
  void join(int node) throws IOException, InterruptedException {
    ChaosCommand.run("ip", "link", "set", link(node), "up");
  }

  @Override
  public void close() {
    delete();
    Runtime.getRuntime().removeShutdownHook(atExit);
  }

  private void delete() {
    try {
      for (String each : namespaces) {
        ChaosCommand.attempt("ip", "netns", "delete", each);
      }
      ChaosCommand.attempt("ip", "link", "delete", bridge);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
