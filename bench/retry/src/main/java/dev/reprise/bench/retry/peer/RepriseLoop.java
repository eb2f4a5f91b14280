package dev.reprise.bench.retry.peer;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetryToken;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.retry.CheckedSupplier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/** Ours. */
public final class RepriseLoop {
  /** A success brings back what its last retry cost. */
  private static final TokenPrices REFUNDED = TokenPrices.AWS_STANDARD_2_0;

  /** Pays for the retries of all parked calls, before the first of them succeeds. */
  private static final TokenPrices CHEAP = new TokenPrices(1, 1, 1, 1, true);

  private RepriseLoop() {}

  static Calls calls(PeerSetting setting) {
    Retry retry =
        switch (setting) {
          case DEFAULTS -> Retry.ofDefaults();
          case DEADLINE -> Retry.builder().deadline(Duration.ofSeconds(30)).build();
          case NO_DELAY -> Retry.of(atOnce(RetryBudget.tokenBucket(500, REFUNDED)));
          case NO_DELAY_NO_BUDGET, FOUR_ATTEMPTS -> unlimited(setting);
        };
    return calls(retry);
  }

  static Calls unlimitedCalls(PeerSetting setting) {
    return calls(unlimited(setting));
  }

  public static Calls calls(RetryBudget budget) {
    return calls(Retry.of(atOnce(budget)));
  }

  private static Retry unlimited(PeerSetting setting) {
    return Retry.of(
        atOnce(RetryBudget.unlimited()).toBuilder().maxAttempts(setting.maxAttempts).build());
  }

  private static Calls calls(Retry retry) {
    return operation -> {
      CheckedSupplier<Object, Exception> supplier = operation::call;
      return () -> retry.call(supplier);
    };
  }

  @SuppressWarnings("FutureReturnValueIgnored") // The caller gets it, as an object.
  static AsyncCalls asyncCalls(AsyncWork work, Duration delay) {
    // As with all the others, the thread of the timer makes the attempts.
    Executor caller = Runnable::run;
    Retry retry =
        Retry.builder()
            .strategy(
                strategy(
                    Backoff.fixed(delay), RetryBudget.tokenBucket(RetryBudget.MAX_TOKENS, CHEAP)))
            .executor(caller)
            .build();
    CheckedSupplier<CompletableFuture<Object>, RuntimeException> supplier = work::stage;
    return () -> retry.callAsync(supplier);
  }

  public static PeerRequest roundTrip(RetryBudget budget) {
    RetryInfo failure = Classifier.defaults().classify(new ConnectionRefused());
    return () -> {
      int cost = budget.tryWithdraw(failure, budget.fillsWithTime() ? System.nanoTime() : 0);
      if (cost == RetryBudget.DENIED) {
        throw new IllegalStateException("the budget is empty");
      }
      budget.refund(cost);
      return AsyncWork.RESULT;
    };
  }

  static LongSupplier delayNanos(Backoff backoff, int retry) {
    return () -> backoff.delayNanos(retry, ThreadLocalRandom.current());
  }

  /** Acquires, refreshes after a failure and records a success: the whole contract of tokens. */
  public static PeerRequest protocol() {
    StandardRetryStrategy strategy = atOnce(RetryBudget.tokenBucket(500, REFUNDED));
    IOException failure = new OwnFailure();
    return () -> {
      RetryToken first = strategy.acquireInitialToken();
      strategy.recordSuccess(strategy.refreshRetryToken(first, failure));
      return AsyncWork.RESULT;
    };
  }

  /** The same with a budget that is empty: the refresh is refused. */
  public static PeerRequest refusedProtocol() {
    StandardRetryStrategy strategy = atOnce(RetryBudget.tokenBucket(0, REFUNDED));
    IOException failure = new OwnFailure();
    return () -> {
      RetryToken first = strategy.acquireInitialToken();
      try {
        return strategy.refreshRetryToken(first, failure);
      } catch (TokenAcquisitionFailedException refused) {
        return refused;
      }
    };
  }

  /** Without a delay, and with a rule for the failure of the benchmarks. */
  private static StandardRetryStrategy atOnce(RetryBudget budget) {
    return strategy(Backoff.none(), budget).toBuilder()
        .classifier(Classifier.defaults().with(FailureRule.retryOn(OwnFailure.class)))
        .build();
  }

  private static StandardRetryStrategy strategy(Backoff backoff, RetryBudget budget) {
    return RetryStrategies.of(backoff, Classifier.defaults(), PeerSetting.DEFAULTS.maxAttempts)
        .toBuilder()
        .budget(budget)
        .build();
  }
}
