package dev.reprise.chaos;

import dev.reprise.fixtures.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Faults of what nodes and brokers stand on: network, disks, clocks. */
final class HostFaults {
  /** More than a cluster allows. */
  private static final int OFF_SECONDS = 20;

  private static final int LOOK_MILLIS = 100;

  /** A node hears of each broker a few times meanwhile. */
  private static final int BROKER_OFF_MILLIS = 15_000;

  /** Kafka ends a broker whose only disk fails, once something is written to it. */
  private static final int BROKER_END_SECONDS = 60;

  private static final int BROKER_AWAY_MILLIS = 5_000;

  private final @Nullable Network network;
  private final @Nullable SmallDisk disk;
  private final @Nullable SkewedClock clock;
  private final @Nullable SmallDisk brokerDisk;

  HostFaults(
      @Nullable Network network,
      @Nullable SmallDisk disk,
      @Nullable SkewedClock clock,
      @Nullable SmallDisk brokerDisk) {
    this.network = network;
    this.disk = disk;
    this.clock = clock;
    this.brokerDisk = brokerDisk;
  }

  /**
   * Returns all of them, always in the same order: a seed is the same schedule on each machine. One
   * that this machine cannot have says so in its turn.
   */
  List<Fault> all() {
    return List.of(
        of(network, "network cut", HostFaults::cut),
        of(disk, "disk full", (filling, scene, random) -> fill(filling, scene)),
        of(clock, "clock off", HostFaults::skew),
        HostFaults::skewBroker,
        of(
            brokerDisk,
            "disk of a broker full",
            (filling, scene, random) -> fillBroker(filling, scene)));
  }

  /** A fault that is made by something of this machine. */
  private interface Made<T> {
    void strike(T by, Scene scene, RandomGenerator random) throws IOException, InterruptedException;
  }

  private static <T> Fault of(@Nullable T by, String name, Made<T> fault) {
    return by == null
        ? (scene, random) -> scene.skipped(name)
        : (scene, random) -> fault.strike(by, scene, random);
  }

  /**
   * One broker comes back with a clock that is off by more than a cluster allows: no shard moves.
   */
  private static void skewBroker(Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    int broker = 1 + random.nextInt(scene.brokerCount());
    Duration off = Duration.ofSeconds(random.nextBoolean() ? OFF_SECONDS : -OFF_SECONDS);
    scene.struck("clock of broker " + broker + " off by " + off.toSeconds() + " s", "");
    scene.brokers().setClock(broker, off);
    try {
      scene.brokers().restart(broker);
      scene.nodes().awaitShards();
      Map<Integer, NodeProcess> before = scene.nodes().owners();
      Scene.sleep(BROKER_OFF_MILLIS);
      Map<Integer, NodeProcess> after = scene.nodes().owners();
      if (!after.equals(before)) {
        throw new IllegalStateException("shards moved from " + before + " to " + after);
      }
      scene.say("all shards have stayed");
    } finally {
      scene.brokers().setClock(broker, Duration.ZERO);
    }
    scene.brokers().restart(broker);
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** A node reaches nobody for longer than its session, and nobody tells anybody. */
  private static void cut(Network network, Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    int place = random.nextInt(scene.nodes().all().size());
    NodeProcess node = scene.nodes().get(place);
    scene.struck("network cut", node.name());
    network.cut(place);
    node.cutOff(true);
    try {
      Scene.sleep(scene.nodes().spec().session().toMillis() + random.nextInt(6_000));
      scene.nodes().awaitShards();
      scene.say("its shards are at work elsewhere");
    } finally {
      network.join(place);
      node.cutOff(false);
    }
    node.awaitReady();
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** The disk of a node is full for a while. */
  private static void fill(SmallDisk disk, Scene scene) throws IOException, InterruptedException {
    NodeProcess node = scene.nodes().get(Ground.WITH_SMALL_DISK);
    scene.struck("disk full", node.name());
    try {
      disk.fill();
      Scene.sleep(6_000);
    } finally {
      disk.free();
    }
    scene.say("disk has room");
    node.awaitReady();
    scene.nodes().awaitShards();
    scene.mended();
  }

  /**
   * The disk of a broker is full for a while. Kafka ends such a broker; the others go on, and it
   * comes back on what it has when there is room.
   */
  private static void fillBroker(SmallDisk disk, Scene scene)
      throws IOException, InterruptedException {
    int broker = Ground.BROKER_WITH_SMALL_DISK;
    scene.struck("disk full of broker " + broker, "");
    try {
      disk.fill();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BROKER_END_SECONDS);
      while (scene.brokers().isRunning(broker) && System.nanoTime() - end < 0) {
        Scene.sleep(LOOK_MILLIS);
      }
      scene.say(
          "broker " + broker + (scene.brokers().isRunning(broker) ? " goes on" : " has ended"));
      scene.nodes().awaitShards();
      long before = BrokerFaults.delivered(scene);
      Scene.sleep(BROKER_AWAY_MILLIS);
      BrokerFaults.awaitMore(scene, before, "while the disk of a broker was full");
    } finally {
      disk.free();
    }
    scene.say("disk has room");
    scene.brokers().restart(broker);
    scene.nodes().awaitShards();
    scene.mended();
  }

  /** The clock of a node jumps by more than a cluster allows: it owns nothing until it is right. */
  private static void skew(SkewedClock clock, Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess node = scene.nodes().get(Ground.WITH_CLOCK);
    int seconds = random.nextBoolean() ? OFF_SECONDS : -OFF_SECONDS;
    scene.struck("clock off by " + seconds + " s", node.name());
    try {
      clock.set(seconds);
      Await.until(
          node + " owns nothing with a clock that is off",
          () -> scene.nodes().owners(),
          () -> scene.shardsOf(node).isEmpty() && !scene.nodes().owners().isEmpty());
      scene.nodes().awaitShards();
      scene.say("its shards are at work elsewhere");
      Scene.sleep(2_000);
    } finally {
      clock.set(0);
    }
    node.awaitReady();
    scene.nodes().awaitShards();
    scene.mended();
  }
}
