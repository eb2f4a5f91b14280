package dev.reprise.core.strategy;

import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The strategy for most programs: bounded attempts, a growing delay with jitter, and a budget that
 * keeps retries to a share of the traffic (Smithy guide "Retrying Requests").
 *
 * <p>What follows a failed attempt is decided in this order, and the budget is charged last, so
 * that a retry that is refused costs nothing:
 *
 * <ol>
 *   <li>Is a retry safe? {@code NO} is final; {@code MAYBE} needs an idempotent operation.
 *   <li>Are attempts left?
 *   <li>Does the other side ask for a longer wait than the ceiling?
 *   <li>Would the next attempt start before the deadline?
 *   <li>Can the budget pay?
 * </ol>
 *
 * <p>The delay starts from a base that the latest failure chooses, throttle or not, and grows with
 * the number of all retries. A hint makes it longer, never shorter. Immutable but for its budget,
 * and thread-safe; share one among all calls of a client.
 */
public final class StandardRetryStrategy extends TokenIssuer {
  private final RetryPolicy policy;
  private final Backoff throttleBackoff;
  private final boolean clampsHints;
  private final boolean delaysLongPolls;
  private final Classifier classifier;
  private final ScopedBudgets budgets;
  private final RandomGenerator random;
  private final LongSupplier nanoClock;

  private StandardRetryStrategy(Builder builder) {
    this.policy = new RetryPolicy(builder.backoff, builder.maxAttempts - 1, builder.hintCeiling);
    this.throttleBackoff = builder.throttleBackoff;
    this.clampsHints = builder.clampsHints;
    this.delaysLongPolls = builder.delaysLongPolls;
    this.classifier = builder.classifier;
    this.budgets = builder.budgets();
    this.random = builder.random;
    this.nanoClock = builder.nanoClock;
  }

  /** Returns a builder with the numbers of {@link StandardProfile#REPRISE_DEFAULT}. */
  public static Builder builder() {
    return builder(StandardProfile.REPRISE_DEFAULT);
  }

  /** Returns a builder with the numbers of the profile. */
  public static Builder builder(StandardProfile profile) {
    return new Builder(Objects.requireNonNull(profile, "profile"));
  }

  /**
   * Returns a builder that builds an equal strategy. It shares the budget of this one unless it is
   * given another, so a variant for some calls does not widen what all calls may cost.
   */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Returns how many attempts a call may make, the first one counted. */
  public int maxAttempts() {
    return policy.maxRetries() + 1;
  }

  /** Returns what tells which failures are worth a retry. */
  public Classifier classifier() {
    return classifier;
  }

  /** Returns the budgets that pay for retries, to be watched, or to be shared with others. */
  public ScopedBudgets budgets() {
    return budgets;
  }

  @Override
  boolean pacesFirstAttempts() {
    return false;
  }

  @Override
  void recordFirstSuccess(Operation operation) {
    budgets.recordFirstSuccess(operation.scope());
  }

  @Override
  CallState begin(Operation operation) {
    return new CallState(operation, operation.scope() == null ? budgets.of(null, 0) : null);
  }

  @Override
  Object beginLate(Operation operation) {
    return operation;
  }

  @Override
  CallState decideFirst(Operation operation, Throwable thrown, @Nullable CallState latest) {
    Verdict failure = classifier.classify(thrown);
    Duration hint = failure.retryAfter();
    StopReason refusal =
        policy.refusal(0, failure, operation.idempotent(), clampsHints ? null : hint);
    RetryBudget budget = null;
    long delayNanos = 0;
    int costMilliTokens = 0;
    if (refusal == null) {
      delayNanos = delayNanos(1, failure, hint);
      budget = budgetOf(operation);
      costMilliTokens = budget.tryWithdraw(failure, nowNanos(budget));
      if (costMilliTokens == RetryBudget.DENIED) {
        refusal = StopReason.BUDGET;
        delayNanos = pauseNanos(operation, delayNanos);
      }
    }
    if (delayNanos > 0) {
      // Beside a wait an object costs nothing, and drawn delays are never the same.
      CallState call = new CallState(operation, budget);
      call.decideFirst(failure, refusal, costMilliTokens, delayNanos);
      return call;
    }
    return FirstDecision.of(latest, operation, budget, failure, refusal, costMilliTokens);
  }

  @Override
  boolean decide(CallState call, Throwable failure, long remainingNanos) {
    return decide(call, classifier.classify(failure), remainingNanos, 0);
  }

  /** Returns the time of this strategy, for those that are built on it. */
  LongSupplier nanoClock() {
    return nanoClock;
  }

  /** Returns the verdict of the strategy's classifier on the failure. */
  public Verdict classify(Throwable failure) {
    return classifier.classify(failure);
  }

  /**
   * Decides on a failure that is classified.
   *
   * @param paceNanos how long the retry must wait for another reason, at least 0; it counts for the
   *     deadline, but not for {@link CallState#delayNanos}
   */
  boolean decide(CallState call, Verdict failure, long remainingNanos, long paceNanos) {
    call.failure = failure;

    // A hint that is cut ends nothing.
    Duration hint = failure.retryAfter();
    StopReason refusal =
        policy.refusal(
            call.attempt - 1, failure, call.operation.idempotent(), clampsHints ? null : hint);
    if (refusal != null) {
      return call.stop(refusal);
    }

    long delayNanos = delayNanos(call.attempt, failure, hint);
    long waitNanos = Math.max(delayNanos, paceNanos);
    if (RetryPolicy.isTooLate(waitNanos, remainingNanos)) {
      call.missedDeadline = new CallState.MissedDeadline(waitNanos, remainingNanos);
      return call.stop(StopReason.DEADLINE);
    }

    // Last, so that what is refused above costs nothing. A long poll comes back at once whatever
    // happens, and must not do so faster than a retry would.
    int costMilliTokens = withdraw(call, failure);
    if (costMilliTokens == RetryBudget.DENIED) {
      return call.stopAfter(pauseNanos(call.operation, delayNanos), StopReason.BUDGET);
    }

    call.attempt++;
    call.lastCostMilliTokens = costMilliTokens;
    call.delayNanos = delayNanos;
    return true;
  }

  /** Returns how long to wait before the failure is surfaced that the budget does not retry. */
  private long pauseNanos(Operation operation, long delayNanos) {
    return delaysLongPolls && operation.longPoll() ? delayNanos : 0;
  }

  /** Returns the delay before a retry, whose number is that of the attempt that failed. */
  private long delayNanos(int retry, Verdict failure, @Nullable Duration hint) {
    Backoff byClass = failure.isThrottle() ? throttleBackoff : policy.backoff();
    long ownNanos = byClass.delayNanos(retry, random);
    if (hint == null) {
      return ownNanos;
    }
    if (!clampsHints) {
      return Math.max(ownNanos, hint.toNanos());
    }
    Duration own = Duration.ofNanos(ownNanos);
    Duration beyond = hint.minus(own);
    if (beyond.isNegative()) {
      return ownNanos;
    }
    return beyond.compareTo(policy.hintCeiling()) > 0
        ? saturatedSum(ownNanos, policy.hintCeiling().toNanos())
        : hint.toNanos();
  }

  private static long saturatedSum(long nanos, long more) {
    return nanos > Long.MAX_VALUE - more ? Long.MAX_VALUE : nanos + more;
  }

  @Override
  void recordSuccess(CallState call) {
    if (call.budget == null) {
      budgets.recordFirstSuccess(call.operation.scope());
    } else {
      call.budget.recordSuccess(call.lastCostMilliTokens);
    }
  }

  @Override
  void abandon(CallState call) {
    call.refundLastCost();
  }

  @Override
  boolean payForHedge(CallState call) {
    // A hedge is an attempt, and the promise of maxAttempts holds for all of them.
    if (call.attempt >= maxAttempts()) {
      return false;
    }

    // Not noted as the last cost: a success must not give back what a hedge cost, or operations
    // that are merely slow would always be made twice.
    if (withdraw(call, HedgePrice.INSTANCE) == RetryBudget.DENIED) {
      return false;
    }
    call.attempt++;
    return true;
  }

  @Override
  boolean isThrottle(CallState call, Throwable failure) {
    return classifier.classify(failure).isThrottle();
  }

  @Override
  StandardRetryStrategy standard() {
    return this;
  }

  /**
   * Returns the longest wait that the other side may ask for, or null if no hint ends an operation
   * because longer ones are cut.
   */
  public @Nullable Duration longestHint() {
    return clampsHints ? null : policy.hintCeiling();
  }

  @Override
  Supplier<String> explanation(CallState call) {
    long nowNanos = call.budget == null ? 0 : nowNanos(call.budget);
    return Explanation.of(call, maxAttempts(), policy.hintCeiling(), nowNanos);
  }

  private int withdraw(CallState call, RetryInfo failure) {
    RetryBudget budget = call.budget;
    if (budget == null) {
      budget = budgetOf(call.operation);
      call.budget = budget;
    }
    return budget.tryWithdraw(failure, nowNanos(budget));
  }

  private RetryBudget budgetOf(Operation operation) {
    String scope = operation.scope();
    return budgets.of(scope, scope == null ? 0 : nanoClock.getAsLong());
  }

  private long nowNanos(RetryBudget budget) {
    return budget.fillsWithTime() ? nanoClock.getAsLong() : 0;
  }

  @Override
  public String toString() {
    return "standard retry strategy: maxAttempts "
        + maxAttempts()
        + ", backoff "
        + policy.backoff()
        + ", after a throttle "
        + throttleBackoff
        + ", "
        + budgets;
  }

  /** Builds a {@link StandardRetryStrategy}. Not thread-safe. */
  public static final class Builder {
    private int maxAttempts;
    private Backoff backoff;
    private Backoff throttleBackoff;
    private Duration hintCeiling;
    private boolean clampsHints;
    private boolean delaysLongPolls;
    private Classifier classifier;
    private final @Nullable StandardProfile profile;
    private @Nullable ScopedBudgets budgets;
    private RandomGenerator random;
    private LongSupplier nanoClock;

    private Builder(StandardProfile profile) {
      this.maxAttempts = profile.maxAttempts();
      this.backoff = profile.backoff();
      this.throttleBackoff = profile.throttleBackoff();
      this.hintCeiling = profile.hintCeiling();
      this.clampsHints = profile.clampsHints();
      this.delaysLongPolls = profile.delaysLongPolls();
      this.classifier = Classifier.defaults();
      this.profile = profile;
      this.random = ThreadRandom.INSTANCE;
      this.nanoClock = SystemNanoClock.INSTANCE;
    }

    private Builder(StandardRetryStrategy built) {
      this.maxAttempts = built.maxAttempts();
      this.backoff = built.policy.backoff();
      this.throttleBackoff = built.throttleBackoff;
      this.hintCeiling = built.policy.hintCeiling();
      this.clampsHints = built.clampsHints;
      this.delaysLongPolls = built.delaysLongPolls;
      this.classifier = built.classifier;
      this.profile = null;
      this.budgets = built.budgets;
      this.random = built.random;
      this.nanoClock = built.nanoClock;
    }

    /**
     * Sets how many attempts a call may make, the first one counted: 1 is no retry.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = StandardProfile.requireMaxAttempts(maxAttempts);
      return this;
    }

    /** Sets the delay before retries, but for those after a throttle. */
    public Builder backoff(Backoff backoff) {
      this.backoff = Objects.requireNonNull(backoff, "backoff");
      return this;
    }

    /** Sets the delay before retries after a throttle. */
    public Builder throttleBackoff(Backoff backoff) {
      this.throttleBackoff = Objects.requireNonNull(backoff, "throttleBackoff");
      return this;
    }

    /**
     * Sets the longest wait that the other side may ask for; a longer one ends the operation with
     * {@link StopReason#HINT_TOO_LONG}. If the profile clamps hints, it is the time by which a hint
     * may lengthen a delay.
     *
     * @throws IllegalArgumentException when it is negative, or longer than 292 years
     */
    public Builder hintCeiling(Duration ceiling) {
      this.hintCeiling = StandardProfile.requireNanos("hintCeiling", ceiling);
      return this;
    }

    /** Sets what tells which failures are worth a retry; default {@link Classifier#defaults()}. */
    public Builder classifier(Classifier classifier) {
      this.classifier = Objects.requireNonNull(classifier, "classifier");
      return this;
    }

    /** Sets one budget that pays for the retries of all scopes. Other strategies may share it. */
    public Builder budget(RetryBudget budget) {
      return budgets(ScopedBudgets.shared(budget));
    }

    /**
     * Sets the budgets that pay for retries, which other strategies may share; default new ones for
     * each strategy that is built, one for each scope.
     */
    public Builder budgets(ScopedBudgets budgets) {
      this.budgets = Objects.requireNonNull(budgets, "budgets");
      return this;
    }

    /** Sets where jitter is drawn from, by many threads at once; default each thread's own. */
    public Builder random(RandomGenerator random) {
      this.random = Objects.requireNonNull(random, "random");
      return this;
    }

    /**
     * Sets the monotonic time for budgets that fill with time, in nanoseconds; default {@link
     * System#nanoTime()}.
     */
    public Builder nanoClock(LongSupplier nanoClock) {
      this.nanoClock = Objects.requireNonNull(nanoClock, "nanoClock");
      return this;
    }

    private ScopedBudgets budgets() {
      return budgets == null ? Objects.requireNonNull(profile).budgets() : budgets;
    }

    /** Returns the strategy. */
    public StandardRetryStrategy build() {
      return new StandardRetryStrategy(this);
    }
  }
}
