package dev.reprise.spring;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.Verdict;
import dev.reprise.core.strategy.RetryDecision;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Brings attempts, delays, deadline, classifier and hint ceiling of a {@link Policy} to every user
 * of a Spring {@link RetryPolicy}, such as a {@link RetryTemplate}.
 *
 * <p>What a Spring policy cannot carry, and {@link RepriseRetryOperations} can:
 *
 * <ul>
 *   <li>the budget: a Spring policy does not learn of successes, so a budget would only drain;
 *   <li>a delay of its own after a throttle, adaptive pacing, attempt timeouts, hedging;
 *   <li>{@code clampsHints}: a hint beyond the ceiling always ends the call;
 *   <li>the deadline as a whole: Spring looks at it between attempts and cuts no attempt off;
 *   <li>delays and deadlines below a millisecond: they are rounded up.
 * </ul>
 *
 * <p>A hint of the other side is kept where the delay is asked for on the thread that has just
 * asked {@link #shouldRetry}, as a {@code RetryTemplate} does; elsewhere a failure with a hint is
 * retried after the delay of the policy. Immutable and thread-safe.
 */
public final class RepriseRetryPolicy implements RetryPolicy {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final dev.reprise.core.strategy.RetryPolicy policy;
  private final boolean idempotent;
  private final Classifier classifier;
  private final Duration timeout;

  /** The failure that the thread has just been told to retry, for the hint in it. */
  @SuppressWarnings("ThreadLocalUsage") // one thread may ask several policies in turn
  private final ThreadLocal<@Nullable RetryInfo> lastFailure = new ThreadLocal<>();

  /**
   * Creates a policy.
   *
   * @param classifier tells which failures are worth a retry; the bean of this type knows the rules
   *     of the application
   */
  public RepriseRetryPolicy(Policy policy, Classifier classifier) {
    this.policy = policy.toRetryPolicy();
    this.idempotent = policy.toStrategyPolicy().calls().idempotent();
    this.classifier = Objects.requireNonNull(classifier, "classifier");
    Duration deadline = policy.toStrategyPolicy().calls().deadline();
    this.timeout =
        deadline == null ? Duration.ZERO : Duration.ofMillis(roundedUpMillis(deadline.toNanos()));
  }

  @Override
  public boolean shouldRetry(Throwable failure) {
    Verdict verdict = classifier.classify(failure);
    boolean retries = decide(0, verdict) instanceof RetryDecision.Retry;
    if (retries) {
      lastFailure.set(verdict);
    } else {
      // No delay is asked for now: it would be kept for the next operation on this thread.
      lastFailure.remove();
    }
    return retries;
  }

  /** Returns the deadline of the policy, or zero, which stands for none. */
  @Override
  public Duration getTimeout() {
    return timeout;
  }

  @Override
  public BackOff getBackOff() {
    return Execution::new;
  }

  private RetryDecision decide(int retriesMade, RetryInfo failure) {
    return policy.decide(
        retriesMade, failure, idempotent, Long.MAX_VALUE, ThreadLocalRandom.current());
  }

  private static long roundedUpMillis(long nanos) {
    long millis = nanos / NANOS_PER_MILLI;
    return nanos % NANOS_PER_MILLI == 0 ? millis : millis + 1;
  }

  /** The delays of one operation. */
  private final class Execution implements BackOffExecution {
    private int retriesMade;

    @Override
    public long nextBackOff() {
      RetryInfo failure = lastFailure.get();
      lastFailure.remove();
      RetryDecision decision =
          decide(retriesMade, failure == null ? WithoutHint.INSTANCE : failure);
      if (!(decision instanceof RetryDecision.Retry retry)) {
        return STOP;
      }
      retriesMade++;
      // Never earlier than the other side asked.
      return roundedUpMillis(retry.delayNanos());
    }
  }

  /** A failure that another rule has found worth a retry. */
  private enum WithoutHint implements RetryInfo {
    INSTANCE;

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }
}
