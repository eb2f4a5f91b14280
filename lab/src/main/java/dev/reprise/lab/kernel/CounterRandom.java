package dev.reprise.lab.kernel;

import java.util.random.RandomGenerator;

/**
 * Randomness that is not drawn in turn but looked up: by the seed of the run, the client, and the
 * attempt. So no client needs a state of its own, results do not depend on the order of events, and
 * two policies get the same random numbers, which makes their difference exact.
 *
 * <p>Not thread-safe: one for each simulation.
 */
public final class CounterRandom implements RandomGenerator {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long seed;
  private long client;
  private long state;

  /** Creates the randomness of a run. */
  public CounterRandom(long seed) {
    this.seed = mix(seed + GOLDEN);
    this.state = this.seed;
  }

  /**
   * Goes to the numbers of one client and one attempt, and returns itself.
   *
   * @param client which one
   * @param attempt of which attempt, or any other number that tells draws of the same client apart
   */
  public CounterRandom at(long client, long attempt) {
    this.client = client;
    state = mix(seed ^ numberOf(client, attempt));
    return this;
  }

  /**
   * Returns a number for what an attempt of a client does in its turn, which makes attempts of its
   * own. Numbers of different attempts lie anywhere, and so never side by side: what has them can
   * be a client.
   */
  public static long numberOf(long client, long attempt) {
    return mix(client * GOLDEN + attempt);
  }

  /** Returns whose numbers these are; for what has to look at other attempts of the same client. */
  public long client() {
    return client;
  }

  @Override
  public long nextLong() {
    state += GOLDEN;
    return mix(state);
  }

  /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014; Stafford's variant 13). */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
