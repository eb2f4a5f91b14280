package dev.reprise.core.strategy;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.classify.Classifier;
import java.util.Objects;

/** The strategies that come with the library. */
public final class RetryStrategies {
  private static final RetryStrategy NO_RETRY =
      StandardRetryStrategy.builder().maxAttempts(1).budget(RetryBudget.unlimited()).build();

  private RetryStrategies() {}

  /**
   * Returns a new strategy with the numbers of {@link StandardProfile#REPRISE_DEFAULT} and a budget
   * of its own.
   */
  public static StandardRetryStrategy standard() {
    return standard(StandardProfile.REPRISE_DEFAULT);
  }

  /** Returns a new strategy with the numbers of the profile and a budget of its own. */
  public static StandardRetryStrategy standard(StandardProfile profile) {
    return StandardRetryStrategy.builder(profile).build();
  }

  /** Returns the strategy that never retries. */
  public static RetryStrategy noRetry() {
    return NO_RETRY;
  }

  /**
   * Returns a new strategy with delays of your own and no budget: nothing but {@code maxAttempts}
   * bounds what it adds to the load of a service that is down. {@link
   * StandardRetryStrategy#toBuilder} gives it a budget.
   *
   * @param backoff the delays of all retries
   * @param classifier which failures are worth a retry
   * @param maxAttempts how many attempts a call may make, the first one counted, at least 1
   * @throws IllegalArgumentException when {@code maxAttempts} is less than 1
   */
  public static StandardRetryStrategy of(Backoff backoff, Classifier classifier, int maxAttempts) {
    return StandardRetryStrategy.builder()
        .backoff(backoff)
        .throttleBackoff(backoff)
        .classifier(classifier)
        .maxAttempts(maxAttempts)
        .budget(RetryBudget.unlimited())
        .build();
  }

  /**
   * Returns a new {@link #standard()} strategy that also slows down first attempts while the other
   * side throttles.
   */
  public static AdaptiveRetryStrategy adaptive() {
    return adaptive(standard());
  }

  /** Returns a new strategy that decides as the given one does, and paces attempts beside it. */
  public static AdaptiveRetryStrategy adaptive(StandardRetryStrategy standard) {
    return new AdaptiveRetryStrategy(Objects.requireNonNull(standard, "standard"));
  }

  /**
   * Returns a strategy that can be replaced while the program runs.
   *
   * @param first the strategy to begin with
   * @throws IllegalArgumentException when the strategy can itself be replaced
   */
  public static ReplaceableRetryStrategy replaceable(RetryStrategy first) {
    return new ReplaceableRetryStrategy(Objects.requireNonNull(first, "first"));
  }
}
