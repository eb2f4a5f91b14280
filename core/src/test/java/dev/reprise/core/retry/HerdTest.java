package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.SeededRandom;
import dev.reprise.testkit.VirtualClock;
import dev.reprise.testkit.VirtualScheduler;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Many clients against one server that cannot serve them all at once, in virtual time: what delays,
 * jitter and budgets do to the other side.
 */
class HerdTest {
  private static final int CLIENTS = 1_000;
  private static final Duration SLOT = Duration.ofMillis(10);

  private final VirtualScheduler scheduler = new VirtualScheduler(new VirtualClock());
  private final VirtualTime time = new VirtualTime(scheduler);

  /** Too many calls came in the same slot of time. */
  private static final class Overloaded extends RuntimeException implements RetryInfo {
    private static final long serialVersionUID = 1;

    Overloaded() {
      super("overloaded", null, true, false);
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }
  }

  /** Serves so many calls in each slot of 10 ms and refuses the others. */
  private final class Server {
    private final int perSlot;
    private final long startSlot = time.nanoTime() / SLOT.toNanos();
    private final TreeMap<Long, Integer> calls = new TreeMap<>();

    Server(int perSlot) {
      this.perSlot = perSlot;
    }

    CompletionStage<String> call() {
      int inSlot = calls.merge(slotNow(), 1, Integer::sum);
      return inSlot > perSlot
          ? CompletableFuture.failedFuture(new Overloaded())
          : CompletableFuture.completedFuture("served");
    }

    /** Returns how many calls came in the worst slot after the first. */
    int peakOfRetries() {
      return calls.tailMap(0L, false).values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    int total() {
      return calls.values().stream().mapToInt(Integer::intValue).sum();
    }

    private long slotNow() {
      return time.nanoTime() / SLOT.toNanos() - startSlot;
    }
  }

  @Test
  void clientsThatFailTogetherComeBackSpreadOutOnlyWithJitter() {
    SeededRandom.check(
        random -> {
          Backoff exponential = Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(20));

          Server spread = herd(exponential.withFullJitter(), random, 50);
          Server herd = herd(exponential, random, 50);

          // Without jitter every round brings all who are left; with it the first second of a
          // hundred slots takes ten a slot, and chance alone adds to that.
          assertThat(herd.peakOfRetries()).isEqualTo(CLIENTS - 50);
          assertThat(spread.peakOfRetries()).isBetween(1, 50);
          assertThat(spread.total()).isLessThan(herd.total() / 3);
        });
  }

  @Test
  void theFirstRetryIsSpreadOutToo() {
    SeededRandom.check(
        random -> {
          StandardRetryStrategy strategy =
              StandardRetryStrategy.builder()
                  .maxAttempts(2)
                  .budget(RetryBudget.unlimited())
                  .random(random)
                  .build();
          List<Duration> delays = new ArrayList<>();
          Retry retry = retry(strategy, event -> delays.add(event.delay()));

          for (int i = 0; i < CLIENTS; i++) {
            start(retry, new Server(0));
          }
          scheduler.runUntilIdle(100 * CLIENTS);

          List<Duration> first = delays.stream().filter(delay -> !delay.isZero()).toList();
          assertThat(first).hasSize(CLIENTS);
          assertThat(first).allMatch(delay -> delay.compareTo(Duration.ofMillis(100)) <= 0);
          // A hundred each; chance leaves these bounds once in 10^13 runs.
          for (int tenth = 0; tenth < 10; tenth++) {
            Duration from = Duration.ofMillis(tenth * 10L);
            Duration to = from.plusMillis(10);
            assertThat(first)
                .filteredOn(delay -> delay.compareTo(from) > 0 && delay.compareTo(to) <= 0)
                .as("first retries between " + from + " and " + to)
                .hasSizeBetween(30, 180);
          }
        });
  }

  @Test
  void aServerThatFailsForGoodIsAskedLittleMoreOften() {
    double share = 0.1;
    SeededRandom.check(
        random -> {
          StandardRetryStrategy strategy =
              StandardRetryStrategy.builder()
                  .maxAttempts(5)
                  .budget(RetryBudget.ratio(share, 0))
                  .random(random)
                  .build();
          Retry retry = retry(strategy, event -> {});
          Server down = new Server(0);

          openLoop(retry, down::call);

          assertThat(down.total()).isBetween(10_000, 10_000 + 10);
        });
  }

  @Test
  void aServerThatFailsHalfTheCallsIsAskedOnlyTheShareMore() {
    SeededRandom.check(
        random -> {
          StandardRetryStrategy strategy =
              StandardRetryStrategy.builder().maxAttempts(5).random(random).build();
          Retry retry = retry(strategy, event -> {});
          int[] calls = new int[1];
          int[] successes = new int[1];

          openLoop(
              retry,
              () -> {
                calls[0]++;
                if (random.nextBoolean()) {
                  return CompletableFuture.failedFuture(new Overloaded());
                }
                successes[0]++;
                return CompletableFuture.completedFuture("served");
              });

          // 50 retries are saved up, and each success pays for a tenth of one.
          assertThat(calls[0] - 10_000).isLessThanOrEqualTo(50 + successes[0] / 10);
          assertThat(calls[0]).as("the budget is used, not just kept").isGreaterThan(10_400);
        });
  }

  @Test
  void withoutABudgetRetriesMultiplyTheLoad() {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder().maxAttempts(5).budget(RetryBudget.unlimited()).build();
    Retry retry = retry(strategy, event -> {});
    Server down = new Server(0);

    openLoop(retry, down::call);

    assertThat(down.total()).isEqualTo(50_000);
  }

  @Test
  void theStockOfABucketIsAllThatAServerWithoutSuccessesGetsMore() {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder()
            .maxAttempts(5)
            .budget(RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE))
            .build();
    Retry retry = retry(strategy, event -> {});
    Server down = new Server(0);

    openLoop(retry, down::call);

    assertThat(down.total()).isEqualTo(10_000 + 500 / 5);
  }

  /** 10,000 clients that come whatever became of those before, one each 10 ms. */
  private void openLoop(
      Retry retry, CheckedSupplier<? extends CompletionStage<String>, ?> operation) {
    for (int i = 0; i < 10_000; i++) {
      scheduler.schedule(SLOT.multipliedBy(i), () -> start(retry, operation));
    }
    scheduler.runUntilIdle(1_000_000);
  }

  private Server herd(Backoff backoff, RandomGenerator random, int perSlot) {
    StandardRetryStrategy strategy =
        StandardRetryStrategy.builder()
            .maxAttempts(100)
            .backoff(backoff)
            .budget(RetryBudget.unlimited())
            .random(random)
            .build();
    Retry retry = retry(strategy, event -> {});
    Server server = new Server(perSlot);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      calls.add(retry.callAsync(server::call));
    }
    scheduler.runUntilIdle(1_000_000);
    assertThat(calls).allMatch(call -> call.isDone() && !call.isCompletedExceptionally());
    return server;
  }

  private Retry retry(RetryStrategy strategy, RetryListener listener) {
    return Retry.builder()
        .strategy(strategy)
        .time(time)
        .executor(time.executor())
        .listener(listener)
        .build();
  }

  private static void start(Retry retry, Server server) {
    start(retry, server::call);
  }

  private static void start(
      Retry retry, CheckedSupplier<? extends CompletionStage<String>, ?> operation) {
    assertThat(retry.callAsync(operation)).isNotNull();
  }
}
