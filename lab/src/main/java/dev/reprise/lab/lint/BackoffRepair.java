package dev.reprise.lab.lint;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.EqualJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.FixedBackoff;
import dev.reprise.core.backoff.FullJitterBackoff;
import dev.reprise.core.backoff.LinearBackoff;
import dev.reprise.core.backoff.ProportionalJitterBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import java.time.Duration;

/** Makes backoffs that load the service less. */
final class BackoffRepair {
  private BackoffRepair() {}

  /** Returns delays that grow from a mean to a cap, with the part's kind of jitter or full one. */
  static Backoff exponential(double baseSeconds, double capSeconds, Backoff part) {
    Duration base = Duration.ofMillis((long) Math.ceil(baseSeconds * 1000));
    Duration cap = Duration.ofSeconds((long) Math.ceil(Math.max(capSeconds, baseSeconds)));
    Backoff grown = Backoff.exponential(base, cap);
    return part instanceof EqualJitterBackoff ? grown.withEqualJitter() : grown.withFullJitter();
  }

  /** Returns the same shape, its longest delays so many times as long, in whole seconds. */
  static Backoff longer(Backoff part, double times) {
    if (part instanceof FullJitterBackoff full) {
      return new FullJitterBackoff(longer(full.backoff(), times));
    }
    if (part instanceof EqualJitterBackoff equal) {
      return new EqualJitterBackoff(longer(equal.backoff(), times));
    }
    if (part instanceof ProportionalJitterBackoff proportional) {
      return new ProportionalJitterBackoff(
          longer(proportional.backoff(), times), proportional.share());
    }
    if (part instanceof CappedBackoff capped) {
      return new CappedBackoff(longer(capped.backoff(), times), longer(capped.cap(), times));
    }
    if (part instanceof ExponentialBackoff exponential) {
      // A factor near 1 does not grow that far in as many retries as the core allows.
      double factor = exponential.factor() < 1.1 ? 2 : exponential.factor();
      return Backoff.exponential(exponential.base(), factor, longer(exponential.cap(), times));
    }
    if (part instanceof LinearBackoff linear) {
      Duration step = linear.step().isZero() ? linear.base() : linear.step();
      return Backoff.linear(linear.base(), step, longer(linear.cap(), times));
    }
    if (part instanceof DecorrelatedJitterBackoff decorrelated) {
      return Backoff.decorrelatedJitter(decorrelated.base(), longer(decorrelated.cap(), 2 * times));
    }
    if (part instanceof TruncatedExponentialBackoff truncated) {
      return Backoff.truncatedExponential(
          longer(truncated.maximumBackoff(), times), truncated.atCap());
    }
    if (part instanceof ExponentialBackoffWithJitter documented) {
      return ExponentialBackoffWithJitter.builder()
          .interval(documented.interval())
          .delays(documented.minDelay(), longer(documented.maxDelay(), times))
          .jitter(documented.jitterDown(), documented.jitterUp())
          .atCap(documented.atCap())
          .build();
    }
    if (part instanceof StagedBackoff staged) {
      boolean endsAtMin = staged.backoffRetries() == 0 && staged.maxDelayRetries() == 0;
      Duration longest = longer(endsAtMin ? staged.minDelay() : staged.maxDelay(), times);
      return StagedBackoff.builder()
          .noDelayRetries(staged.noDelayRetries())
          .minDelayRetries(staged.minDelayRetries())
          .backoffRetries(staged.backoffRetries())
          .maxDelayRetries(staged.maxDelayRetries())
          .delays(endsAtMin ? longest : staged.minDelay(), longest)
          .function(staged.function())
          .build();
    }
    return part instanceof FixedBackoff fixed && !fixed.delay().isZero()
        ? Backoff.fixed(longer(fixed.delay(), times))
        : Backoff.exponential(Duration.ofSeconds(1), longer(Duration.ofSeconds(64), times))
            .withFullJitter();
  }

  private static Duration longer(Duration delay, double times) {
    double seconds = (delay.getSeconds() + delay.getNano() / 1e9) * times;
    return Duration.ofSeconds((long) Math.ceil(Math.min(seconds, 1e9) - 1e-9));
  }
}
