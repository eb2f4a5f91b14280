package dev.reprise.examples;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import java.util.concurrent.atomic.AtomicInteger;

/** Retries one status of an exception that has many. */
public final class RetryByStatus {
  private RetryByStatus() {}

  /** Of a client that knows many reasons for a refusal, and has one exception for all. */
  static final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String status;

    StorageException(String status) {
      super(status);
      this.status = status;
    }

    String status() {
      return status;
    }
  }

  /** Writes to a storage that finds a conflict, and then an argument that is wrong. */
  public static void main(String[] args) {
    AtomicInteger attempts = new AtomicInteger();
    String outcome = "written";
    try {
      write(attempts);
    } catch (StorageException refused) {
      outcome = refused.status();
    }
    System.out.println(outcome + " after " + attempts);
  }

  private static void write(AtomicInteger attempts) {
    // @start region=status
    Retry retry =
        Retry.builder()
            .retryIf(
                failure ->
                    failure instanceof StorageException storage
                        && storage.status().equals("ABORTED")) // the transaction was rolled back
            .backoff(Backoff.none())
            .build();
    // @end
    retry.run(
        () -> {
          throw new StorageException(
              attempts.incrementAndGet() == 1 ? "ABORTED" : "INVALID_ARGUMENT");
        });
  }
}
