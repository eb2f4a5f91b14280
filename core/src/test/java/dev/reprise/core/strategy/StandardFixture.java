package dev.reprise.core.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.budget.RetryBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of a standard strategy, without a runner. */
abstract class StandardFixture {
  static final long NO_DEADLINE = Long.MAX_VALUE;
  static final Duration SECOND = Duration.ofSeconds(1);

  static StandardRetryStrategy.Builder builder(StandardProfile profile) {
    return StandardRetryStrategy.builder(profile).random(FixedRandom.LONGEST);
  }

  static RetryBudget bucket(int tokens, StandardProfile profile) {
    return RetryBudget.tokenBucket(tokens, profile.prices());
  }

  static double tokens(RetryBudget budget) {
    return budget.balanceMilliTokens(0) / 1000.0;
  }

  /** Fails until there is no retry; the delays in milliseconds, then the reason to stop. */
  static List<Object> failures(
      DecidingStrategy strategy, Operation operation, Throwable... failures) {
    List<Object> told = new ArrayList<>();
    CallState call = strategy.begin(operation);
    for (Throwable failure : failures) {
      boolean retried = strategy.decide(call, failure, NO_DEADLINE);
      told.add(retried ? call.delayNanos / 1_000_000 : String.valueOf(call.stopReason));
    }
    return told;
  }

  static @Nullable StopReason stopOf(DecidingStrategy strategy, Throwable failure) {
    CallState call = strategy.begin(Operation.DEFAULT);
    strategy.decide(call, failure, NO_DEADLINE);
    return call.stopReason;
  }

  static long delayAfter(DecidingStrategy strategy, Throwable failure) {
    CallState call = strategy.begin(Operation.DEFAULT);
    assertThat(strategy.decide(call, failure, NO_DEADLINE)).isTrue();
    return call.delayNanos;
  }
}
