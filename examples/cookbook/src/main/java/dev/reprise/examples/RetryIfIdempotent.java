package dev.reprise.examples;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.classify.FailureRule;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.util.concurrent.atomic.AtomicInteger;

/** Retries a failure that may have taken effect, where repeating does no harm. */
public final class RetryIfIdempotent {
  private RetryIfIdempotent() {}

  /** Of a client that loses its leader in the middle of a request. */
  static final class LeaderLostException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Reads and adds, and tells how often each was tried. */
  public static void main(String[] args) {
    // @start region=maybe
    FailureRule leaderLost = FailureRule.maybeRetryOn(LeaderLostException.class);
    Retry retry =
        Retry.builder()
            .strategy(
                StandardRetryStrategy.builder()
                    .classifier(Classifier.defaults().with(leaderLost))
                    .backoff(Backoff.none())
                    .build())
            .build();
    Retry reads = retry.withIdempotent(true); // the same budget
    // @end
    System.out.println(attempts(reads) + " reads, " + attempts(retry) + " addition");
  }

  private static int attempts(Retry retry) {
    AtomicInteger attempts = new AtomicInteger();
    try {
      retry.run(
          () -> {
            attempts.incrementAndGet();
            throw new LeaderLostException();
          });
    } catch (LeaderLostException lost) {
      return attempts.get();
    }
    throw new AssertionError("an operation that always fails has succeeded");
  }
}
