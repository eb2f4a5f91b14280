package dev.reprise.webhook;

import static dev.reprise.webhook.WebhookDeduplicator.Standing.IN_PROGRESS;
import static dev.reprise.webhook.WebhookDeduplicator.Standing.NEW;
import static dev.reprise.webhook.WebhookDeduplicator.Standing.PROCESSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.VirtualClock;
import dev.reprise.webhook.WebhookDeduplicator.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookDeduplicatorTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /** Wraps around in the middle of the tests. */
  private final VirtualClock clock =
      new VirtualClock(Long.MAX_VALUE - HOUR.toNanos() / 2, Instant.EPOCH);

  private final WebhookDeduplicator deduplicator = deduplicator(3);

  private WebhookDeduplicator deduplicator(int maxIds) {
    return new WebhookDeduplicator(HOUR, maxIds, clock::nanoTime);
  }

  private void process(String id) {
    assertThat(deduplicator.begin(id)).isEqualTo(NEW);
    deduplicator.processed(id);
  }

  @Test
  void aMessageIsNewOnce() {
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
    assertThat(deduplicator.begin("a")).isEqualTo(IN_PROGRESS);
    deduplicator.processed("a");
    assertThat(deduplicator.begin("a")).isEqualTo(PROCESSED);
    assertThat(deduplicator.begin("b")).isEqualTo(NEW);
  }

  @Test
  void whatFailedIsNewAgain() {
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
    deduplicator.failed("a");
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
  }

  @Test
  void whatWasProcessedDoesNotFailAfterwards() {
    process("a");
    deduplicator.failed("a");
    assertThat(deduplicator.begin("a")).isEqualTo(PROCESSED);
  }

  @Test
  void idsAreForgottenAfterTheRetention() {
    process("a");
    clock.advance(HOUR.minusNanos(1));
    assertThat(deduplicator.begin("a")).isEqualTo(PROCESSED);

    // That it was seen again does not count.
    clock.advance(Duration.ofNanos(1));
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
  }

  @Test
  void retentionCountsFromTheEndOfProcessing() {
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
    clock.advance(HOUR.dividedBy(2));
    deduplicator.processed("a");
    clock.advance(HOUR.minusNanos(1));

    assertThat(deduplicator.begin("a")).isEqualTo(PROCESSED);
  }

  @Test
  void whatNeverEndsIsForgottenToo() {
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
    clock.advance(HOUR);
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
  }

  @Test
  void theOldestGoesWhenThereAreTooMany() {
    process("a");
    process("b");
    process("c");
    process("d");

    assertThat(deduplicator.begin("b")).isEqualTo(PROCESSED);
    assertThat(deduplicator.begin("c")).isEqualTo(PROCESSED);
    assertThat(deduplicator.begin("d")).isEqualTo(PROCESSED);
    assertThat(deduplicator.begin("a")).isEqualTo(NEW);
  }

  @Test
  void whatIsInProgressStaysLongest() {
    assertThat(deduplicator.begin("slow")).isEqualTo(NEW);
    for (int i = 0; i < 10; i++) {
      process("quick " + i);
    }

    assertThat(deduplicator.begin("slow")).isEqualTo(IN_PROGRESS);
    assertThat(deduplicator.begin("quick 8")).isEqualTo(PROCESSED);
  }

  @Test
  void memoryIsBoundedWhateverIsInProgress() {
    for (int i = 0; i < 10; i++) {
      assertThat(deduplicator.begin("slow " + i)).isEqualTo(NEW);
    }

    assertThat(deduplicator.begin("slow 6")).isEqualTo(NEW);
    assertThat(deduplicator.begin("slow 9")).isEqualTo(IN_PROGRESS);
    deduplicator.processed("slow 0");
    assertThat(deduplicator.begin("slow 0")).isEqualTo(PROCESSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "-PT1S", "PT8760H0.000000001S"})
  void retentionHasBounds(Duration retention) {
    assertThatThrownBy(() -> new WebhookDeduplicator(retention, 1))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("retention is " + retention + ": must be more than 0 and at most P365D");
  }

  @Test
  void thereIsRoomForOne() {
    assertThatThrownBy(() -> deduplicator(0))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxIds is 0: must be >= 1");
    WebhookDeduplicator one = new WebhookDeduplicator(Duration.ofDays(365), 1);
    assertThat(one.begin("a")).isEqualTo(NEW);
    one.processed("a");
    assertThat(one.begin("a")).isEqualTo(PROCESSED);
  }

  /** Steps of three kinds on five ids, and passing time, against a list that remembers all. */
  @Property
  void doesAsAModelWithRoomForAllDoes(
      @ForAll @Size(max = 60) List<@IntRange(max = 39) Integer> steps) {
    VirtualClock time = new VirtualClock();
    WebhookDeduplicator tested = new WebhookDeduplicator(HOUR, 5, time::nanoTime);
    Map<String, Standing> standing = new HashMap<>();
    Map<String, Long> since = new HashMap<>();
    for (int step : steps) {
      String id = "id " + step % 5;
      standing.keySet().removeIf(known -> time.nanoTime() - since.get(known) >= HOUR.toNanos());
      switch (step / 5) {
        case 0, 1, 2 -> {
          assertThat(tested.begin(id)).isEqualTo(standing.getOrDefault(id, NEW));
          if (standing.putIfAbsent(id, IN_PROGRESS) == null) {
            since.put(id, time.nanoTime());
          }
        }
        case 3, 4 -> {
          tested.processed(id);
          standing.put(id, PROCESSED);
          since.put(id, time.nanoTime());
        }
        case 5 -> {
          tested.failed(id);
          standing.remove(id, IN_PROGRESS);
        }
        default -> time.advance(HOUR.dividedBy(3));
      }
    }
  }

  @Property
  void neverMoreIdsThanThereIsRoomFor(
      @ForAll @IntRange(min = 1, max = 5) int maxIds,
      @ForAll @Size(max = 60) List<@IntRange(max = 29) Integer> steps) {
    WebhookDeduplicator tested = deduplicator(maxIds);
    for (int step : steps) {
      String id = "id " + step % 10;
      switch (step / 10) {
        case 0 -> {
          if (tested.begin(id) == NEW) {
            assertThat(tested.begin(id)).isEqualTo(IN_PROGRESS);
          }
        }
        case 1 -> {
          tested.processed(id);
          assertThat(tested.begin(id)).isEqualTo(PROCESSED);
        }
        default -> tested.failed(id);
      }
      assertThat(tested.size()).isLessThanOrEqualTo(maxIds);
    }
  }

  @Test
  void ofManyThreadsOneProcesses() throws Exception {
    int threads = 4;
    int messages = 500;
    WebhookDeduplicator shared = new WebhookDeduplicator(HOUR, messages);
    CyclicBarrier start = new CyclicBarrier(threads);
    Callable<Integer> work =
        () -> {
          start.await(300, TimeUnit.SECONDS);
          int mine = 0;
          for (int i = 0; i < messages; i++) {
            if (shared.begin("id " + i) == NEW) {
              mine++;
              shared.processed("id " + i);
            }
          }
          return mine;
        };
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        results.add(executor.submit(work));
      }
      int sum = 0;
      for (Future<Integer> result : results) {
        sum += result.get(300, TimeUnit.SECONDS);
      }
      assertThat(sum).isEqualTo(messages);
    } finally {
      executor.shutdownNow();
    }
  }
}
