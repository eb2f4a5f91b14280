package dev.reprise.lab.replay;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.lab.figure.PolicyResult;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.RetryDelays;
import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replays recorded deliveries under other policies. Each delivery begins when it did; whether an
 * attempt fails is decided by what is known of its endpoint at that moment ({@link
 * AttemptLog#failures()}): it meets the fate of one of the attempts that were made about then, with
 * their time, status and hint. The policy's own {@link RetryDelays} say what follows.
 *
 * <p>What a replay cannot know:
 *
 * <ul>
 *   <li>It takes failures as given. A policy that makes many more attempts could have made an
 *       outage worse, and a gentle one shorter; the scenarios of the lab show that.
 *   <li>After the last attempt of the log an endpoint stays as it was last seen. A delivery that
 *       still waits for one that was down, under a policy that never gives up, stays open.
 *   <li>A delivery whose failures others at the same endpoint do not share failed for itself, and
 *       does so again; one that was refused for good is refused by the first attempt that gets
 *       through.
 *   <li>Budgets, throttles and limits of attempts under way are not replayed. A delivery is
 *       followed for at most a million attempts, and is open then.
 * </ul>
 *
 * <p>Figures: the share of deliveries that ended well and the number that were given up, attempts
 * for each delivery, latencies from publication of those that ended well, and as wasted work the
 * share of attempts that failed, for a log does not tell what they cost. Series end with the log.
 */
public final class Replay {
  private static final int MAX_ATTEMPTS = 1_000_000;

  /** Recordings have milliseconds; an attempt without duration could be repeated endlessly. */
  private static final long MIN_NANOS = 1_000_000;

  /** A hundred years: longer waits never end. */
  private static final long MAX_WAIT_NANOS = Duration.ofDays(36_500).toNanos();

  /** Status of a service that asks for fewer requests (RFC 6585, section 4). */
  private static final int TOO_MANY_REQUESTS = 429;

  private Replay() {}

  /**
   * The result of a replay.
   *
   * @param asItWas what the log itself says
   * @param policies one for each policy, in their order
   */
  public record Answer(RunRecord asItWas, List<PolicyResult> policies) {
    /** Copies the results. */
    public Answer {
      policies = List.copyOf(policies);
    }
  }

  /**
   * Replays a log under policies.
   *
   * @param log at least one delivery
   * @param policies by name, in the order of the answer
   * @param seed of the first run; run i has seed + i. All policies see the same randomness
   * @param runs how often each policy is run, at least 1
   * @throws IllegalArgumentException when there is no delivery or no run
   */
  public static Answer run(AttemptLog log, Map<String, Policy> policies, long seed, int runs) {
    if (log.deliveries().isEmpty()) {
      throw new InvalidSettingException("deliveries", "empty", "must have at least one");
    }
    if (runs < 1) {
      throw new InvalidSettingException("runs", runs, "must be >= 1");
    }
    RecordedHistory past = new RecordedHistory(log);
    List<PolicyResult> results = new ArrayList<>();
    policies.forEach(
        (name, policy) -> {
          List<RunRecord> records = new ArrayList<>();
          for (int run = 0; run < runs; run++) {
            records.add(new ReplayRun(log, past, policy, seed + run).record());
          }
          results.add(new PolicyResult(name, policy, records));
        });
    return new Answer(asItWas(log, past), results);
  }

  private static RunRecord asItWas(AttemptLog log, RecordedHistory past) {
    DeliveryCounts tally = new DeliveryCounts(log.deliveries().size(), past.endNanos());
    for (Delivery delivery : log.deliveries()) {
      for (RecordedAttempt attempt : delivery.attempts()) {
        tally.attempt(past.nanos(attempt), attempt.outcome() == RecordedOutcome.SUCCEEDED);
      }
      tally.forgottenFailures(delivery.attemptsMade() - delivery.attempts().size());
      long wait = past.nanos(delivery.last().endedAt()) - past.nanos(delivery.publishedAt());
      tally.end(delivery.end(), wait, delivery.attemptsMade());
    }
    return tally.record(0);
  }

  /** One policy and one seed. */
  private static final class ReplayRun {
    private final AttemptLog log;
    private final RecordedHistory past;
    private final RetryDelays delays;
    private final long deadlineNanos;
    private final boolean giveUp;
    private final long seed;
    private final CounterRandom random;
    private final DeliveryCounts tally;

    ReplayRun(AttemptLog log, RecordedHistory past, Policy policy, long seed) {
      this.log = log;
      this.past = past;
      StrategyPolicy strategy = policy.toStrategyPolicy();
      this.delays = RetryDelays.of(strategy);
      Duration deadline = strategy.calls().deadline();
      this.deadlineNanos = deadline == null ? Long.MAX_VALUE : deadline.toNanos();
      this.giveUp = policy.maxRetries() != Policy.UNLIMITED || deadline != null;
      this.seed = seed;
      this.random = new CounterRandom(seed);
      this.tally = new DeliveryCounts(log.deliveries().size(), past.endNanos());
    }

    RunRecord record() {
      for (int i = 0; i < log.deliveries().size(); i++) {
        follow(i, log.deliveries().get(i));
      }
      return tally.record(seed);
    }

    private void follow(int index, Delivery delivery) {
      EndpointHistory endpoint = past.of(delivery);
      boolean failsAlways = past.failedForItself(delivery);
      boolean neverTaken = failsAlways || endpoint.endsDown();
      long published = past.nanos(delivery.publishedAt());
      long deadline = deadlineNanos > MAX_WAIT_NANOS ? Long.MAX_VALUE : published + deadlineNanos;
      long now = past.nanos(delivery.attempts().get(0));
      for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        RecordedAttempt fate =
            failsAlways
                ? delivery.last()
                : endpoint.at(now).drawn(random.at(index, 2L * attempt).nextDouble());
        boolean passes = fate == null || fate.outcome() != RecordedOutcome.FAILED;
        boolean isRefused = passes && delivery.last().outcome() == RecordedOutcome.REFUSED;
        tally.attempt(now, passes && !isRefused);
        now += took(isRefused ? delivery.last() : fate);
        if (passes) {
          tally.end(isRefused ? End.GIVEN_UP : End.DELIVERED, now - published, attempt);
          return;
        }
        long delayNanos =
            delays.delayNanos(attempt - 1, failed(fate), random.at(index, 2L * attempt + 1));
        boolean isTooLate = deadline != Long.MAX_VALUE && delayNanos > deadline - now;
        if (delayNanos == RetryDelays.STOP || isTooLate) {
          tally.end(End.GIVEN_UP, 0, attempt);
          return;
        }
        boolean inReach = delayNanos <= MAX_WAIT_NANOS - now;
        now += inReach ? delayNanos : 0;
        if (!inReach || (!giveUp && neverTaken && now > past.endNanos())) {
          tally.end(End.OPEN, 0, attempt);
          return;
        }
      }
      tally.end(End.OPEN, 0, MAX_ATTEMPTS);
    }

    /** It may be repeated: at least once, with a stable id, is the contract of deliveries. */
    private static Failed failed(@Nullable RecordedAttempt attempt) {
      return attempt == null
          ? new Failed(null, false)
          : new Failed(attempt.retryAfter(), attempt.status() == TOO_MANY_REQUESTS);
    }

    private static long took(@Nullable RecordedAttempt attempt) {
      return attempt == null
          ? MIN_NANOS
          : Math.max(MIN_NANOS, Duration.between(attempt.startedAt(), attempt.endedAt()).toNanos());
    }
  }

  /** The facts of a failure whose outcome is known. */
  private record Failed(@Nullable Duration retryAfter, boolean isThrottle) implements RetryInfo {
    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }
}
