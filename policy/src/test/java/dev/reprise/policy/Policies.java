package dev.reprise.policy;

import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.core.backoff.BackoffSequence;
import dev.reprise.core.backoff.CappedBackoff;
import dev.reprise.core.backoff.DecorrelatedJitterBackoff;
import dev.reprise.core.backoff.ExponentialBackoffWithJitter;
import dev.reprise.core.backoff.LinearBackoff;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.backoff.TruncatedExponentialBackoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.Hedging;
import java.time.Duration;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Any policy of the general format. */
public final class Policies {
  private Policies() {}

  static Arbitrary<StrategyPolicy> any() {
    return Arbitraries.frequencyOf(
        Tuple.of(1, calls().map(c -> StrategyPolicy.noRetry(withoutHedging(c)))),
        Tuple.of(9, retrying()));
  }

  private static Arbitrary<StrategyPolicy> retrying() {
    Arbitrary<Integer> attempts =
        Arbitraries.oneOf(
            Arbitraries.integers().between(1, 40),
            Arbitraries.integers().between(1, Integer.MAX_VALUE),
            Arbitraries.just(Policy.UNLIMITED));
    Arbitrary<boolean[]> flags =
        Combinators.combine(flag(), flag()).as((a, b) -> new boolean[] {a, b});
    return Combinators.combine(
            Arbitraries.of(StrategyKind.STANDARD, StrategyKind.ADAPTIVE),
            attempts,
            backoffs(),
            backoffs().injectNull(0.5),
            budgets(),
            durations(),
            flags,
            calls())
        .as(
            (kind, most, backoff, throttle, budget, ceiling, flag, calls) ->
                new StrategyPolicy(
                    kind,
                    most,
                    backoff,
                    throttle == null ? backoff : throttle,
                    budget,
                    ceiling,
                    flag[0],
                    flag[1],
                    most == 1 ? withoutHedging(calls) : calls));
  }

  private static CallSettings withoutHedging(CallSettings calls) {
    return new CallSettings(calls.deadline(), calls.attemptTimeout(), null, calls.idempotent());
  }

  private static Arbitrary<Boolean> flag() {
    return Arbitraries.of(true, false);
  }

  static Arbitrary<Duration> durations() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(0, 3_600).map(Duration::ofSeconds),
        Arbitraries.longs().between(0, 100_000).map(Duration::ofMillis),
        Arbitraries.longs().between(0, Long.MAX_VALUE).map(Duration::ofNanos));
  }

  private static Arbitrary<Duration> positive() {
    return durations().filter(duration -> !duration.isZero());
  }

  /** Draws a backoff of one formula, its jitter, and what follows it. */
  public static Arbitrary<Backoff> backoffs() {
    Arbitrary<Backoff> part = parts();
    return Combinators.combine(
            part.injectNull(0.9), part, Arbitraries.integers().between(1, 20), part.injectNull(0.7))
        .as(
            (first, second, retries, third) -> {
              Backoff rest = third == null ? second : second.then(retries, third);
              return first == null ? rest : new BackoffSequence(first, 3, rest);
            });
  }

  private static Arbitrary<Backoff> parts() {
    Arbitrary<Duration[]> ordered =
        Combinators.combine(durations(), durations())
            .as((a, b) -> a.compareTo(b) <= 0 ? new Duration[] {a, b} : new Duration[] {b, a});
    Arbitrary<Double> factors = Arbitraries.doubles().between(1.1, 10).ofScale(2);
    Arbitrary<Double> shares = Arbitraries.doubles().between(0, 1).ofScale(3);
    Arbitrary<AtCap> atCap = Arbitraries.of(AtCap.values());
    Arbitrary<Backoff> plain =
        Arbitraries.oneOf(
            durations().map(Backoff::fixed),
            Combinators.combine(durations(), durations())
                .as((delay, cap) -> new CappedBackoff(Backoff.fixed(delay), cap)),
            Combinators.combine(ordered, durations())
                .as((delays, step) -> new LinearBackoff(delays[0], step, delays[1])),
            Combinators.combine(ordered, factors)
                .as((delays, factor) -> Backoff.exponential(delays[0], factor, delays[1])),
            staged());
    Arbitrary<UnaryOperator<Backoff>> jitter =
        Arbitraries.oneOf(
            Arbitraries.just(UnaryOperator.identity()),
            Arbitraries.just(Backoff::withFullJitter),
            Arbitraries.just(Backoff::withEqualJitter),
            shares.map(share -> backoff -> backoff.withJitter(share)));
    Arbitrary<Backoff> jittered =
        Combinators.combine(plain, jitter)
            .as((backoff, with) -> backoff.equals(Backoff.none()) ? backoff : with.apply(backoff));
    return Arbitraries.oneOf(
        jittered,
        Arbitraries.just(Backoff.none()),
        Combinators.combine(durations(), ordered, shares, shares, atCap)
            .as(
                (interval, delays, down, up, at) ->
                    ExponentialBackoffWithJitter.builder()
                        .interval(interval)
                        .delays(delays[0], delays[1])
                        .jitter(Math.max(down, up), Math.min(down, up))
                        .atCap(at)
                        .build()),
        Combinators.combine(durations(), atCap).as(TruncatedExponentialBackoff::new),
        ordered.map(delays -> new DecorrelatedJitterBackoff(delays[0], delays[1])));
  }

  private static Arbitrary<Backoff> staged() {
    Arbitrary<Integer> count = Arbitraries.integers().between(0, 20);
    Arbitrary<Long> millis = Arbitraries.longs().between(0, 100_000_000);
    return Combinators.combine(
            count, count, count, count, millis, millis, Arbitraries.of(BackoffFunction.values()))
        .as(
            (noDelay, min, growing, max, a, b, function) ->
                new StagedBackoff(
                    noDelay,
                    min,
                    growing,
                    max,
                    Duration.ofMillis(Math.min(a, b)),
                    Duration.ofMillis(Math.max(a, b)),
                    function));
  }

  private static Arbitrary<BudgetPolicy> budgets() {
    Arbitrary<Integer> milliTokens = Arbitraries.integers().between(0, 1_000_000_000);
    Arbitrary<Double> perSecond =
        Arbitraries.oneOf(
            Arbitraries.just(0.0), Arbitraries.doubles().between(0.001, 1_000_000).ofScale(3));
    Arbitrary<Integer> scopes = Arbitraries.integers().between(0, 1_000_000);
    return Arbitraries.oneOf(
        Arbitraries.just(new BudgetPolicy.Unlimited()),
        Combinators.combine(
                Arbitraries.integers().between(0, 1_000_000),
                milliTokens,
                milliTokens,
                milliTokens,
                milliTokens,
                flag(),
                perSecond,
                scopes)
            .as(
                (capacity, error, throttle, timeout, reward, refunds, fill, most) ->
                    new BudgetPolicy.TokenBucket(
                        capacity,
                        new TokenPrices(error, throttle, timeout, reward, refunds),
                        fill,
                        most)),
        Combinators.combine(
                Arbitraries.oneOf(
                    Arbitraries.just(0.0), Arbitraries.doubles().between(0.001, 1).ofScale(4)),
                perSecond,
                Arbitraries.integers().between(1, 1_000_000),
                scopes)
            .as(BudgetPolicy.Ratio::new));
  }

  private static Arbitrary<CallSettings> calls() {
    Arbitrary<Hedging> hedging =
        Combinators.combine(positive(), Arbitraries.integers().between(1, Integer.MAX_VALUE))
            .as(Hedging::new);
    return Combinators.combine(
            positive().injectNull(0.5), positive().injectNull(0.5), hedging.injectNull(0.7), flag())
        .as(
            (deadline, timeout, hedges, idempotent) ->
                new CallSettings(deadline, timeout, hedges, hedges != null || idempotent));
  }
}
