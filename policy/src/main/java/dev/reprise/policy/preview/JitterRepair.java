package dev.reprise.policy.preview;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import dev.reprise.policy.backoff.BackoffParts;
import java.time.Duration;

/** Makes backoffs whose delays are spread. */
final class JitterRepair {
  private static final Duration USUAL_BASE = Duration.ofSeconds(1);
  private static final Duration USUAL_CAP = Duration.ofSeconds(64);

  private JitterRepair() {}

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
      return DelaySpan.of(mended, Integer.MAX_VALUE).isNarrow()
          ? full(documented.interval(), documented.maxDelay())
          : mended;
    }
    if (part instanceof TruncatedExponentialBackoff truncated) {
      return full(USUAL_BASE, truncated.maximumBackoff());
    }
    if (part instanceof DecorrelatedJitterBackoff decorrelated) {
      return full(decorrelated.base(), decorrelated.cap());
    }
    return BackoffParts.withoutJitter(part).withFullJitter();
  }

  /** Returns the backoff with a first retry that spreads the devices. */
  static Backoff spreadStart(Backoff backoff) {
    if (!DelaySpan.of(backoff, 1).isInStep()) {
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
    return DelaySpan.of(spread, 1).isInStep() ? full(USUAL_BASE, cap(backoff)) : spread;
  }

  private static Duration cap(Backoff part) {
    Duration longest = Duration.ofNanos(part.range(Integer.MAX_VALUE).highestNanos());
    return longest.compareTo(USUAL_BASE) > 0 ? longest : USUAL_CAP;
  }

  private static Backoff full(Duration base, Duration cap) {
    Duration start = base.isZero() || base.compareTo(cap) > 0 ? cap : base;
    return Backoff.exponential(start, cap).withFullJitter();
  }
}
