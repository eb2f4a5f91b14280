package dev.reprise.cli.base;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One limit for the whole of an exchange. {@link java.net.HttpURLConnection} limits the connection
 * and each read: an answer of which a byte arrives now and then never ends for it, and the look-up
 * of a name has no limit at all.
 */
final class WholeExchange {
  private WholeExchange() {}

  /**
   * Makes an exchange in a thread of its own. One that takes too long is left behind there, as
   * nothing ends it from outside; the thread does not keep the process.
   *
   * @throws SocketTimeoutException when it takes longer
   * @throws IOException what the exchange failed with; its runtime exceptions are thrown as well
   */
  static <T> T within(Duration most, Callable<T> exchange) throws IOException {
    FutureTask<T> task = new FutureTask<>(exchange);
    Thread thread = new Thread(task, "exchange");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new SocketTimeoutException("no answer within " + most);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
