package dev.reprise.chaos;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;

/** Faults of nodes and brokers that need nothing but processes. */
final class NodeFaults {
  /** Beyond the session after which a node has lost its shards: the lease of the last owner. */
  private static final long LEASE_MILLIS = 1_000;

  private NodeFaults() {}

  /** Returns all of them, always in the same order. */
  static List<Fault> all() {
    return List.of(
        NodeFaults::killOwner,
        NodeFaults::stopOwner,
        NodeFaults::killBroker,
        NodeFaults::killAll,
        NodeFaults::rollingRestart,
        NodeFaults::killAny,
        NodeFaults::stopBriefly,
        NodeFaults::slowBroker);
  }

  /** The node that owns the catalog ends by kill -9, and comes back when others have its shards. */
  static void killOwner(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess owner = scene.nodes().ownerOf(0);
    scene.struck("kill -9 of the owner of shards " + scene.shardsOf(owner), owner.name());
    owner.kill();
    scene.nodes().awaitShards();
    scene.say("its shards are at work elsewhere");
    owner.start();
    scene.mended();
  }

  /** Any node ends by kill -9, and is started again at once or somewhat later. */
  static void killAny(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess node = any(scene, random);
    scene.struck("kill -9", node.name());
    node.kill();
    Scene.sleep(random.nextInt(8) * 1_000L);
    node.start();
    scene.nodes().awaitShards();
    scene.mended();
  }

  /**
   * An owner stands still for longer than its session and its lease, and goes on: by then others
   * own what it takes for its own.
   */
  static void stopOwner(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess owner = scene.nodes().ownerOf(random.nextInt(scene.nodes().spec().shards()));
    scene.struck("SIGSTOP of the owner of shards " + scene.shardsOf(owner), owner.name());
    owner.pause();
    Scene.sleep(scene.nodes().spec().session().toMillis() + LEASE_MILLIS);
    scene.nodes().awaitShards();
    scene.say("its shards are at work elsewhere");
    // Others deliver for a while what it would deliver.
    Scene.sleep(LEASE_MILLIS);
    scene.say("SIGCONT " + owner);
    owner.resume();
    owner.awaitReady();
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** An owner stands still for up to as long as its session, and goes on: it may be either way. */
  static void stopBriefly(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess node = any(scene, random);
    long millis = 300 + random.nextLong(scene.nodes().spec().session().toMillis() + LEASE_MILLIS);
    scene.struck("SIGSTOP for " + millis + " ms", node.name());
    node.pause();
    Scene.sleep(millis);
    node.resume();
    node.awaitReady();
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** One broker ends by kill -9, and comes back. */
  static void killBroker(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    int broker = 1 + random.nextInt(scene.brokerCount());
    scene.struck("kill -9 of broker " + broker, "");
    scene.brokers().kill(broker);
    Scene.sleep(3_000 + random.nextInt(5_000));
    scene.say("restart");
    scene.brokers().restart(broker);
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** One broker stands still for moments, again and again. */
  static void slowBroker(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    int broker = 1 + random.nextInt(scene.brokerCount());
    scene.struck("broker " + broker + " stands still for moments", "");
    for (int i = 0; i < 8; i++) {
      scene.brokers().pause(broker);
      Scene.sleep(200 + random.nextInt(600));
      scene.brokers().resume(broker);
      Scene.sleep(100 + random.nextInt(500));
    }
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** All nodes end by kill -9, and one of them loses its disk. */
  static void killAll(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    List<NodeProcess> all = scene.nodes().all();
    scene.struck("kill -9 of all nodes", "");
    all.forEach(NodeProcess::kill);
    NodeProcess emptied = any(scene, random);
    emptied.empty();
    scene.say(emptied + " has an empty folder");
    scene.nodes().startAll();
    scene.mended();
  }

  /** All nodes are restarted, one after the other, each when the one before is ready. */
  static void rollingRestart(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    scene.struck("rolling restart", "");
    for (NodeProcess each : scene.nodes().all()) {
      int exit = each.terminate();
      if (exit != 143 && exit != 0) {
        throw new IllegalStateException(each + " ended with " + exit + "; " + each.said());
      }
      each.start();
      scene.nodes().awaitShards();
      scene.say(each + " is back");
    }
    scene.mended();
  }

  private static NodeProcess any(Scene scene, RandomGenerator random) {
    List<NodeProcess> all = scene.nodes().all();
    return all.get(random.nextInt(all.size()));
  }
}
