package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * One backoff for the first retries, then another one, which counts its own retries from 1 again.
 *
 * <p>Immutable and thread-safe; see {@link Backoff#then} and {@link Backoff#withFirstFast}.
 *
 * @param first the backoff of retries 1 to {@code firstRetries}
 * @param firstRetries at least 1
 * @param next the backoff of all later retries
 */
public record BackoffSequence(Backoff first, int firstRetries, Backoff next) implements Backoff {
  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public BackoffSequence {
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(next, "next");
    if (firstRetries < 1) {
      throw new InvalidSettingException("firstRetries", firstRetries, "must be >= 1");
    }
  }

  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    return retry <= firstRetries
        ? first.delayNanos(retry, random)
        : next.delayNanos(retry - firstRetries, random);
  }

  @Override
  public DelayRange range(int retry) {
    return retry <= firstRetries ? first.range(retry) : next.range(retry - firstRetries);
  }

  @Override
  public long capNanos() {
    return Math.max(first.capNanos(), next.capNanos());
  }

  @Override
  public Backoff withCap(Duration cap) {
    return new BackoffSequence(first.withCap(cap), firstRetries, next.withCap(cap));
  }

  /**
   * Each part has a cap of its own, and jitter must not lengthen a delay past the cap of its part.
   */
  @Override
  public Backoff withJitter(double share) {
    return new BackoffSequence(first.withJitter(share), firstRetries, next.withJitter(share));
  }
}
