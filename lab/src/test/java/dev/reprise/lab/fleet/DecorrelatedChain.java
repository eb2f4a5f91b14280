package dev.reprise.lab.fleet;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;
import dev.reprise.lab.kernel.CounterRandom;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decorrelated jitter as it was published: {@code delay = min(cap, random(base, 3 * previous))}.
 * The core's backoffs remember nothing, and so does this one: it works the chain out anew from the
 * draws of all earlier retries, which the randomness of a simulation can look up.
 */
record DecorrelatedChain(Duration base, Duration cap) implements Backoff {
  @Override
  public long delayNanos(int retry, RandomGenerator random) {
    CounterRandom draws = (CounterRandom) random;
    long device = draws.client();
    double lowest = base.toNanos();
    double highest = cap.toNanos();
    double previous = lowest;
    for (int earlier = 1; earlier <= retry; earlier++) {
      double drawn = draws.at(device, earlier).nextDouble();
      previous = Math.min(highest, lowest + drawn * (3 * previous - lowest));
    }
    return (long) previous;
  }

  @Override
  public DelayRange range(int retry) {
    return new DelayRange(base.toNanos(), cap.toNanos());
  }
}
