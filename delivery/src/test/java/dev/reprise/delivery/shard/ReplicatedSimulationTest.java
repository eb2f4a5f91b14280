package dev.reprise.delivery.shard;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Replicated shards that live through random lives: see {@link ReplicatedSimulation}. */
class ReplicatedSimulationTest {
  private static final int SEEDS = 300;
  private static final int TRACE_LINES = 60;

  @Test
  void nothingIsLostOrRepeatedInRandomLives() {
    Long seed = Long.getLong("reprise.seed");
    if (seed != null) {
      new ReplicatedSimulation(seed, ClusterFlaw.NONE, line -> System.out.println(line.get()))
          .run();
      return;
    }
    long first = Long.getLong("reprise.simulation.first", 1);
    int count = Integer.getInteger("reprise.simulation.seeds", SEEDS);
    long began = System.nanoTime();
    long turns = 0;
    long takeovers = 0;
    long repeated = 0;
    for (long each = first; each < first + count; each++) {
      ReplicatedSimulation life = one(each);
      turns += life.turns();
      takeovers += life.takeovers();
      repeated += life.repeated();
    }
    System.out.printf(
        "%d seeds from %d, %d turns, %d take-overs, %d attempts repeated, %.1f s%n",
        count, first, turns, takeovers, repeated, (System.nanoTime() - began) / 1e9);
  }

  private static ReplicatedSimulation one(long seed) {
    try {
      return new ReplicatedSimulation(seed, ClusterFlaw.NONE, line -> {}).run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + " fails; replay it with -Dreprise.seed=" + seed + "\n" + tail(seed), e);
    }
  }

  /** The last lines of a seed's trace before its failure. */
  private static String tail(long seed) {
    Deque<String> lines = new ArrayDeque<>();
    try {
      new ReplicatedSimulation(
              seed,
              ClusterFlaw.NONE,
              line -> {
                lines.add(line.get());
                if (lines.size() > TRACE_LINES) {
                  lines.removeFirst();
                }
              })
          .run();
    } catch (AssertionError | RuntimeException e) {
      lines.add(e.toString());
    }
    return String.join("\n", lines);
  }
}
