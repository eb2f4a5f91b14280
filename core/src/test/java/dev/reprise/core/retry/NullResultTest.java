package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NullResultTest {
  private final AtomicInteger calls = new AtomicInteger();

  private static RetryBuilder quick() {
    return Retry.builder()
        .strategy(StandardRetryStrategy.builder().backoff(Backoff.none()).build());
  }

  private String second() {
    return calls.incrementAndGet() == 1 ? null : "price";
  }

  @Test
  void aConditionOfAnyTypeSeesNull() {
    assertThat(
            quick()
                .retryOnResult(Object.class, Objects::isNull)
                .build()
                .<String, RuntimeException>call(this::second))
        .isEqualTo("price");
    calls.set(0);
    assertThat(
            quick()
                .retryOnResult(String.class, text -> text == null)
                .build()
                .callAsync(() -> CompletableFuture.completedFuture(second()))
                .join())
        .isEqualTo("price");
    assertThat(calls).hasValue(2);
  }

  @Test
  void aConditionThatDoesNotExpectNullAcceptsIt() {
    Retry retry = quick().retryOnResult(String.class, String::isEmpty).build();

    assertThat(retry.<String, RuntimeException>call(this::second)).isNull();
    assertThat(calls).hasValue(1);
  }

  @Test
  void anOperationWithoutAResultHasNone() {
    Retry retry = quick().retryOnResult(Object.class, result -> true).build();

    retry.run(calls::incrementAndGet);

    assertThat(calls).hasValue(1);
  }
}
