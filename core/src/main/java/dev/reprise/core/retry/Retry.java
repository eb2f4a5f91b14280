package dev.reprise.core.retry;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.Operation;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StrategyDriver;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations, and retries those that fail.
 *
 * <pre>{@code
 * Retry retry = Retry.ofDefaults();
 * String body = retry.call(() -> client.fetch(url));
 * }</pre>
 *
 * <p>The first attempt is made at once, on the calling thread. When it fails, the strategy decides:
 * whether the failure is worth a retry at all (an unclassified failure is not), whether attempts,
 * deadline and budget are left, and how long to wait. When there is no further attempt, the
 * operation's own last failure is thrown, unchanged; earlier failures are attached to it, at most
 * ten, and a {@link RetryStoppedException} that tells why it ended. Interrupts, cancellation and
 * {@link Error}s are never retried.
 *
 * <p><b>Idempotent operations.</b> A refused connection is retried as it is, for nothing can have
 * happened. A connection that broke, or a read that timed out, may have taken effect: such failures
 * are retried only after {@link RetryBuilder#idempotent idempotent(true)}.
 *
 * <p><b>Layers.</b> What an inner {@code Retry} gave up on, an outer one does not try again, or
 * three layers of three attempts would make 27 calls of one. A failure that is wrapped into another
 * on its way is not recognised; layers that do so should share a budget.
 *
 * <p>One {@code Retry} serves any number of operations and threads at once, and should: what they
 * share, the budget, is what keeps a thousand failing callers from becoming three thousand.
 * Immutable and thread-safe.
 */
public final class Retry {
  private final RetrySettings settings;
  private final StrategyDriver driver;
  private final RetryEngine engine;

  /** True when a first attempt that succeeds needs nothing but to be recorded. */
  private final boolean plain;

  /** True when it needs the time at which it started too. */
  private final boolean timed;

  /** The same for asynchronous ones: their context is captured before the first attempt. */
  private final boolean plainAsync;

  Retry(RetrySettings settings, StrategyDriver driver) {
    this.settings = settings;
    this.driver = driver;
    this.engine = new RetryEngine(settings, driver);
    this.plain = settings.isPlain();
    this.timed = !plain && settings.isPlainButForTime();
    this.plainAsync = plain && settings.threads().context() == null;
  }

  /**
   * Returns a new retry with all defaults: 3 attempts, exponential backoff with full jitter from
   * 100 ms to 20 s, and a budget of its own.
   */
  public static Retry ofDefaults() {
    return builder().build();
  }

  /** Returns a retry that asks the strategy, which may be shared with others. */
  public static Retry of(RetryStrategy strategy) {
    return builder().strategy(strategy).build();
  }

  /** Returns a builder with all defaults. */
  public static RetryBuilder builder() {
    return new RetryBuilder();
  }

  /**
   * Returns a builder with the settings of this.
   *
   * <p>Unless the strategy of this was set with {@link RetryBuilder#strategy}, attempts, backoff,
   * rules and budget can be changed: {@code retry.toBuilder().maxAttempts(2).build()}. The new
   * retry then has a strategy of its own, with all other settings of this one; rules are added to
   * those of this one. It pays from the budget of this one, so that a variant for some calls does
   * not widen what all calls may cost, until it is given one with {@link RetryBuilder#budget}. If
   * none of these is changed, it shares the strategy too. A strategy that was set is always shared,
   * and {@link RetryBuilder#build} refuses those settings beside it.
   *
   * <p>For what one call knows better, {@link #withIdempotent}, {@link #withScope} and {@link
   * #withDeadline} are shorter.
   */
  public RetryBuilder toBuilder() {
    return new RetryBuilder(settings);
  }

  /**
   * Returns this retry for operations that may, or may not, be repeated although they may have
   * taken effect. It shares everything else, the budget among it, and is cheap enough for one call:
   *
   * <pre>{@code
   * retry.withIdempotent(true).call(() -> client.fetch(url));
   * }</pre>
   *
   * @throws InvalidSettingException if hedging is set, which only idempotent operations can have
   */
  public Retry withIdempotent(boolean idempotent) {
    return withOperation(engine.operation.withIdempotent(idempotent));
  }

  /**
   * Returns this retry for operations of a scope, such as the name of a host; null is the default
   * scope. It shares everything else, and is cheap enough for one call.
   */
  public Retry withScope(@Nullable String scope) {
    return withOperation(engine.operation.withScope(scope));
  }

  /**
   * Returns this retry for operations of which the strategy must know this; it shares everything
   * else, and is cheap enough for one call.
   *
   * @throws InvalidSettingException if hedging is set, which only idempotent operations can have
   */
  public Retry withOperation(Operation operation) {
    Objects.requireNonNull(operation, "operation");
    return operation.equals(engine.operation)
        ? this
        : new Retry(settings.with(operation, settings.deadline(), settings.listener()), driver);
  }

  /**
   * Returns this retry for operations that may take so long, as {@link RetryBuilder#deadline} says;
   * it shares everything else, and is cheap enough for one call.
   *
   * @throws InvalidSettingException if it is not between 1 ns and 292 years
   */
  public Retry withDeadline(Duration deadline) {
    return new Retry(
        settings.with(
            engine.operation, RetryBuilder.requireTime("deadline", deadline), settings.listener()),
        driver);
  }

  /**
   * Returns this retry with one listener more, told after the others; it shares everything else,
   * and is cheap enough for one call.
   */
  public Retry withListener(RetryListener listener) {
    Objects.requireNonNull(listener, "listener");
    RetryListener before = settings.listener();
    return new Retry(
        settings.with(
            engine.operation,
            settings.deadline(),
            before == null ? listener : before.andThen(listener)),
        driver);
  }

  /** Returns the name, which events and meters carry. */
  public String name() {
    return engine.name;
  }

  /** Returns the operation that the strategy is told of. */
  public Operation operation() {
    return engine.operation;
  }

  /**
   * Returns whether all attempts of {@link #call} run on the calling thread, and so have what hangs
   * on it: true unless an attempt timeout or hedging is set.
   */
  public boolean isOnCallingThread() {
    return !engine.needsThreads();
  }

  /** Returns the strategy that decides. */
  public RetryStrategy strategy() {
    return settings.strategy();
  }

  /**
   * Runs the operation until it succeeds or there is no further attempt.
   *
   * <p>Attempts run on the calling thread, unless an attempt timeout or hedging is set: then they
   * run on the executor, with what {@link RetryBuilder#context} carries, and the calling thread
   * waits.
   *
   * <p>An interrupt ends the wait for the next attempt at once: the last failure is thrown and the
   * thread stays interrupted.
   *
   * @param operation makes one attempt; called once for each
   * @return what the operation returned; null is a result like any other
   * @throws X the operation's own last failure
   */
  public <T extends @Nullable Object, X extends Exception> T call(CheckedSupplier<T, X> operation)
      throws X {
    Objects.requireNonNull(operation, "operation");
    StrategyDriver strategy = engine.strategy();
    if (!plain || strategy.pacesFirstAttempts()) {
      return timed && !strategy.pacesFirstAttempts()
          ? BlockingLoop.runTimed(engine, strategy, operation)
          : BlockingLoop.run(engine, strategy, operation);
    }
    long mark = NestedRetry.mark();
    T result;
    try {
      result = operation.get();
    } catch (Throwable failure) {
      return BlockingLoop.<T, X>outcome(
          BlockingLoop.runAfter(failure, mark, engine, strategy, operation, 0));
    }
    engine.recordFirstSuccess(strategy);
    return result;
  }

  /**
   * Runs the operation until it succeeds or there is no further attempt; like {@link #call}, for
   * operations that return nothing.
   *
   * @throws X the operation's own last failure
   */
  public <X extends Exception> void run(CheckedRunnable<X> operation) throws X {
    Objects.requireNonNull(operation, "operation");
    this.<Object, X>call(
        () -> {
          operation.run();
          return RetryEngine.NO_RESULT;
        });
  }

  /**
   * Runs an asynchronous operation until it succeeds or there is no further attempt. No thread
   * waits between attempts.
   *
   * <p>The first attempt is started on the calling thread, later ones on the executor: those have
   * the thread-locals of the caller (MDC, security context, span) only if {@link
   * RetryBuilder#context} carries them, and so has a listener. Cancelling the future, at any time,
   * cancels the attempt under way or the wait for the next one, and so does completing it from
   * outside, such as by its {@code orTimeout}. The future completes with the operation's own last
   * failure, whatever {@code CompletionException}s it came in; nothing is thrown from here, but for
   * an operation that is null.
   *
   * @param operation starts one attempt, and returns at once; what it throws is a failed attempt
   */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      CheckedSupplier<? extends CompletionStage<T>, ?> operation) {
    Objects.requireNonNull(operation, "operation");
    try {
      StrategyDriver strategy = engine.strategy();
      return plainAsync && !strategy.pacesFirstAttempts()
          ? AsyncCall.startPlain(engine, strategy, operation)
          : AsyncCall.start(engine, strategy, operation);
    } catch (RuntimeException | Error broken) {
      // Of a strategy that is not ours: an operation has one way to fail and not two.
      return CompletableFuture.failedFuture(broken);
    }
  }

  /**
   * Runs a blocking operation on the executor until it succeeds or there is no further attempt. No
   * thread waits between attempts. Cancelling the future interrupts the attempt under way.
   *
   * @param operation makes one attempt; called once for each
   */
  public <T extends @Nullable Object> CompletableFuture<T> submit(CheckedSupplier<T, ?> operation) {
    Objects.requireNonNull(operation, "operation");
    try {
      return AsyncCall.startBlocking(engine, engine.strategy(), operation);
    } catch (RuntimeException | Error broken) {
      return CompletableFuture.failedFuture(broken);
    }
  }

  /**
   * Returns whether and why a failure of an operation would be retried, in a sentence, with what to
   * change. It tells of the failure itself: attempts, budget and deadline are taken to be left.
   * When the failure has ended an operation, the sentence says that too.
   *
   * <pre>{@code
   * try {
   *   retry.call(() -> client.fetch(url));
   * } catch (IOException e) {
   *   log.warn("{}", retry.explain(e), e);
   *   // HttpTimeoutException is not retried: no answer in time; it may have taken effect, and is
   *   // not declared idempotent. To retry it: RetryBuilder.idempotent(true), if repeating does no
   *   // harm.
   * }
   * }</pre>
   *
   * <p>Nothing is counted or paid. A strategy that is not of {@link RetryStrategies} is not asked,
   * for its tokens cannot be taken back; the explanation says so.
   */
  public FailureExplanation explain(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return FailureExplanation.of(engine, failure);
  }

  /** Returns the name and the settings that matter, on one line for people. */
  @Override
  public String toString() {
    return "Retry[" + engine.name + ": " + settings + settings.strategy() + "]";
  }
}
