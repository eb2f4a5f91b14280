package dev.reprise.core.retry;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.core.strategy.StrategyDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Retry}. Not thread-safe. */
public final class RetryBuilder {
  private String name = "retry";
  private @Nullable RetryStrategy strategy;

  /** The strategy that another builder made, for a retry of which this changes settings. */
  private @Nullable StandardRetryStrategy inherited;

  private @Nullable Integer maxAttempts;
  private @Nullable Backoff backoff;
  private @Nullable RetryBudget budget;
  private final List<FailureRule> failureRules = new ArrayList<>();
  private Operation operation = Operation.DEFAULT;
  private @Nullable Duration deadline;
  private @Nullable Duration attemptTimeout;
  private @Nullable Hedging hedging;
  private @Nullable RetryListener listener;
  private @Nullable ContextCapture context;
  private @Nullable Executor executor;
  private TimeSource time = TimeSource.system();
  private @Nullable Predicate<? super Throwable> abortCondition;
  private final List<ResultRule<?>> resultRules = new ArrayList<>();
  private Consumer<Object> discard = CloseResult.INSTANCE;

  RetryBuilder() {}

  RetryBuilder(RetrySettings settings) {
    this.name = settings.name();
    if (settings.isOwnStrategy() && settings.strategy() instanceof StandardRetryStrategy made) {
      this.inherited = made;
    } else {
      this.strategy = settings.strategy();
    }
    this.operation = settings.operation();
    this.deadline = settings.deadline();
    this.attemptTimeout = settings.attemptTimeout();
    this.hedging = settings.hedging();
    this.listener = settings.listener();
    this.context = settings.threads().context();
    this.executor = settings.threads().executor();
    this.time = settings.threads().time();
    this.abortCondition = settings.judge().abortCondition();
    this.resultRules.addAll(settings.judge().resultRules());
    this.discard = settings.discard();
  }

  /** Sets the name that events and meters carry; default {@code retry}. */
  public RetryBuilder name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Sets how many attempts a call may make, the first one counted: 1 is no retry. Default 3.
   *
   * @throws InvalidSettingException if it is less than 1
   */
  public RetryBuilder maxAttempts(int maxAttempts) {
    if (maxAttempts < 1) {
      throw new InvalidSettingException("maxAttempts", maxAttempts, "must be >= 1");
    }
    this.maxAttempts = maxAttempts;
    return this;
  }

  /**
   * Sets the delays of all retries. Default: exponential with full jitter, from 100 ms (from 1 s
   * after a throttle) to 20 s.
   */
  public RetryBuilder backoff(Backoff backoff) {
    this.backoff = Objects.requireNonNull(backoff, "backoff");
    return this;
  }

  /**
   * Retries failures of these types, or with such a cause, also if the operation is not idempotent.
   * It adds to what {@link Classifier#defaults()} retries, and several calls add up. Interrupts,
   * cancellation and {@link Error}s are never retried, nor what {@link #abortIf} names; a failure
   * that says of itself that it must not be retried is not either.
   *
   * @throws IllegalArgumentException if no type is given
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // FailureRule copies it at once.
  public final RetryBuilder retryOn(Class<? extends Throwable>... types) {
    failureRules.add(FailureRule.retryOn(types));
    return this;
  }

  /**
   * Retries failures that meet the condition, or with such a cause; see {@link #retryOn}. A failure
   * that may have taken effect is better left to {@link FailureRule#maybeRetryIf}.
   */
  public RetryBuilder retryIf(Predicate<? super Throwable> condition) {
    failureRules.add(FailureRule.retryIf(Objects.requireNonNull(condition, "condition")));
    return this;
  }

  /**
   * Sets the budget that pays for the retries of all scopes, which others may share. Default: one
   * of its own for each {@code Retry} and scope, of 500 tokens.
   */
  public RetryBuilder budget(RetryBudget budget) {
    this.budget = Objects.requireNonNull(budget, "budget");
    return this;
  }

  /**
   * Sets the strategy that decides. It brings its own {@link #maxAttempts}, {@link #backoff}, rules
   * and {@link #budget}, so {@link #build} refuses those beside it, also when it was set before
   * {@link Retry#toBuilder}. A strategy that several share has one budget for all of them. Default:
   * {@link RetryStrategies#standard()}, one for each {@code Retry}.
   */
  public RetryBuilder strategy(RetryStrategy strategy) {
    this.strategy = Objects.requireNonNull(strategy, "strategy");
    return this;
  }

  /**
   * Sets what the strategy must know of the operations; default {@link Operation#DEFAULT}. It
   * replaces both what {@link #idempotent} and what {@link #scope} set before; called after this,
   * each of them changes its own part and keeps the other.
   */
  public RetryBuilder operation(Operation operation) {
    this.operation = Objects.requireNonNull(operation, "operation");
    return this;
  }

  /**
   * Declares whether operations may be repeated although they may have taken effect: reads, and
   * writes that carry an idempotency key. Default false: then only failures are retried of which it
   * is certain that nothing happened.
   */
  public RetryBuilder idempotent(boolean idempotent) {
    this.operation = operation.withIdempotent(idempotent);
    return this;
  }

  /** Sets the scope whose budget is used, such as the name of a host; null is the default scope. */
  public RetryBuilder scope(@Nullable String scope) {
    this.operation = operation.withScope(scope);
    return this;
  }

  /**
   * Sets how long an operation may take with all attempts and waits. No attempt starts after the
   * deadline, and a wait that would end after it is not begun. An attempt that is under way is cut
   * off at the deadline when it is asynchronous or when an attempt timeout is set; a blocking one
   * on the calling thread is not. Default: no deadline.
   *
   * @throws IllegalArgumentException when it is not between 1 ns and 292 years
   */
  public RetryBuilder deadline(Duration deadline) {
    this.deadline = requireTime("deadline", deadline);
    return this;
  }

  /**
   * Sets how long one attempt may take, hedges included. An attempt that takes longer is cancelled,
   * or interrupted when it is blocking, and fails with {@link AttemptTimeoutException}. Blocking
   * attempts then run on the executor. It is retried only when the operation is declared {@link
   * #idempotent}, for it may have taken effect. Default: no timeout.
   *
   * <p>What hangs on the calling thread (MDC, security context, span) is in those attempts only if
   * a {@link #context} carries it, and a transaction of the caller never is: what they write is
   * outside of it. A transaction that the operation itself begins is begun in each attempt.
   *
   * @throws IllegalArgumentException when it is not between 1 ns and 292 years
   */
  public RetryBuilder attemptTimeout(Duration attemptTimeout) {
    this.attemptTimeout = requireTime("attemptTimeout", attemptTimeout);
    return this;
  }

  /**
   * Starts further attempts beside one that is slow. Only for operations that are declared
   * idempotent, since more than one of the attempts may take effect. A strategy that is not of
   * {@link RetryStrategies} cannot pay for hedges: {@link #build} refuses it, and calls that begin
   * after a replaceable strategy was replaced with one have none. Default: no hedging.
   *
   * <p>All attempts of a blocking operation then run on the executor, and hedges of an asynchronous
   * one; of the calling thread they have what a {@link #context} carries.
   */
  public RetryBuilder hedging(Hedging hedging) {
    this.hedging = Objects.requireNonNull(hedging, "hedging");
    return this;
  }

  /**
   * Never retries a failure that meets the condition, whatever the strategy makes of it. Several
   * conditions add up. To retry more than the strategy does, give it a classifier with more rules.
   */
  public RetryBuilder abortIf(Predicate<? super Throwable> condition) {
    Objects.requireNonNull(condition, "condition");
    Predicate<? super Throwable> before = abortCondition;
    this.abortCondition =
        before == null ? condition : failure -> before.test(failure) || condition.test(failure);
    return this;
  }

  /**
   * Retries results of the type that meet the condition as if they were failures that are safe to
   * repeat. When no attempt follows, the caller gets the last such result.
   *
   * <p>Null is a result of every type: {@code retryOnResult(Object.class, Objects::isNull)} retries
   * it. A condition that throws {@link NullPointerException} for null does not meet it. Operations
   * of {@link Retry#run} have no result.
   */
  public <R> RetryBuilder retryOnResult(Class<R> type, Predicate<? super R> condition) {
    Objects.requireNonNull(condition, "condition");
    return classifyResult(type, result -> condition.test(result) ? MeetsCondition.INSTANCE : null);
  }

  /**
   * Treats results of the type as failures when the rule says what is known of them, and accepts
   * them when it returns null. When no attempt follows, the caller gets the last such result. Null
   * is a result of every type, as with {@link #retryOnResult}.
   */
  public <R> RetryBuilder classifyResult(
      Class<R> type, Function<? super R, ? extends @Nullable RetryInfo> rule) {
    resultRules.add(
        new ResultRule<>(
            Objects.requireNonNull(type, "type"), Objects.requireNonNull(rule, "rule")));
    return this;
  }

  /**
   * Sets the consumer of results that the caller does not get: one that is not accepted, of a hedge
   * that lost, or that comes after its attempt was cut off. Called once for each, before the next
   * attempt. Default: {@link AutoCloseable}s are closed.
   */
  public RetryBuilder onDiscard(Consumer<Object> discard) {
    this.discard = Objects.requireNonNull(discard, "discard");
    return this;
  }

  /** Adds a listener, which is told of every attempt after those that were added before. */
  public RetryBuilder listener(RetryListener listener) {
    Objects.requireNonNull(listener, "listener");
    this.listener = this.listener == null ? listener : this.listener.andThen(listener);
    return this;
  }

  /**
   * Sets what is carried from the calling thread to attempts and listeners that run on another:
   * attempts 2 and later of {@link Retry#callAsync}, all of {@link Retry#submit}, and all of {@link
   * Retry#call} with an {@link #attemptTimeout} or {@link #hedging}. It replaces one that was set;
   * {@link ContextCapture#and} joins two. Default: nothing is carried, and costs nothing.
   */
  public RetryBuilder context(ContextCapture context) {
    this.context = Objects.requireNonNull(context, "context");
    return this;
  }

  /**
   * Sets where attempts run that do not run on the calling thread. Default: the common pool for
   * asynchronous operations (two daemon threads of our own where a machine is too small for it),
   * and daemon threads of our own for blocking ones.
   */
  public RetryBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Sets the time to run in; tests set a virtual one. Default {@link TimeSource#system()}. A budget
   * that fills with time follows it too, unless it is that of a {@link #strategy}, which has a
   * clock of its own: set {@link StandardRetryStrategy.Builder#nanoClock} to the same time.
   */
  public RetryBuilder time(TimeSource time) {
    this.time = Objects.requireNonNull(time, "time");
    return this;
  }

  /**
   * Returns the retry.
   *
   * @throws InvalidSettingException if hedging is set for operations that are not idempotent, or
   *     with a strategy that cannot pay for hedges; if a strategy is set, and beside it what a
   *     strategy decides
   */
  public Retry build() {
    RetryStrategy decides = decides();
    StrategyDriver driver = StrategyDriver.of(decides);
    RetrySettings settings =
        new RetrySettings(
            name,
            decides,
            strategy == null,
            operation,
            deadline,
            attemptTimeout,
            hedging,
            listener,
            new RetryThreads(name, time, executor, context),
            new Judge(name, abortCondition, List.copyOf(resultRules)),
            discard);
    if (hedging != null && !driver.paysForHedges()) {
      throw new InvalidSettingException(
          "hedging", hedging, "needs a strategy of RetryStrategies, which can pay for it");
    }
    return new Retry(settings, driver);
  }

  private RetryStrategy decides() {
    if (strategy == null) {
      return inherited == null ? standard() : inherited(inherited);
    }
    refuseBesideStrategy("maxAttempts", maxAttempts);
    refuseBesideStrategy("backoff", backoff);
    refuseBesideStrategy("retryOn", failureRules.isEmpty() ? null : "set");
    refuseBesideStrategy("budget", budget);
    return strategy;
  }

  private static void refuseBesideStrategy(String name, @Nullable Object value) {
    if (value != null) {
      throw new InvalidSettingException(
          name,
          value,
          "must not be set beside a strategy, which decides it; StandardRetryStrategy.toBuilder"
              + " makes another one");
    }
  }

  private RetryStrategy standard() {
    StandardRetryStrategy.Builder standard = StandardRetryStrategy.builder();
    if (time != TimeSource.system()) {
      standard.nanoClock(time::nanoTime);
    }
    return changed(standard, Classifier.defaults());
  }

  /** Returns the strategy that another builder made, with what this builder was told beside it. */
  private RetryStrategy inherited(StandardRetryStrategy made) {
    if (maxAttempts == null && backoff == null && budget == null && failureRules.isEmpty()) {
      return made;
    }
    StandardRetryStrategy.Builder standard = made.toBuilder();
    // A budget that is shared keeps the clock by which it was filled until now.
    if (budget != null) {
      standard.nanoClock(time::nanoTime);
    }
    return changed(standard, made.classifier());
  }

  private RetryStrategy changed(StandardRetryStrategy.Builder standard, Classifier classifier) {
    if (maxAttempts != null) {
      standard.maxAttempts(maxAttempts);
    }
    if (backoff != null) {
      standard.backoff(backoff).throttleBackoff(backoff);
    }
    if (budget != null) {
      standard.budget(budget);
    }
    return standard.classifier(classifier.with(failureRules.toArray(new FailureRule[0]))).build();
  }

  static Duration requireTime(String name, Duration time) {
    Objects.requireNonNull(time, name);
    if (time.isNegative()
        || time.isZero()
        || time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
      throw new InvalidSettingException(name, time, "must be between 1 ns and 292 years");
    }
    return time;
  }
}
