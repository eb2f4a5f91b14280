package dev.reprise.bench.retry;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Classifier;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.RetryStrategies;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.RetryConfig;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import org.slf4j.nop.NOPServiceProvider;

/**
 * One JVM that sets up a library and makes one call. Prints how long that took, in nanoseconds from
 * the first line on.
 */
final class ColdStart {
  private static final String RESULT = "result";

  private ColdStart() {}

  /** The one that makes the call. */
  enum Library {
    /** The call alone, a lambda as with the others: what the virtual machine takes. */
    NOBODY,
    REPRISE,
    FAILSAFE,
    RESILIENCE4J;

    /** Returns a class of each library that the call needs; what is not needed costs time too. */
    List<Class<?>> needs() {
      return switch (this) {
        case NOBODY -> List.of();
        case REPRISE -> List.of(Retry.class);
        case FAILSAFE -> List.of(Failsafe.class);
        case RESILIENCE4J ->
            List.of(
                RetryConfig.class,
                IntervalFunction.class,
                LoggerFactory.class,
                NOPServiceProvider.class);
      };
    }
  }

  /** The call itself: it fails so many times, and then succeeds. */
  static final class Operation {
    private int failures;

    Operation(int failures) {
      this.failures = failures;
    }

    Object run() throws ConnectException {
      if (failures > 0) {
        failures--;
        throw new ConnectException("refused");
      }
      return RESULT;
    }
  }

  /** Is told the library and how often the call fails first. */
  public static void main(String[] args) throws Exception {
    long start = System.nanoTime();
    Object result = call(args[0], new Operation(Integer.parseInt(args[1])));
    long nanos = System.nanoTime() - start;
    if (!RESULT.equals(result)) {
      throw new IllegalStateException("the call returned " + result);
    }
    System.out.println(nanos);
  }

  private static Object call(String library, Operation operation) throws Exception {
    // No enum and no lambda that others than the chosen one would pay for.
    return switch (library) {
      case "REPRISE" -> Reprise.call(operation);
      case "FAILSAFE" -> OfFailsafe.call(operation);
      case "RESILIENCE4J" -> OfResilience4j.call(operation);
      default -> Bare.call(operation::run);
    };
  }

  private static final class Bare {
    static Object call(Callable<Object> operation) throws Exception {
      try {
        return operation.call();
      } catch (ConnectException e) {
        return operation.call();
      }
    }
  }

  private static final class Reprise {
    static Object call(Operation operation) throws Exception {
      Retry retry =
          Retry.of(
              RetryStrategies.of(
                  Backoff.exponential(Duration.ofNanos(1), Duration.ofNanos(8)),
                  Classifier.defaults(),
                  3));
      return retry.call(operation::run);
    }
  }

  private static final class OfFailsafe {
    static Object call(Operation operation) {
      FailsafeExecutor<Object> failsafe =
          Failsafe.with(
              RetryPolicy.builder()
                  .handle(ConnectException.class)
                  .withBackoff(Duration.ofNanos(1), Duration.ofNanos(8))
                  .withMaxAttempts(3)
                  .build());
      return failsafe.get(operation::run);
    }
  }

  private static final class OfResilience4j {
    static Object call(Operation operation) throws Exception {
      return io.github.resilience4j.retry.Retry.of(
              "bench",
              RetryConfig.custom()
                  .maxAttempts(3)
                  .intervalFunction(attempt -> 0L)
                  .retryExceptions(ConnectException.class)
                  .build())
          .executeCallable(operation::run);
    }
  }
}
