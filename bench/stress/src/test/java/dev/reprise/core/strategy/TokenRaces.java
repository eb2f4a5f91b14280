package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.RetryToken;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads with one token. Attempt 0 stands for a token that was refused as used. */
class TokenRaces {
  private static final class Failure extends RuntimeException implements RetryInfo {
    private static final long serialVersionUID = 1;

    Failure() {
      super("failed", null, false, false);
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }

  private TokenRaces() {}

  /** A strategy whose retries cost 5 of 500 tokens, and the token of a second attempt. */
  private static final class Subject {
    final Failure failure = new Failure();
    final RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    final StandardRetryStrategy strategy =
        StandardRetryStrategy.builder(StandardProfile.SMITHY_GUIDE).budget(budget).build();
    final RetryToken token =
        strategy.refreshRetryToken(strategy.acquireInitialToken(Operation.DEFAULT), failure);

    int refresh() {
      try {
        return strategy.refreshRetryToken(token, failure).attempt();
      } catch (IllegalArgumentException usedBefore) {
        return 0;
      }
    }

    int succeed() {
      try {
        strategy.recordSuccess(token);
        return 1;
      } catch (IllegalArgumentException usedBefore) {
        return 0;
      }
    }

    long balance() {
      return budget.balanceMilliTokens(0);
    }
  }

  /** Without anything around it, so that the two threads meet often. */
  @JCStressTest
  @State
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The first has it.")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The second has it.")
  public static class OfTwoUsesOneWins {
    private final RetryToken token =
        IssuedToken.of(RetryStrategies.noRetry(), new CallState(Operation.DEFAULT, null));

    @Actor
    public void first(II_Result result) {
      result.r1 = use();
    }

    @Actor
    public void second(II_Result result) {
      result.r2 = use();
    }

    private int use() {
      try {
        IssuedToken.use(token, RetryStrategies.noRetry());
        return 1;
      } catch (IllegalArgumentException usedBefore) {
        return 0;
      }
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "3, 0, 490000", expect = Expect.ACCEPTABLE, desc = "The first made the retry.")
  @Outcome(id = "0, 3, 490000", expect = Expect.ACCEPTABLE, desc = "The second made the retry.")
  public static class OfTwoRefreshesOneWins {
    private final Subject subject = new Subject();

    @Actor
    public void first(IIJ_Result result) {
      result.r1 = subject.refresh();
    }

    @Actor
    public void second(IIJ_Result result) {
      result.r2 = subject.refresh();
    }

    @Arbiter
    public void balance(IIJ_Result result) {
      result.r3 = subject.balance();
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "3, 0, 490000", expect = Expect.ACCEPTABLE, desc = "The retry is made.")
  @Outcome(id = "0, 1, 496000", expect = Expect.ACCEPTABLE, desc = "The success is recorded.")
  public static class AnAttemptFailsOrSucceeds {
    private final Subject subject = new Subject();

    @Actor
    public void failure(IIJ_Result result) {
      result.r1 = subject.refresh();
    }

    @Actor
    public void success(IIJ_Result result) {
      result.r2 = subject.succeed();
    }

    @Arbiter
    public void balance(IIJ_Result result) {
      result.r3 = subject.balance();
    }
  }
}
