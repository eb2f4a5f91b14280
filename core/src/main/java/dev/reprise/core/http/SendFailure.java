package dev.reprise.core.http;

import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RejectedResultException;
import dev.reprise.core.retry.RetryStoppedException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Brings failures into the form that callers of {@link java.net.http.HttpClient} expect. */
final class SendFailure {
  private SendFailure() {}

  /**
   * Returns the exception that a blocking call throws, or throws it.
   *
   * @throws InterruptedException when the call ended because the thread was interrupted
   */
  static IOException unchanged(Exception failure) throws InterruptedException {
    if (failure instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    if (wasInterrupted(failure)) {
      InterruptedException interrupted =
          new InterruptedException(
              "interrupted in the wait for a response or for the next attempt");
      interrupted.initCause(failure);
      throw interrupted;
    }
    if (failure instanceof RejectedResultException rejected) {
      return cutOff(rejected);
    }
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return failure instanceof IOException io ? io : new IOException(failure.getMessage(), failure);
  }

  /** Returns the exception of the future of an asynchronous call. */
  static Throwable ofFuture(Throwable failure) {
    Throwable inner = failure;
    if (failure instanceof CompletionException && failure.getCause() != null) {
      inner = failure.getCause();
    }
    return inner instanceof RejectedResultException rejected ? cutOff(rejected) : inner;
  }

  /** Waits for the body of a response that was held. */
  static <T> T await(CompletableFuture<T> body) throws IOException, InterruptedException {
    try {
      return body.get();
    } catch (InterruptedException e) {
      body.cancel(true);
      Thread.currentThread().interrupt();
      throw e;
    } catch (ExecutionException e) {
      Throwable cause = ofFuture(e.getCause() == null ? e : e.getCause());
      if (cause instanceof Error error) {
        throw error;
      }
      // As the client itself does with what handlers throw.
      throw cause instanceof IOException io ? io : new IOException(cause.getMessage(), cause);
    }
  }

  private static boolean wasInterrupted(Exception failure) {
    RetryStoppedException stopped = RetryStoppedException.of(failure);
    return stopped == null
        ? failure instanceof CancellationException && Thread.currentThread().isInterrupted()
        : stopped.reason() == StopReason.INTERRUPTED;
  }

  /** The response was closed before a retry that could then not be made. */
  private static IOException cutOff(RejectedResultException rejected) {
    IOException failure = new IOException(rejected.getMessage(), rejected);
    for (Throwable before : rejected.getSuppressed()) {
      failure.addSuppressed(before);
    }
    return failure;
  }
}
