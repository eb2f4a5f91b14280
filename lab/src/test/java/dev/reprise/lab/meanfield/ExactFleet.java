package dev.reprise.lab.meanfield;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A fleet device by device, in time that has no ticks: nobody is accepted before another because of
 * the order in which events of a tick are kept. Slow, and as simple as can be.
 */
final class ExactFleet {
  private record Attempt(double seconds, int device, int made) {}

  private record Failed(boolean isThrottle, @Nullable Duration retryAfter) implements RetryInfo {
    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }

  final List<Double> waits = new ArrayList<>();
  int attempts;
  int stranded;

  /**
   * Runs with an outage from the start, a minority, an attempts limit, hints; no other failures.
   */
  ExactFleet(FleetModel model, StrategyPolicy policy, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double recovery = Seconds.of(model.recovery());
    double horizon = Seconds.of(model.horizon());
    Capacity capacity = Capacity.of(model);
    double most = Math.max(1, model.quota().perSecond() * Seconds.of(model.quota().burst()));
    double rejectionCost = model.quota().rejectionCost();
    int overactive = model.overactive().of(model.devices());
    int fleet = model.devices() - overactive;
    int others = model.minority().of(fleet);
    PriorityQueue<Attempt> queue =
        new PriorityQueue<>((a, b) -> Double.compare(a.seconds(), b.seconds()));
    for (int i = 0; i < model.devices(); i++) {
      Duration spread = i < fleet ? model.spread() : model.overactive().interval();
      queue.add(new Attempt(random.nextDouble() * Seconds.of(spread), i, 0));
    }
    double tokens = most;
    double last = 0;
    while (waits.size() + stranded < fleet && queue.peek().seconds() < horizon) {
      Attempt attempt = queue.poll();
      double now = attempt.seconds();
      boolean isOveractive = attempt.device() >= fleet;
      attempts += isOveractive ? 0 : 1;
      boolean isOut = now < recovery;
      tokens = Math.min(most, tokens + capacity.between(last, now));
      last = now;
      boolean accepted = !isOut && tokens >= 1;
      if (accepted) {
        tokens -= 1;
      } else if (!isOut) {
        tokens = Math.max(-model.quota().perSecond(), tokens - rejectionCost);
      }
      if (isOveractive) {
        double interval = Seconds.of(model.overactive().interval());
        queue.add(new Attempt(now + interval, attempt.device(), 0));
        continue;
      }
      if (accepted) {
        waits.add(now - recovery);
        continue;
      }
      StrategyPolicy its =
          attempt.device() < others && model.minority().policy() != null
              ? model.minority().policy().toStrategyPolicy()
              : policy;
      Failed failed = new Failed(!isOut, isOut ? null : hint(model.hint(), random));
      RetryDecision decision =
          its.toRetryPolicy().decide(attempt.made(), failed, true, Long.MAX_VALUE, random);
      if (decision instanceof RetryDecision.Retry retry) {
        queue.add(
            new Attempt(now + retry.delayNanos() / 1e9, attempt.device(), attempt.made() + 1));
      } else {
        stranded++;
      }
    }
  }

  private static @Nullable Duration hint(Hint hint, SplittableRandom random) {
    if (hint instanceof Hint.Fixed fixed) {
      return fixed.delay();
    }
    if (hint instanceof Hint.Uniform uniform) {
      double span = Seconds.of(uniform.highest().minus(uniform.lowest()));
      return uniform.lowest().plusNanos((long) (random.nextDouble() * span * 1e9));
    }
    return null;
  }

  /** Returns when so many devices are back, in seconds since recovery. */
  double reaches(double devices) {
    int count = (int) Math.ceil(devices);
    return count > waits.size() ? Double.POSITIVE_INFINITY : waits.get(count - 1);
  }
}
