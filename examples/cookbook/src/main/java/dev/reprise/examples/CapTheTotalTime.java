package dev.reprise.examples;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryStoppedException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Gives up in time. */
public final class CapTheTotalTime {
  private CapTheTotalTime() {}

  /** Asks a server that never answers. */
  public static void main(String[] args) {
    try (FlakyService service = FlakyService.alwaysAnswering(FlakyService.HANG)) {
      // @start region=deadline
      Retry retry =
          Retry.builder()
              .maxAttempts(100)
              .backoff(Backoff.fixed(Duration.ofMillis(20)))
              .idempotent(true)
              .attemptTimeout(Duration.ofMillis(100)) // interrupts an attempt that hangs
              .deadline(Duration.ofMillis(500)) // attempts and waits together
              .build();
      // @end
      try (InputStream answer = retry.call(() -> service.uri().toURL().openStream())) {
        System.out.println("answered: " + answer.read());
      } catch (IOException | RuntimeException failure) {
        RetryStoppedException stopped = RetryStoppedException.of(failure);
        System.out.println(
            failure.getClass().getSimpleName()
                + " "
                + (stopped == null ? "at once" : stopped.reason()));
      }
    }
  }
}
