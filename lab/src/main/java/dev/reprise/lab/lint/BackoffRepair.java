package dev.reprise.lab.lint;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
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
import dev.reprise.lab.kernel.DelayLaw;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** Makes backoffs without the faults that the linter finds. */
final class BackoffRepair {
  private static final Duration USUAL_BASE = Duration.ofSeconds(1);
  private static final Duration USUAL_CAP = Duration.ofSeconds(64);

  private BackoffRepair() {}

  /** Returns the backoff with the part that the retry belongs to replaced. */
  static Backoff partOf(int retry, Backoff backoff, UnaryOperator<Backoff> mend) {
    if (!(backoff instanceof BackoffSequence sequence)) {
      return mend.apply(backoff);
    }
    return retry <= sequence.firstRetries()
        ? new BackoffSequence(
            mend.apply(sequence.first()), sequence.firstRetries(), sequence.next())
        : new BackoffSequence(
            sequence.first(),
            sequence.firstRetries(),
            partOf(retry - sequence.firstRetries(), sequence.next(), mend));
  }

  /** Returns the same growth, its delays spread. */
  static Backoff spread(Backoff part) {
    if (part.capNanos() == 0 || part.range(Integer.MAX_VALUE).highestNanos() == 0) {
      return full(USUAL_BASE, USUAL_CAP);
    }
    if (part instanceof ExponentialBackoffWithJitter documented) {
      Backoff mended =
          ExponentialBackoffWithJitter.builder()
              .interval(documented.interval())
              .delays(documented.minDelay(), documented.maxDelay())
              .jitter(documented.jitterDown(), documented.jitterUp())
              .atCap(AtCap.JITTER)
              .build();
      return JitterRules.isNarrow(DelayLaw.of(mended, Integer.MAX_VALUE))
          ? full(documented.interval(), documented.maxDelay())
          : mended;
    }
    if (part instanceof TruncatedExponentialBackoff truncated) {
      return full(USUAL_BASE, truncated.maximumBackoff());
    }
    if (part instanceof DecorrelatedJitterBackoff decorrelated) {
      return full(decorrelated.base(), decorrelated.cap());
    }
    return withoutJitter(part).withFullJitter();
  }

  /** Returns the backoff with a first retry that spreads the devices. */
  static Backoff spreadStart(Backoff backoff) {
    if (!JitterRules.isInStep(DelayLaw.of(backoff, 1))) {
      return backoff;
    }
    if (backoff instanceof BackoffSequence sequence) {
      boolean waits = sequence.first().range(sequence.firstRetries()).highestNanos() > 0;
      return waits
          ? new BackoffSequence(
              spreadStart(sequence.first()), sequence.firstRetries(), sequence.next())
          : spreadStart(sequence.next());
    }
    Backoff spread = spread(backoff);
    return JitterRules.isInStep(DelayLaw.of(spread, 1)) ? full(USUAL_BASE, cap(backoff)) : spread;
  }

  private static Duration cap(Backoff part) {
    long longestNanos = part.range(Integer.MAX_VALUE).highestNanos();
    Duration longest = Duration.ofNanos(longestNanos);
    return longest.compareTo(USUAL_BASE) > 0 ? longest : USUAL_CAP;
  }

  /** Returns delays that grow from a mean to a cap, with the part's kind of jitter or full one. */
  static Backoff exponential(double baseSeconds, double capSeconds, Backoff part) {
    Duration base = Duration.ofMillis((long) Math.ceil(baseSeconds * 1000));
    Duration cap = Duration.ofSeconds((long) Math.ceil(Math.max(capSeconds, baseSeconds)));
    Backoff grown = Backoff.exponential(base, cap);
    return part instanceof EqualJitterBackoff ? grown.withEqualJitter() : grown.withFullJitter();
  }

  private static Backoff full(Duration base, Duration cap) {
    Duration start = base.isZero() || base.compareTo(cap) > 0 ? cap : base;
    return Backoff.exponential(start, cap).withFullJitter();
  }

  private static Backoff withoutJitter(Backoff part) {
    if (part instanceof ProportionalJitterBackoff proportional) {
      return proportional.backoff();
    }
    if (part instanceof EqualJitterBackoff equal) {
      return equal.backoff();
    }
    return part instanceof FullJitterBackoff full ? full.backoff() : part;
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
        : full(USUAL_BASE, longer(USUAL_CAP, times));
  }

  private static Duration longer(Duration delay, double times) {
    double seconds = (delay.getSeconds() + delay.getNano() / 1e9) * times;
    return Duration.ofSeconds((long) Math.ceil(Math.min(seconds, 1e9) - 1e-9));
  }
}
