package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decorrelated jitter without memory: each delay is drawn evenly from {@code base} to {@code
 * min(cap, base * 3^retry)}.
 *
 * <p>The algorithm known by this name is a chain: {@code delay = min(cap, random(base, 3 * previous
 * delay))}, starting at {@code base}. It has to remember its last delay, and it clumps: whatever is
 * drawn above the cap becomes the cap itself. A {@link Backoff} remembers nothing, so this is not
 * that chain. Both have the same range: for each retry, the shortest and the longest delay are
 * those of the chain. The difference: delays here are independent of one another, no delay is more
 * likely than another of the same retry, at the cap neither, and the average grows faster,
 * threefold a retry instead of one and a half times, until the cap is reached.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#decorrelatedJitter}.
 *
 * @param base the shortest delay, at least 0
 * @param cap the longest delay, at least {@code base}
 */
public record DecorrelatedJitterBackoff(Duration base, Duration cap) implements Backoff {
  /** The powers of 3 that fit a long: 3^0 to 3^39. */
  private static final long[] POWERS_OF_3 = powersOf3();

  /** Checks both delays; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public DecorrelatedJitterBackoff {
    Nanos.of("base", base);
    Nanos.of("cap", cap);
    Nanos.requireAtMost("base", base, "cap", cap);
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return Draw.between(base.toNanos(), highestNanos(retry), random);
  }

  @Override
  public DelayRange range(int retry) {
    return new DelayRange(base.toNanos(), highestNanos(retry));
  }

  @Override
  public long capNanos() {
    return cap.toNanos();
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new DecorrelatedJitterBackoff(
        Nanos.shorterByCap(base, cap), Nanos.shorterByCap(this.cap, cap));
  }

  private long highestNanos(int retry) {
    Nanos.requireRetry(retry);
    long growth = retry < POWERS_OF_3.length ? POWERS_OF_3[retry] : Long.MAX_VALUE;
    return Math.min(Nanos.times(base.toNanos(), growth), cap.toNanos());
  }

  private static long[] powersOf3() {
    long[] powers = new long[40];
    powers[0] = 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = 3 * powers[i - 1];
    }
    return powers;
  }
}
