package dev.reprise.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.broker.Brokers;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of three brokers and three nodes, all of them processes, under load: two after each other
 * in each trial, whose start and end cost more than a fault. They take minutes, and are about Kafka
 * and the protocol between nodes: the tests of a node meet each JDK.
 */
@Tag("slow")
class FaultSchedulesTest {
  private static final int BROKERS = 3;
  private static final int NODES = 3;

  /** The whole dose is 50, over many schedules: {@code bench/run cluster-chaos}. */
  private static final int PER_SECOND = 6;

  /**
   * A connection that a node closes just as it is used costs a request, whose client sends it once
   * more. On a machine that stands still there are a few of them.
   */
  private static final double MIN_ANSWERED = 0.995;

  private static final AtomicInteger TOPICS = new AtomicInteger();

  @TempDir static Path folder;
  private static Brokers brokers;
  private static Nodes nodes;
  private static ChaosReceiver receiver;

  @BeforeAll
  static void start() throws Exception {
    brokers = Brokers.start(folder.resolve("brokers"), BROKERS);
    receiver = ChaosReceiver.start();
    nodes =
        new Nodes(
            // With --dev alone a node closes its connections at once. Here it drains, for longer
            // than the load keeps idle ones and may stand still.
            ClusterSpec.of(brokers.bootstrap(), "faults", BROKERS)
                .withOptions("--dev", "--drain", "6s"),
            folder.resolve("nodes"),
            NODES);
    receiver.watch(nodes);
  }

  @BeforeEach
  void everythingRuns() throws Exception {
    nodes.startAll();
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      nodes.terminateAll();
      CopyChecker copies = new CopyChecker(nodes);
      assertThat(copies.check().broken()).isEmpty();
      assertThat(copies.compared()).isGreaterThan(NODES);
    } finally {
      close();
    }
  }

  private static void close() {
    if (nodes != null) {
      nodes.close();
    }
    if (receiver != null) {
      receiver.close();
    }
    if (brokers != null) {
      brokers.close();
    }
  }

  private static Trial.Verdict run(Fault... faults) throws Exception {
    Scene scene = new Scene(brokers, BROKERS, nodes, folder, System.out);
    Trial.Verdict verdict =
        new Trial(scene, receiver, PER_SECOND)
            .run("orders" + TOPICS.incrementAndGet(), List.of(faults), new Random(1));
    System.out.println(verdict);
    assertThat(verdict.broken()).isEmpty();
    assertThat(verdict.lost()).isZero();
    return verdict;
  }

  /** The owner is that of the catalog. */
  @Test
  void nothingIsLostWithAnOwnerNorWithABroker() throws Exception {
    run(NodeFaults::killOwner, NodeFaults::killBroker);
  }

  /** The one that stood still does nothing after its lease. */
  @Test
  void nothingIsLostWithAnOwnerThatStoodStillNorWithAllNodes() throws Exception {
    run(NodeFaults::stopOwner, NodeFaults::killAll);
  }

  @Test
  void aRollingRestartAnswersPublishes() throws Exception {
    Trial.Verdict verdict = run(NodeFaults::rollingRestart);

    assertThat(verdict.answered()).isGreaterThanOrEqualTo(MIN_ANSWERED);
    assertThat(verdict.refused()).isLessThanOrEqualTo((int) (verdict.published() / 1000));
  }
}
