package dev.reprise.core.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The wait before each retry.
 *
 * <p>A backoff is a pure function: it reads no clock and no source of randomness but the one it is
 * given, and keeps no state between calls. Implementations are immutable and thread-safe, and
 * answer in constant time for any retry up to {@link Integer#MAX_VALUE}.
 *
 * <p>Start from a factory, and add what is missing:
 *
 * <pre>{@code
 * // 100 ms, 200 ms, 400 ms and so on up to 20 s, each drawn evenly from above 0 to that.
 * Backoff calls =
 *     Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(20)).withFullJitter();
 *
 * // At once, then 1 s give or take a fifth, again and again.
 * Backoff reconnects = Backoff.fixed(Duration.ofSeconds(1)).withJitter(0.2).withFirstFast();
 *
 * // Three quick retries, then one every minute.
 * Backoff patient =
 *     Backoff.fixed(Duration.ofMillis(50)).then(3, Backoff.fixed(Duration.ofMinutes(1)));
 * }</pre>
 *
 * <p>Without jitter, clients that fail together return together. Jitter is always drawn inside the
 * cap, so that it does not fade when the delay has grown to it; only the two documented formulas
 * {@link #exponentialWithJitter()} and {@link #truncatedExponential} lose theirs, because they are
 * documented so, and take {@link AtCap#JITTER} to keep it.
 *
 * <p>Every backoff made here is a public type whose settings can be read back.
 */
public interface Backoff {
  /**
   * Returns the delay before the given retry, counted from the end of the attempt that failed.
   *
   * @param retry the retry to come, counted from 1
   * @param random where jitter is drawn from; a backoff without jitter draws nothing
   * @return nanoseconds, never negative and always within {@link #range(int)}
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  long delayNanos(int retry, RandomGenerator random);

  /**
   * Returns the shortest and the longest delay that {@link #delayNanos} can return for the retry.
   *
   * @param retry the retry to come, counted from 1
   * @throws IllegalArgumentException when {@code retry} is less than 1
   */
  DelayRange range(int retry);

  /**
   * Returns the cap, which no delay of any retry exceeds, in nanoseconds; {@link Long#MAX_VALUE}
   * when there is none. Jitter that lengthens a delay stops at it.
   */
  default long capNanos() {
    return Long.MAX_VALUE;
  }

  /** Returns the backoff that never waits. */
  static Backoff none() {
    return FixedBackoff.NONE;
  }

  /**
   * Returns the backoff that waits equally long before every retry.
   *
   * @throws IllegalArgumentException when {@code delay} is negative or longer than {@link
   *     Long#MAX_VALUE} nanoseconds (292 years)
   */
  static Backoff fixed(Duration delay) {
    return new FixedBackoff(delay);
  }

  /**
   * Returns the backoff that doubles the delay: {@code min(base * 2^(retry - 1), cap)}. Most
   * callers want {@link #withFullJitter()} after it.
   *
   * @param base the delay before the first retry, at least 0
   * @param cap the longest delay, at least {@code base}
   * @throws IllegalArgumentException when a delay is negative, longer than {@link Long#MAX_VALUE}
   *     nanoseconds (292 years), or {@code base} exceeds {@code cap}
   */
  static Backoff exponential(Duration base, Duration cap) {
    return new ExponentialBackoff(base, 2, cap);
  }

  /**
   * Returns the backoff that multiplies the delay: {@code min(base * factor^(retry - 1), cap)},
   * rounded down to the nanosecond.
   *
   * @param base the delay before the first retry, at least 0
   * @param factor at least 1; when above 1, large enough to grow from {@code base} to {@code cap}
   *     within 4,096 retries
   * @param cap the longest delay, at least {@code base}
   * @throws IllegalArgumentException when an argument is out of its range, or a delay longer than
   *     {@link Long#MAX_VALUE} nanoseconds (292 years)
   */
  static Backoff exponential(Duration base, double factor, Duration cap) {
    return new ExponentialBackoff(base, factor, cap);
  }

  /**
   * Returns the backoff that adds the same step to the delay before each further retry: {@code
   * min(base + step * (retry - 1), cap)}.
   *
   * @param base the delay before the first retry, at least 0
   * @param step what each further retry adds, at least 0
   * @param cap the longest delay, at least {@code base}
   * @throws IllegalArgumentException when a duration is negative, longer than {@link
   *     Long#MAX_VALUE} nanoseconds (292 years), or {@code base} exceeds {@code cap}
   */
  static Backoff linear(Duration base, Duration step, Duration cap) {
    return new LinearBackoff(base, step, cap);
  }

  /**
   * Returns the backoff that draws each delay evenly from {@code base} to {@code min(cap, base *
   * 3^retry)}: the range of the algorithm known as decorrelated jitter, without its memory. See
   * {@link DecorrelatedJitterBackoff} for what differs.
   *
   * @param base the shortest delay, at least 0
   * @param cap the longest delay, at least {@code base}
   * @throws IllegalArgumentException when a delay is negative, longer than {@link Long#MAX_VALUE}
   *     nanoseconds (292 years), or {@code base} exceeds {@code cap}
   */
  static Backoff decorrelatedJitter(Duration base, Duration cap) {
    return new DecorrelatedJitterBackoff(base, cap);
  }

  /**
   * Returns the documented backoff of a device SDK with its defaults (Azure IoT device SDKs): 100
   * ms before the first retry, 10 s and no jitter from the ninth on. For other settings see {@link
   * ExponentialBackoffWithJitter#builder()}.
   */
  static Backoff exponentialWithJitter() {
    return ExponentialBackoffWithJitter.builder().build();
  }

  /**
   * Returns the truncated exponential backoff that Google Cloud IoT Core documented: {@code
   * min(2^(retry - 1) seconds + random 0 to 1000 ms, maximumBackoff)}, without jitter at the
   * maximum.
   *
   * @param maximumBackoff the longest delay, typically 32 or 64 seconds; at least 0
   * @throws IllegalArgumentException when it is negative or longer than {@link Long#MAX_VALUE}
   *     nanoseconds (292 years)
   */
  static Backoff truncatedExponential(Duration maximumBackoff) {
    return truncatedExponential(maximumBackoff, AtCap.CONSTANT);
  }

  /**
   * Returns the truncated exponential backoff, with a choice of its jitter at the maximum.
   *
   * @param maximumBackoff the longest delay, typically 32 or 64 seconds; at least 0
   * @param atCap as documented, or with the jitter kept
   * @throws IllegalArgumentException when {@code maximumBackoff} is negative or longer than {@link
   *     Long#MAX_VALUE} nanoseconds (292 years)
   */
  static Backoff truncatedExponential(Duration maximumBackoff, AtCap atCap) {
    return new TruncatedExponentialBackoff(maximumBackoff, atCap);
  }

  /**
   * Returns this backoff with its delays cut off at a cap. Where this backoff has jitter, the
   * jitter is drawn inside the new cap, so that clients stay spread out at it.
   *
   * @param cap the longest delay, at least 0
   * @throws IllegalArgumentException when {@code cap} is negative or longer than {@link
   *     Long#MAX_VALUE} nanoseconds (292 years)
   */
  default Backoff withCap(Duration cap) {
    return new CappedBackoff(this, cap);
  }

  /**
   * Returns this backoff with full jitter: each delay is drawn evenly from above 0 to the delay of
   * this backoff. It spreads clients best, at the price of some very short delays.
   */
  default Backoff withFullJitter() {
    return new FullJitterBackoff(this);
  }

  /**
   * Returns this backoff with equal jitter: half of each delay is kept, and up to the other half
   * drawn evenly and added. No delay is very short.
   */
  default Backoff withEqualJitter() {
    return new EqualJitterBackoff(this);
  }

  /**
   * Returns this backoff with each delay shortened or lengthened by up to a share of itself, drawn
   * evenly. No delay becomes negative or exceeds {@link #capNanos()}: at the cap, jitter only
   * shortens.
   *
   * @param share from 0, no jitter, to 1, from nothing to twice the delay
   * @throws IllegalArgumentException when {@code share} is not between 0 and 1
   */
  default Backoff withJitter(double share) {
    return new ProportionalJitterBackoff(this, share);
  }

  /**
   * Returns the backoff whose first retry follows at once, and whose second retry waits as long as
   * the first one of this backoff. It helps where most failures are gone when tried again, and
   * harms where many clients fail together.
   */
  default Backoff withFirstFast() {
    return none().then(1, this);
  }

  /**
   * Returns the backoff that uses this one for the first retries and another one after them, which
   * counts its own retries from 1.
   *
   * @param firstRetries how many retries this backoff is used for, at least 1
   * @param next the backoff of all later retries
   * @throws IllegalArgumentException when {@code firstRetries} is less than 1
   */
  default Backoff then(int firstRetries, Backoff next) {
    return new BackoffSequence(this, firstRetries, next);
  }
}
