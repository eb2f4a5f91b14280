package dev.reprise.testkit;

import dev.reprise.core.InvalidSettingException;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A source of randomness that can be had again. {@link #create()} draws a fresh seed for every run;
 * {@code -Dreprise.seed=N} on the command line of the test replays the run of seed N.
 *
 * <p>Not thread-safe: give each thread a {@link #fork()} of its own.
 */
public final class SeededRandom implements RandomGenerator {
  /** The system property that replays a seed. */
  public static final String SEED_PROPERTY = "reprise.seed";

  private final long seed;
  private final SplittableRandom random;

  private SeededRandom(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  /** Returns the source of exactly this seed. */
  public static SeededRandom of(long seed) {
    return new SeededRandom(seed);
  }

  /**
   * Returns the source of the seed that the system property names, or of a fresh one.
   *
   * @throws IllegalArgumentException when the property is not a whole number that fits a long
   */
  public static SeededRandom create() {
    String replayed = System.getProperty(SEED_PROPERTY);
    if (replayed == null) {
      return new SeededRandom(new SplittableRandom().nextLong());
    }
    try {
      return new SeededRandom(Long.parseLong(replayed));
    } catch (NumberFormatException e) {
      throw new InvalidSettingException(SEED_PROPERTY, replayed, "must be a whole number");
    }
  }

  /**
   * Runs a test with a source from {@link #create()}. When the test fails, the failure names the
   * seed.
   *
   * @throws AssertionError when the test throws anything; that is its cause
   */
  public static void check(Consumer<SeededRandom> test) {
    SeededRandom random = create();
    try {
      test.accept(random);
    } catch (RuntimeException | Error e) {
      throw new AssertionError(random + ": " + e.getMessage(), e);
    }
  }

  /** Returns the seed. */
  public long seed() {
    return seed;
  }

  /**
   * Returns a source that depends on the seed and on how many draws and forks came before, and from
   * then on is independent: draws of one do not shift those of the other.
   */
  public SeededRandom fork() {
    return new SeededRandom(random.nextLong());
  }

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  /** Returns the seed and how to replay it. */
  @Override
  public String toString() {
    return "seed " + seed + " (replay with -D" + SEED_PROPERTY + "=" + seed + ")";
  }
}
