package dev.reprise.bench.retry.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/** Spring Framework 7, {@code org.springframework.core.retry}. */
final class SpringCoreLoop {
  /** The retry from which on the state of the peer's execution does not change any more. */
  private static final int STEADY = 1_000_000;

  private SpringCoreLoop() {}

  static Calls calls(PeerSetting setting) {
    RetryTemplate template =
        new RetryTemplate(
            RetryPolicy.builder()
                .maxRetries(setting.maxAttempts - 1)
                .delay(Duration.ZERO)
                .includes(IOException.class)
                .build());
    return operation -> {
      Retryable<Object> retryable = operation::call;
      return () -> template.execute(retryable);
    };
  }

  /** Brings the execution to the retry first, because it has no random access. */
  static LongSupplier delayMillis(int retry) {
    ExponentialBackOff backOff =
        new ExponentialBackOff(NextDelayFormula.BASE.toMillis(), NextDelayFormula.FACTOR);
    backOff.setMaxInterval(NextDelayFormula.CAP.toMillis());
    backOff.setJitter(NextDelayFormula.BASE.toMillis() / 2);
    if (retry == 1) {
      return () -> backOff.start().nextBackOff();
    }
    BackOffExecution execution = backOff.start();
    for (int i = 1; i < Math.min(retry, STEADY); i++) {
      execution.nextBackOff();
    }
    return execution::nextBackOff;
  }
}
