package dev.reprise.examples;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.retry.Retry;
import dev.reprise.testkit.VirtualTime;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps the retries of a whole program to a share of its traffic. */
public final class ShareABudget {
  private ShareABudget() {}

  /** Calls a service that is down a hundred times, through two clients. */
  public static void main(String[] args) {
    // @start region=budget
    // One retry for ten successes; ten can be saved up for bad times.
    RetryBudget budget = RetryBudget.ratio(0.1, 0, 10);
    Retry reads = Retry.builder().maxAttempts(5).budget(budget).idempotent(true).build();
    Retry writes = Retry.builder().budget(budget).build();
    // @end
    AtomicInteger attempts = new AtomicInteger();
    for (int i = 0; i < 50; i++) {
      callDeadService(reads, attempts);
      callDeadService(writes, attempts);
    }
    System.out.println("100 calls, " + attempts + " attempts");
  }

  private static void callDeadService(Retry retry, AtomicInteger attempts) {
    try {
      // Virtual time: the example need not wait for what it shows.
      retry.toBuilder().time(new VirtualTime()).build().run(() -> refuse(attempts));
    } catch (ConnectException expected) {
      return;
    }
  }

  private static void refuse(AtomicInteger attempts) throws ConnectException {
    attempts.incrementAndGet();
    throw new ConnectException("refused");
  }
}
