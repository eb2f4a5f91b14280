package dev.reprise.examples;

import dev.reprise.core.retry.ContextCapture;
import dev.reprise.core.retry.Retry;
import java.net.ConnectException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.MDC;

/** Keeps the log context of a request on the threads of later attempts. */
public final class CarryTheLogContext {
  private CarryTheLogContext() {}

  /** Fails once, and tells which request the second attempt belongs to. */
  public static void main(String[] args) {
    AtomicInteger attempts = new AtomicInteger();
    // @start region=mdc
    ContextCapture mdc =
        () -> {
          Map<String, String> captured = MDC.getCopyOfContextMap();
          return task -> {
            Map<String, String> before = MDC.getCopyOfContextMap();
            MDC.setContextMap(captured == null ? Map.of() : captured);
            try {
              task.run();
            } finally {
              MDC.setContextMap(before == null ? Map.of() : before);
            }
          };
        };
    Retry retry = Retry.builder().context(mdc).build();
    // @end
    MDC.put("request", "r-17");
    CompletableFuture<String> seen =
        retry.callAsync(
            () ->
                attempts.incrementAndGet() == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture(MDC.get("request")));
    MDC.clear();
    System.out.println("attempt " + (seen.join() == null ? "of nobody" : "2 of " + seen.join()));
  }
}
