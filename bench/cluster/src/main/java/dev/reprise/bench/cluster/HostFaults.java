package dev.reprise.bench.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Faults of what a node stands on: its network, its disk, its clock. */
final class HostFaults {
  /** More than a cluster allows. */
  private static final int OFF_SECONDS = 20;

  private static final int LOOK_MILLIS = 100;

  private final @Nullable Network network;
  private final @Nullable SmallDisk disk;
  private final @Nullable SkewedClock clock;

  HostFaults(@Nullable Network network, @Nullable SmallDisk disk, @Nullable SkewedClock clock) {
    this.network = network;
    this.disk = disk;
    this.clock = clock;
  }

  /** Returns those that this machine can have, after others. */
  List<Fault> with(List<Fault> others) {
    List<Fault> all = new ArrayList<>(others);
    Network cutting = network;
    if (cutting != null) {
      all.add((scene, random) -> cut(cutting, scene, random));
    }
    SmallDisk filling = disk;
    if (filling != null) {
      all.add((scene, random) -> fill(filling, scene));
    }
    SkewedClock moving = clock;
    if (moving != null) {
      all.add((scene, random) -> skew(moving, scene, random));
    }
    return all;
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

  /** The clock of a node jumps by more than a cluster allows: it owns nothing until it is right. */
  private static void skew(SkewedClock clock, Scene scene, RandomGenerator random)
      throws IOException, InterruptedException {
    NodeProcess node = scene.nodes().get(Ground.WITH_CLOCK);
    int seconds = random.nextBoolean() ? OFF_SECONDS : -OFF_SECONDS;
    scene.struck("clock off by " + seconds + " s", node.name());
    try {
      clock.set(seconds);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (!scene.shardsOf(node).isEmpty() || scene.nodes().owners().isEmpty()) {
        if (System.nanoTime() - end > 0) {
          throw new IllegalStateException(
              node + " owns " + scene.shardsOf(node) + " with a clock that is off");
        }
        Scene.sleep(LOOK_MILLIS);
      }
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
