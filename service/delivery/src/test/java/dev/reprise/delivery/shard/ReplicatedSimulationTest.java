package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Replicated shards that live through random lives: see {@link ReplicatedSimulation}. To replay a
 * seed with a trace of every turn:
 *
 * <pre>mvn test -pl service/delivery -am -Dtest=ReplicatedSimulationTest -Dreprise.seed=S</pre>
 *
 * A long run: {@code -Dreprise.simulation.seeds=100000 -Dreprise.simulation.first=1}.
 */
class ReplicatedSimulationTest {
  private static final int SEEDS = 25;
  private static final int SLOW_SEEDS = 300;

  /** A broken rule shows itself in far fewer lives. */
  private static final int MAX_LIVES = 400;

  private static final int TRACE_LINES = 60;

  /**
   * As many lives as {@code -Dreprise.simulation.seeds} says, from {@code
   * -Dreprise.simulation.first} on; or the one of {@code -Dreprise.seed}, with its whole trace.
   */
  @Test
  void nothingIsLostOrRepeatedInRandomLives() {
    Long seed = Long.getLong("reprise.seed");
    if (seed != null) {
      live(seed, ClusterFlaw.NONE, line -> System.out.println(line.get()));
    } else {
      run(
          Long.getLong("reprise.simulation.first", 1),
          Integer.getInteger("reprise.simulation.seeds", SEEDS));
    }
  }

  @Test
  @Tag("slow")
  void nothingIsLostOrRepeatedInManyRandomLives() {
    run(SEEDS + 1, SLOW_SEEDS);
  }

  /** The simulation is worth what it notices. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @Tag("slow")
  void aRuleThatIsBrokenIsNoticed(ClusterFlaw flaw) {
    long seed = 1;
    while (seed <= MAX_LIVES && !fails(seed, flaw)) {
      seed++;
    }
    assertThat(seed).as("%s in %s lives", flaw, MAX_LIVES).isLessThanOrEqualTo(MAX_LIVES);
  }

  private static boolean fails(long seed, ClusterFlaw flaw) {
    try {
      live(seed, flaw, line -> {});
      return false;
    } catch (AssertionError | RuntimeException e) {
      return true;
    }
  }

  private static void run(long first, int count) {
    long began = System.nanoTime();
    long turns = 0;
    long takeovers = 0;
    long repeated = 0;
    for (long seed = first; seed < first + count; seed++) {
      ReplicatedSimulation life = one(seed);
      turns += life.turns();
      takeovers += life.takeovers();
      repeated += life.repeated();
    }
    System.out.printf(
        "%d seeds from %d, %d turns, %d take-overs, %d attempts repeated, %.1f s%n",
        count, first, turns, takeovers, repeated, (System.nanoTime() - began) / 1e9);
    assertThat(takeovers).as("take-overs").isGreaterThan(count);
    assertThat(repeated).as("attempts that were under way at a crash").isPositive();
  }

  private static ReplicatedSimulation one(long seed) {
    try {
      return live(seed, ClusterFlaw.NONE, line -> {});
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + " fails; replay it with -Dreprise.seed=" + seed + "\n" + tail(seed), e);
    }
  }

  /** The last lines of a seed's trace before its failure. */
  private static String tail(long seed) {
    Deque<String> lines = new ArrayDeque<>();
    try {
      live(
          seed,
          ClusterFlaw.NONE,
          line -> {
            lines.add(line.get());
            if (lines.size() > TRACE_LINES) {
              lines.removeFirst();
            }
          });
    } catch (AssertionError | RuntimeException e) {
      lines.add(e.toString());
    }
    return String.join("\n", lines);
  }

  private static ReplicatedSimulation live(
      long seed, ClusterFlaw flaw, Consumer<Supplier<String>> trace) {
    return new ReplicatedSimulation(seed, flaw, trace).run();
  }
}
