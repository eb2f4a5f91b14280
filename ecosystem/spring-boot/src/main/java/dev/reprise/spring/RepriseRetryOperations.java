package dev.reprise.spring;

import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryStoppedException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryOperations;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;

/**
 * Lets code that is written for Spring's {@link RetryOperations}, the interface of {@link
 * RetryTemplate}, run with a {@link Retry}. It carries everything: classifier, hints, budget,
 * deadline, listeners. Thread-safe.
 *
 * <p>As with a {@code RetryTemplate}, {@link #execute} throws a {@link RetryException} whatever the
 * failure, with the last failure as its cause and up to ten earlier ones suppressed (of attempts
 * that ran beside each other, one); the other methods throw the last failure itself.
 */
public final class RepriseRetryOperations implements RetryOperations {
  private final Retry retry;

  /** Creates operations that run with the retry. */
  public RepriseRetryOperations(Retry retry) {
    this.retry = Objects.requireNonNull(retry, "retry");
  }

  @Override
  public <R extends @Nullable Object> R execute(Retryable<R> retryable) throws RetryException {
    try {
      return retry.<R, Exception>call(() -> Undeclared.carry(retryable::execute));
    } catch (Throwable last) {
      throw exhausted(retryable.getName(), last);
    }
  }

  /**
   * Takes what is said of earlier attempts from the last failure, where the retry has put it: the
   * operation itself does not see every end of an attempt, such as a timeout.
   */
  private static RetryException exhausted(String name, Throwable last) {
    RetryStoppedException stopped = RetryStoppedException.of(last);
    if (stopped == null) {
      return new RetryException(name + " failed and was not tried again", Undeclared.carried(last));
    }
    int attempts = stopped.attempts();
    RetryException exhausted =
        new RetryException(
            name + " failed after " + attempts + (attempts == 1 ? " attempt" : " attempts"),
            Undeclared.carried(last));
    List<Throwable> before =
        Arrays.stream(last.getSuppressed())
            .filter(suppressed -> !(suppressed instanceof RetryStoppedException))
            .toList();
    // Failures that the operation itself had suppressed stand before the earlier failures.
    before.stream()
        .skip(Math.max(0, before.size() - (attempts - 1)))
        .map(Undeclared::carried)
        .forEach(exhausted::addSuppressed);
    return exhausted;
  }

  @Override
  public <R extends @Nullable Object> R invoke(Supplier<R> retryable) {
    return retry.<R, RuntimeException>call(retryable::get);
  }

  @Override
  public void invoke(Runnable retryable) {
    retry.<RuntimeException>run(retryable::run);
  }
}
