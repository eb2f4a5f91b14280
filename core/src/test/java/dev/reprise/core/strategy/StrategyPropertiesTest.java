package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.Operation;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What holds for any legal profile and any failures. */
class StrategyPropertiesTest {
  @Provide
  Arbitrary<StandardProfile> profiles() {
    Arbitrary<Long> nanos = Arbitraries.longs().between(1, Duration.ofDays(400).toNanos());
    Arbitrary<Integer> milliTokens = Arbitraries.integers().between(0, 50_000);
    Arbitrary<TokenPrices> prices =
        Combinators.combine(
                milliTokens, milliTokens, milliTokens, milliTokens, Arbitraries.of(true, false))
            .as(TokenPrices::new);
    return Combinators.combine(
            Arbitraries.integers().between(1, 12),
            nanos,
            nanos,
            nanos,
            Arbitraries.longs().between(0, Duration.ofDays(1).toNanos()),
            Arbitraries.of(true, false),
            Arbitraries.integers().between(0, 600),
            prices)
        .as(
            (attempts, base, throttleBase, more, ceiling, flag, tokens, price) ->
                new StandardProfile(
                    attempts,
                    Duration.ofNanos(base),
                    Duration.ofNanos(throttleBase),
                    Duration.ofNanos(Math.max(base, throttleBase) + more),
                    Duration.ofNanos(ceiling),
                    flag,
                    !flag,
                    tokens,
                    price));
  }

  @Provide
  Arbitrary<List<Failure>> failures() {
    Arbitrary<Duration> hints =
        Arbitraries.longs()
            .between(-10, Duration.ofDays(2).toSeconds())
            .map(Duration::ofSeconds)
            .injectNull(0.5);
    return Combinators.combine(
            Arbitraries.of(Failure.error(), Failure.throttle(), Failure.timeout()),
            Arbitraries.frequency(
                Tuple.of(8, RetrySafety.YES),
                Tuple.of(2, RetrySafety.MAYBE),
                Tuple.of(1, RetrySafety.NO)),
            hints)
        .as((failure, safety, hint) -> failure.withSafety(safety).withHint(hint))
        .list()
        .ofMinSize(1)
        .ofMaxSize(20);
  }

  @Property
  void everyDecisionKeepsThePromises(
      @ForAll("profiles") StandardProfile profile,
      @ForAll("failures") List<Failure> failures,
      @ForAll boolean idempotent,
      @ForAll boolean longPoll,
      @ForAll long seed) {
    RetryBudget budget = RetryBudget.tokenBucket(profile.capacityTokens(), profile.prices());
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder(profile)
            .budget(budget)
            .random(new SplittableRandom(seed))
            .build();
    SplittableRandom random = new SplittableRandom(seed);
    CallState call = strategy.begin(new Operation(null, idempotent, longPoll));
    for (Failure failure : failures) {
      int attempt = call.attempt;
      long before = budget.balanceMilliTokens(0);
      long remaining = random.nextBoolean() ? Long.MAX_VALUE : random.nextLong(1L << 56);

      boolean retried = strategy.decide(call, failure, remaining);

      long cost = profile.prices().costMilliTokens(failure);
      assertThat(budget.balanceMilliTokens(0)).isEqualTo(retried ? before - cost : before);
      assertThat(call.attempt).isEqualTo(retried ? attempt + 1 : attempt);
      assertThat(call.attempt).isLessThanOrEqualTo(profile.maxAttempts());
      assertThat(call.delayNanos).isGreaterThanOrEqualTo(0);
      if (retried) {
        assertThat(failure.isRetrySafe().allowsRetry(idempotent)).isTrue();
        assertThat(call.delayNanos).isLessThanOrEqualTo(remaining).isPositive();
        keepsItsBounds(profile, failure, Duration.ofNanos(call.delayNanos));
      } else {
        stopsForAReason(profile, call, failure, before, idempotent, remaining);
        break;
      }
    }
    long before = budget.balanceMilliTokens(0);
    strategy.recordSuccess(call);
    assertThat(budget.balanceMilliTokens(0))
        .isBetween(before, Math.max(before, budget.capacityMilliTokens()));
  }

  private static void keepsItsBounds(StandardProfile profile, Failure failure, Duration delay) {
    Duration hint = failure.retryAfter();
    if (hint == null || hint.isNegative()) {
      assertThat(delay).isLessThanOrEqualTo(profile.maxDelay());
    } else if (profile.clampsHints()) {
      assertThat(delay).isLessThanOrEqualTo(profile.maxDelay().plus(profile.hintCeiling()));
    } else {
      assertThat(delay).isGreaterThanOrEqualTo(hint);
      assertThat(delay)
          .isLessThanOrEqualTo(hint.compareTo(profile.maxDelay()) > 0 ? hint : profile.maxDelay());
    }
  }

  private static void stopsForAReason(
      StandardProfile profile,
      CallState call,
      Failure failure,
      long balance,
      boolean idempotent,
      long remaining) {
    StopReason reason = call.stopReason;
    boolean safe = failure.isRetrySafe().allowsRetry(idempotent);
    assertThat(reason == StopReason.NOT_RETRYABLE).isEqualTo(!safe);
    assertThat(reason == StopReason.ATTEMPTS)
        .isEqualTo(safe && call.attempt == profile.maxAttempts());
    if (reason == StopReason.BUDGET) {
      assertThat(balance).isLessThan(profile.prices().costMilliTokens(failure));
    } else {
      assertThat(call.delayNanos).isZero();
    }
    if (reason == StopReason.HINT_TOO_LONG) {
      assertThat(failure.retryAfter()).isGreaterThan(profile.hintCeiling());
      assertThat(profile.clampsHints()).isFalse();
    }
    if (reason == StopReason.DEADLINE) {
      assertThat(remaining).isLessThan(Long.MAX_VALUE);
    }
  }

  @Property
  void tokensAndCallsDecideAlike(
      @ForAll("profiles") StandardProfile profile,
      @ForAll("failures") List<Failure> failures,
      @ForAll long seed) {
    Driver tokens = Driver.tokens(seeded(profile, seed), Operation.IDEMPOTENT);
    Driver calls = Driver.calls(seeded(profile, seed), Operation.IDEMPOTENT);
    for (Failure failure : failures) {
      Driver.Outcome outcome = calls.fail(failure);
      assertThat(tokens.fail(failure)).isEqualTo(outcome);
      if (outcome.stop() != null) {
        return;
      }
    }
  }

  private static StandardRetryStrategy seeded(StandardProfile profile, long seed) {
    return StandardRetryStrategy.builder(profile).random(new SplittableRandom(seed)).build();
  }
}
