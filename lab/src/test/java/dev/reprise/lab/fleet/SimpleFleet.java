package dev.reprise.lab.fleet;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.kernel.CounterRandom;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The same fleet once more, written as plainly as can be: a priority queue of objects. Simple
 * enough to be believed, and with a choice that the real one does not offer: who comes first of
 * those that come at the same time.
 *
 * @param tickNanos the step that all times are rounded to
 * @param lastInFirst of a tick, the one that was added last is first; otherwise the one that was
 *     added first
 */
record SimpleFleet(
    int devices,
    double capacityPerSecond,
    double rejectionCost,
    int outageSeconds,
    Backoff backoff,
    long tickNanos,
    boolean lastInFirst) {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long SPREAD_NANOS = SECOND_NANOS / 10;

  /** What came out; the waits are sorted, in seconds. */
  record Outcome(double[] waits, double attempts, double attemptsAfterRecovery) {
    double wait(double share) {
      return waits[(int) Math.ceil(share * waits.length) - 1];
    }
  }

  private record Attempt(long nanos, long order, int device) {}

  Outcome run(long seed) {
    CounterRandom random = new CounterRandom(seed);
    PriorityQueue<Attempt> queue =
        new PriorityQueue<>(
            Comparator.comparingLong(Attempt::nanos).thenComparingLong(Attempt::order));
    long order = 0;
    for (int device = 0; device < devices; device++) {
      long at = (long) (random.at(device, 0).nextDouble() * SPREAD_NANOS) / tickNanos * tickNanos;
      queue.add(new Attempt(at, order(order++), device));
    }
    int[] made = new int[devices];
    double[] waits = new double[devices];
    int back = 0;
    long attempts = 0;
    long attemptsAfter = 0;
    double mostTokens = capacityPerSecond / 10;
    double tokens = mostTokens;
    long recovery = outageSeconds * SECOND_NANOS;
    long last = recovery;
    while (back < devices) {
      Attempt attempt = queue.remove();
      attempts++;
      if (attempt.nanos() >= recovery) {
        attemptsAfter++;
        tokens += (attempt.nanos() - last) * capacityPerSecond / SECOND_NANOS;
        tokens = Math.min(mostTokens, tokens);
        last = attempt.nanos();
        if (tokens >= 1) {
          tokens -= 1;
          waits[back++] = (attempt.nanos() - recovery) / (double) SECOND_NANOS;
          continue;
        }
        tokens = Math.max(-capacityPerSecond, tokens - rejectionCost);
      }
      int device = attempt.device();
      made[device]++;
      long delay = backoff.delayNanos(made[device], random.at(device, made[device]));
      long ticks = Math.max(1, (delay + tickNanos / 2) / tickNanos);
      queue.add(new Attempt(attempt.nanos() + ticks * tickNanos, order(order++), device));
    }
    Arrays.sort(waits);
    return new Outcome(waits, (double) attempts / devices, (double) attemptsAfter / devices);
  }

  private long order(long added) {
    return lastInFirst ? -added : added;
  }
}
