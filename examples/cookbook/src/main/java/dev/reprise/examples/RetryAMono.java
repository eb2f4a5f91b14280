package dev.reprise.examples;

import dev.reprise.core.retry.Retry;
import dev.reprise.reactor.RetryOperator;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/** Retries in a reactive program. */
public final class RetryAMono {
  private RetryAMono() {}

  /** Subscribes to a source that fails once. */
  public static void main(String[] args) {
    AtomicInteger attempts = new AtomicInteger();
    Mono<String> source =
        Mono.defer(
            () ->
                attempts.incrementAndGet() == 1
                    ? Mono.error(new ConnectException("refused"))
                    : Mono.just("hello"));
    // @start region=mono
    Retry retry = Retry.ofDefaults(); // one for the whole program: its budget is shared
    Mono<String> answer = source.transform(RetryOperator.mono(retry));
    // @end
    System.out.println(answer.block() + " after " + attempts);
  }
}
