package dev.reprise.spring;

import dev.reprise.core.classify.Classifier;
import java.lang.reflect.Method;
import java.util.Objects;
import org.springframework.resilience.retry.MethodRetryPredicate;

/**
 * Lets Spring's own {@code @Retryable} retry only failures that are known to be worth it:
 *
 * <pre>{@code
 * @Retryable(predicate = ClassifiedFailures.class, maxRetries = 2, jitter = 50)
 * Quote quote(String symbol) { … }
 * }</pre>
 *
 * <p>The method must be idempotent: a failure that leaves open whether it took effect is retried.
 * All other numbers are those of the annotation; it knows neither hint nor budget, which {@link
 * RetryWith} does. Immutable and thread-safe.
 */
public final class ClassifiedFailures implements MethodRetryPredicate {
  private final Classifier classifier;

  /** Called by Spring, with the bean of this type. */
  public ClassifiedFailures(Classifier classifier) {
    this.classifier = Objects.requireNonNull(classifier, "classifier");
  }

  @Override
  public boolean shouldRetry(Method method, Throwable failure) {
    return classifier.classify(failure).isRetrySafe().allowsRetry(true);
  }
}
