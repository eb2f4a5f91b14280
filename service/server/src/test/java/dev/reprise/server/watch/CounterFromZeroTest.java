package dev.reprise.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Scrapes of two Prometheus servers, in virtual time. */
class CounterFromZeroTest {
  private static final Duration ZERO_FOR = Duration.ofSeconds(150);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private long nowNanos = TimeUnit.DAYS.toNanos(-1);
  private final CounterFromZero.Maker counters =
      new CounterFromZero.Maker(registry, ZERO_FOR, () -> nowNanos);

  @Test
  void bothServersSeeTheZeroThoughTheirFirstScrapesFail() {
    CounterFromZero counter = counters.counter("c", "a counter", Tags.empty());
    for (int i = 0; i < 20; i++) {
      counter.increment();
    }
    List<Integer> one = new ArrayList<>();
    List<Integer> other = new ArrayList<>();
    for (int scrape = 0; scrape < 5; scrape++) {
      one.add(scraped());
      pass(59);
      other.add(scraped());
      pass(1);
    }
    // What the first scrape of each has got is lost.
    assertThat(one.subList(1, 5)).containsExactly(0, 0, 20, 20);
    assertThat(other.subList(1, 5)).containsExactly(0, 20, 20, 20);
  }

  @Test
  void theTimeBeginsWithTheFirstReading() {
    CounterFromZero counter = counters.counter("c", "a counter", Tags.empty());
    counter.increment();
    pass(3600);
    assertThat(scraped()).isZero();
    pass(149);
    assertThat(scraped()).isZero();
    pass(1);
    assertThat(scraped()).isEqualTo(1);
  }

  @Test
  void whatIsCountedLaterIsReadAtOnce() {
    CounterFromZero counter = counters.counter("c", "a counter", Tags.empty());
    assertThat(scraped()).isZero();
    pass(150);
    counter.increment();
    assertThat(scraped()).isEqualTo(1);
    counter.increment();
    assertThat(scraped()).isEqualTo(2);
  }

  private int scraped() {
    return (int) registry.get("c").functionCounter().count();
  }

  private void pass(int seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }
}
