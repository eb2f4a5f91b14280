package dev.reprise.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate of publishing, on a clock of the test. */
class RateLimitTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  // Close to the overflow, as nanoTime may be.
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND / 2);

  private int takeAll(RateLimit limit) {
    int taken = 0;
    while (limit.take() == 0) {
      taken++;
    }
    return taken;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 1000, 300_000, RateLimit.MAX_PER_SECOND})
  void letsTheRatePassEverySecondAndNoMore(int perSecond) {
    RateLimit limit = new RateLimit(perSecond, clock::get);
    assertThat(takeAll(limit)).isBetween(perSecond, perSecond + perSecond / 1000 + 1);
    for (int second = 0; second < 3; second++) {
      clock.addAndGet(SECOND);
      assertThat(takeAll(limit)).isBetween(perSecond - 1, perSecond + perSecond / 1000 + 1);
    }
    // What was not used is not saved up.
    clock.addAndGet(100 * SECOND);
    assertThat(takeAll(limit)).isBetween(perSecond, perSecond + perSecond / 1000 + 1);
  }

  @Test
  void tellsWhenTheNextOneIsFree() {
    RateLimit limit = new RateLimit(4, clock::get);
    assertThat(takeAll(limit)).isEqualTo(4);
    long wait = limit.take();
    assertThat(wait).isEqualTo(SECOND / 4);
    clock.addAndGet(wait - 1);
    assertThat(limit.take()).isEqualTo(1);
    clock.addAndGet(1);
    assertThat(limit.take()).isZero();
    assertThat(limit.take()).isEqualTo(SECOND / 4);
  }

  @Test
  void manyThreadsTakeNoTokenTwice() throws InterruptedException {
    RateLimit limit = new RateLimit(10_000, clock::get);
    AtomicInteger taken = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int i = 0; i < 4; i++) {
      threads.execute(() -> taken.addAndGet(takeAll(limit)));
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    assertThat(taken).hasValue(10_000);
  }
}
