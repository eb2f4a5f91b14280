package dev.reprise.core.budget;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** Two threads at one token bucket. */
class TokenBucketRaces {
  private static final RetryInfo FAILURE = () -> RetrySafety.YES;
  private static final TokenPrices FIVE = new TokenPrices(5_000, 5_000, 5_000, 1_000, true);

  private TokenBucketRaces() {}

  @JCStressTest
  @State
  @Outcome(id = "5000, -1, 2000", expect = Expect.ACCEPTABLE, desc = "The first was paid for.")
  @Outcome(id = "-1, 5000, 2000", expect = Expect.ACCEPTABLE, desc = "The second was paid for.")
  public static class WhenThereIsOneRetryLeftOneGetsIt {
    private final RetryBudget budget = RetryBudget.tokenBucket(7, FIVE);

    @Actor
    public void first(IIJ_Result result) {
      result.r1 = budget.tryWithdraw(FAILURE, 0);
    }

    @Actor
    public void second(IIJ_Result result) {
      result.r2 = budget.tryWithdraw(FAILURE, 0);
    }

    @Arbiter
    public void balance(IIJ_Result result) {
      result.r3 = budget.balanceMilliTokens(0);
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "5000, 5000, 2000", expect = Expect.ACCEPTABLE, desc = "The refund came first.")
  @Outcome(id = "5000, -1, 7000", expect = Expect.ACCEPTABLE, desc = "The refund came last.")
  public static class WhatIsGivenBackCanBeTakenOnce {
    private final RetryBudget budget = RetryBudget.tokenBucket(7, FIVE);
    private final int cost = budget.tryWithdraw(FAILURE, 0);

    @Actor
    public void success(IIJ_Result result) {
      budget.recordSuccess(cost);
      result.r1 = cost;
    }

    @Actor
    public void retry(IIJ_Result result) {
      result.r2 = budget.tryWithdraw(FAILURE, 0);
    }

    @Arbiter
    public void balance(IIJ_Result result) {
      result.r3 = budget.balanceMilliTokens(0);
    }
  }

  /** The bucket is untouched: a success at that moment may find it full, or just no longer. */
  @JCStressTest
  @State
  @Outcome(id = "5000, 15000", expect = Expect.ACCEPTABLE, desc = "The success found it full.")
  @Outcome(id = "5000, 16000", expect = Expect.ACCEPTABLE, desc = "The success came last.")
  public static class ASuccessBesideTheFirstWithdrawal {
    /** Far from 0, as the clock of a real machine is. */
    private static final long NOW = Long.MIN_VALUE + 7;

    private final RetryBudget budget = RetryBudget.tokenBucket(20, FIVE, 1);

    @Actor
    public void retry(IJ_Result result) {
      result.r1 = budget.tryWithdraw(FAILURE, NOW);
    }

    @Actor
    public void success() {
      budget.recordSuccess(0);
    }

    @Arbiter
    public void balance(IJ_Result result) {
      result.r2 = budget.balanceMilliTokens(NOW);
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "1000, -1, 0", expect = Expect.ACCEPTABLE, desc = "The first got what time paid.")
  @Outcome(id = "-1, 1000, 0", expect = Expect.ACCEPTABLE, desc = "The second got it.")
  public static class ASecondPaysForOneRetryOnly {
    private static final long SECOND = 1_000_000_000L;

    private final RetryBudget budget = RetryBudget.ratio(0.1, 1, 1);

    public ASecondPaysForOneRetryOnly() {
      budget.tryWithdraw(FAILURE, 0);
    }

    @Actor
    public void first(IIJ_Result result) {
      result.r1 = budget.tryWithdraw(FAILURE, SECOND);
    }

    @Actor
    public void second(IIJ_Result result) {
      result.r2 = budget.tryWithdraw(FAILURE, SECOND);
    }

    @Arbiter
    public void balance(IIJ_Result result) {
      result.r3 = budget.balanceMilliTokens(SECOND);
    }
  }
}
