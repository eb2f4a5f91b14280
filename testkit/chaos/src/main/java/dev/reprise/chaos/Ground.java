package dev.reprise.chaos;

import dev.reprise.cluster.broker.Brokers;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This machine, for clusters whose nodes are to be cut off, run out of disk, and be off in time: as
 * far as it allows that. Brokers and endpoints are shared by all of these clusters.
 */
final class Ground implements AutoCloseable {
  static final int BROKERS = 3;
  static final int NODES = 3;

  /** The node that has a small disk, and the one whose clock can be moved. */
  static final int WITH_SMALL_DISK = 1;

  static final int WITH_CLOCK = 2;

  /** The broker that has a small disk. */
  static final int BROKER_WITH_SMALL_DISK = BROKERS;

  /** More than a store needs and keeps in reserve, and little enough for memory. */
  private static final long DISK_BYTES = 420L << 20;

  /** More than all schedules write. */
  private static final long BROKER_DISK_BYTES = 4L << 30;

  private final Path folder;
  private final @Nullable Network network;
  private final Brokers brokers;
  private final ChaosReceiver receiver;
  private final @Nullable SmallDisk brokerDisk;
  private final boolean clocks = !SkewedClock.library().isEmpty();

  private Ground(
      Path folder,
      @Nullable Network network,
      Brokers brokers,
      ChaosReceiver receiver,
      @Nullable SmallDisk brokerDisk) {
    this.folder = folder;
    this.network = network;
    this.brokers = brokers;
    this.receiver = receiver;
    this.brokerDisk = brokerDisk;
  }

  /** Starts brokers and endpoints, and says what this machine does not allow. */
  static Ground make(Path folder, PrintStream out) throws IOException, InterruptedException {
    Network network = network(out);
    SmallDisk brokerDisk = null;
    Brokers brokers = null;
    try {
      String host = network == null ? "127.0.0.1" : network.host();
      Path files = folder.resolve("brokers");
      brokerDisk = brokerDisk(Brokers.files(files, BROKER_WITH_SMALL_DISK), out);
      brokers = Brokers.start(files, BROKERS, host);
      Ground ground = new Ground(folder, network, brokers, ChaosReceiver.start(host), brokerDisk);
      if (!ground.clocks) {
        out.println("SKIPPED: clocks that are off, for want of libfaketime (apt-get install it)");
      }
      return ground;
    } catch (IOException | InterruptedException | RuntimeException e) {
      if (brokers != null) {
        brokers.close();
      }
      if (brokerDisk != null) {
        brokerDisk.close();
      }
      if (network != null) {
        network.close();
      }
      throw e;
    }
  }

  private static @Nullable Network network(PrintStream out) throws InterruptedException {
    try {
      return Network.make(NODES);
    } catch (IOException e) {
      out.println("SKIPPED: cuts of the network, which need root: " + e.getMessage());
      return null;
    }
  }

  private static @Nullable SmallDisk brokerDisk(Path files, PrintStream out)
      throws InterruptedException {
    try {
      return SmallDisk.mount(files, BROKER_DISK_BYTES);
    } catch (IOException e) {
      out.println("SKIPPED: full disks, which need the right to mount: " + e.getMessage());
      return null;
    }
  }

  Brokers brokers() {
    return brokers;
  }

  ChaosReceiver receiver() {
    return receiver;
  }

  @Nullable Network network() {
    return network;
  }

  /** A new cluster on this ground. */
  final class Site implements AutoCloseable {
    private final Nodes nodes;
    private final @Nullable SmallDisk disk;
    private final @Nullable SkewedClock clock;

    Site(String name) throws IOException, InterruptedException {
      ClusterSpec spec = ClusterSpec.of(brokers.bootstrap(), name, BROKERS);
      if (network != null) {
        spec = spec.withOptions("--allow", Network.subnet());
      }
      Path site = folder.resolve(name);
      nodes = new Nodes(spec, site, NODES);
      disk =
          brokerDisk == null
              ? null
              : SmallDisk.mount(nodes.get(WITH_SMALL_DISK).disk(), DISK_BYTES);
      clock = clocks ? new SkewedClock(Files.createDirectories(site).resolve("clock")) : null;
      if (clock != null) {
        nodes.get(WITH_CLOCK).environment(clock.environment());
      }
      if (network != null) {
        for (int i = 0; i < NODES; i++) {
          nodes.get(i).runBy(network.command(i), network.address(i));
        }
      }
      receiver.watch(nodes);
    }

    /** Starts a service without a cluster in the place of the first node, and nothing else. */
    void startAlone() throws IOException, InterruptedException {
      nodes.startAlone(network != null);
    }

    /** Starts all nodes. */
    void start() throws IOException, InterruptedException {
      if (network == null) {
        nodes.startAll();
      } else {
        // What is not on loopback wants keys.
        nodes.startWithKeys();
      }
    }

    Nodes nodes() {
      return nodes;
    }

    /** Returns the disk of node {@link #WITH_SMALL_DISK}; null if there is none. */
    @Nullable SmallDisk disk() {
      return disk;
    }

    /** Returns the clock of node {@link #WITH_CLOCK}; null if there is none. */
    @Nullable SkewedClock clock() {
      return clock;
    }

    @Override
    public void close() {
      nodes.close();
      if (disk != null) {
        disk.close();
      }
    }
  }

  @Override
  public void close() {
    receiver.close();
    brokers.close();
    if (brokerDisk != null) {
      brokerDisk.close();
    }
    if (network != null) {
      network.close();
    }
  }

  /**
   * The faults of a cluster, always in the same order; those that the machine does not allow say
   * so.
   */
  List<Fault> faults(Site site) {
    List<Fault> all = new ArrayList<>(NodeFaults.all());
    all.addAll(BrokerFaults.all());
    all.addAll(OperatorFaults.all());
    all.addAll(new HostFaults(network, site.disk(), site.clock(), brokerDisk).all());
    return all;
  }
}
