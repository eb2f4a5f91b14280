package dev.reprise.delivery.shard;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Shards that live through thousands of random lives: see {@link ShardSimulation}. To replay a seed
 * with a trace of every turn:
 *
 * <pre>mvn test -pl service/delivery -am -Dtest=ShardSimulationTest -Dreprise.seed=S</pre>
 *
 * <p>A long run: {@code bench/run soak-simulation}.
 */
class ShardSimulationTest {
  private static final int SEEDS = 2_000;
  private static final int SLOW_SEEDS = 3_000;
  private static final int CRASHED_LIVES = Integer.getInteger("reprise.simulation.crashed", 48);
  private static final int TRACE_TURNS = 60;

  /**
   * As many lives as {@code -Dreprise.simulation.seeds} says, from {@code
   * -Dreprise.simulation.first} on; or the one of {@code -Dreprise.seed}, with its whole trace.
   */
  @Test
  void nothingIsLostAndNothingIsEarlyInRandomLives() {
    Long seed = Long.getLong("reprise.seed");
    if (seed != null) {
      ShardSimulation.of(seed, line -> System.out.println(line.get())).run();
    } else {
      run(
          Long.getLong("reprise.simulation.first", 1),
          Integer.getInteger("reprise.simulation.seeds", SEEDS));
    }
  }

  @Test
  @Tag("slow")
  void nothingIsLostAndNothingIsEarlyInManyRandomLives() {
    run(SEEDS + 1, SLOW_SEEDS);
  }

  @Test
  void aCrashBeforeAndAfterEveryWriteOfSomeLives() {
    crashEverywhere(1, 12);
  }

  @Test
  @Tag("slow")
  void aCrashBeforeAndAfterEveryWriteOfManyLives() {
    crashEverywhere(13, CRASHED_LIVES);
  }

  private static void run(long first, int count) {
    long began = System.nanoTime();
    long turns = 0;
    for (long seed = first; seed < first + count; seed++) {
      turns += one(seed);
    }
    System.out.printf(
        "%d seeds from %d, %d turns, %.1f s%n",
        count, first, turns, (System.nanoTime() - began) / 1e9);
  }

  private static void crashEverywhere(long first, int count) {
    for (long seed = first; seed < first + count; seed++) {
      int writes = new ShardSimulation(seed, write -> null, line -> {}).run().writes();
      for (SimulatedStore.Crash crash : SimulatedStore.Crash.values()) {
        for (int at = 0; at < writes; at++) {
          int fatal = at;
          try {
            new ShardSimulation(seed, write -> write == fatal ? crash : null, line -> {}).run();
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                "seed " + seed + " fails with a crash " + crash + " write " + at, e);
          }
        }
      }
    }
  }

  private static int one(long seed) {
    try {
      return ShardSimulation.of(seed, line -> {}).run().turns();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + " fails; replay it with -Dreprise.seed=" + seed + "\n" + tail(seed), e);
    }
  }

  /** The last turns before a seed's failure. */
  private static String tail(long seed) {
    Deque<String> lines = new ArrayDeque<>();
    try {
      ShardSimulation.of(
              seed,
              line -> {
                lines.add(line.get());
                if (lines.size() > TRACE_TURNS) {
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
