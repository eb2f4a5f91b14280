package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.core.timer.Timeout;
import dev.reprise.testkit.SeededRandom;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Real threads end, cancel and complete the same call at the same time, thousands of times. What
 * must hold afterwards is the same whoever wins.
 */
class AsyncRacesTest {
  private static final int ROUNDS = 2_000;
  private static final int START_MILLI_TOKENS = 1_000_000_000;

  private final ExecutorService executor = Executors.newFixedThreadPool(2);
  private final RetryBudget budget =
      RetryBudget.tokenBucket(1_000_000, new TokenPrices(1_000, 1_000, 1_000, 0, false));

  /** What a round leaves behind. */
  private final class Round {
    final Queue<RetryEvent> events = new ConcurrentLinkedQueue<>();
    final Queue<Object> made = new ConcurrentLinkedQueue<>();
    final Queue<Object> discarded = new ConcurrentLinkedQueue<>();
    final Queue<CompletableFuture<Object>> stages = new ConcurrentLinkedQueue<>();
    final AtomicInteger started = new AtomicInteger();
    final long balanceBefore = budget.balanceMilliTokens(0);

    RetryBuilder retry(Backoff backoff) {
      return Retry.builder()
          .strategy(
              StandardRetryStrategy.builder()
                  .backoff(backoff)
                  .throttleBackoff(backoff)
                  .maxAttempts(4)
                  .budget(budget)
                  .build())
          .idempotent(true)
          .executor(executor)
          .onDiscard(discarded::add)
          .listener(events::add);
    }

    CompletableFuture<Object> stage() {
      started.incrementAndGet();
      CompletableFuture<Object> stage = new CompletableFuture<>();
      stages.add(stage);
      return stage;
    }

    void succeed(CompletableFuture<Object> stage) {
      Object result = new Object();
      if (stage.complete(result)) {
        made.add(result);
      }
    }

    void check(CompletableFuture<Object> future) throws Exception {
      assertThat(future).isDone();
      // Whoever lost the race may still be at work on a thread of the executor, or on the timer's.
      awaitLastEvent();
      assertThat(events).filteredOn(RetryEvent::isLast).hasSize(1);
      assertThat(events).extracting(RetryEvent::attempt).doesNotHaveDuplicates();
      long notMade = events.stream().filter(event -> event.kind() == Kind.NOT_MADE).count();
      int attempts = events.size() - (int) notMade;
      // One that was cancelled between its start and the call of the operation counts as made.
      boolean cancelled =
          events.stream().anyMatch(event -> event.stopReason() == StopReason.CANCELLED);
      assertThat(attempts - started.get()).isBetween(0, cancelled && notMade == 0 ? 1 : 0);
      // A success gives back what the last retry cost.
      long retries = Math.max(0, attempts - 1);
      boolean won = events.stream().anyMatch(event -> event.kind() == Kind.SUCCESS);
      long refunded = won && retries > 0 && !hasHedges() ? 1 : 0;
      assertThat(balanceBefore - budget.balanceMilliTokens(0))
          .isEqualTo((retries - refunded) * 1_000);
      Queue<Object> seen = new ConcurrentLinkedQueue<>(discarded);
      if (!future.isCompletedExceptionally()) {
        seen.add(future.getNow(null));
      }
      assertThat(seen).containsExactlyInAnyOrderElementsOf(made);
    }

    boolean hasHedges() {
      return events.stream().anyMatch(event -> event.kind() == Kind.SUPERSEDED);
    }

    private void awaitLastEvent() throws Exception {
      long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (events.stream().noneMatch(RetryEvent::isLast) || !isSettled()) {
        assertThat(System.nanoTime() - giveUp).as("%s %s", events, started).isNegative();
        Thread.onSpinWait();
      }
    }

    /** Everything that was made has arrived somewhere. */
    private boolean isSettled() {
      return discarded.size() >= made.size() - 1;
    }
  }

  @AfterEach
  void allTasksOfTheExecutorEnd() throws Exception {
    executor.shutdown();
    assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    assertThat(budget.balanceMilliTokens(0)).isLessThanOrEqualTo(START_MILLI_TOKENS);
  }

  @Test
  void cancellationAgainstSuccess() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Round round = new Round();
      CompletableFuture<Object> future =
          round.retry(Backoff.none()).build().callAsync(round::stage);
      CompletableFuture<Object> stage = round.stages.element();
      race(() -> future.cancel(true), () -> round.succeed(stage));
      round.check(future);
    }
  }

  @Test
  void cancellationAgainstAFailureThatIsRetriedAtOnce() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Round round = new Round();
      CompletableFuture<Object> future =
          round.retry(Backoff.none()).build().callAsync(round::stage);
      CompletableFuture<Object> stage = round.stages.element();
      race(
          () -> future.cancel(true),
          () -> stage.completeExceptionally(new ConnectException("refused")));
      settle();
      round.check(future);
    }
  }

  @Test
  void cancellationAgainstTheTimer() {
    seeded(
        random -> {
          for (int i = 0; i < ROUNDS / 2; i++) {
            Round round = new Round();
            Duration wait = Duration.ofNanos(random.nextInt(1, 400_000));
            CompletableFuture<Object> future =
                round.retry(Backoff.fixed(wait)).build().callAsync(round::stage);
            round.stages.element().completeExceptionally(new ConnectException("refused"));
            long cancelAt = System.nanoTime() + random.nextInt(1, 600_000);
            while (System.nanoTime() - cancelAt < 0) {
              Thread.onSpinWait();
            }
            future.cancel(true);
            settle();
            round.check(future);
          }
        });
  }

  @Test
  void theCallersOwnResultAgainstThatOfTheOperation() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Round round = new Round();
      CompletableFuture<Object> future =
          round.retry(Backoff.none()).build().callAsync(round::stage);
      CompletableFuture<Object> stage = round.stages.element();
      Object own = new Object();
      race(
          () -> {
            if (future.complete(own)) {
              round.made.add(own);
            }
          },
          () -> round.succeed(stage));
      round.check(future);
    }
  }

  @Test
  void theTimeoutOfAnAttemptAgainstItsResult() {
    seeded(
        random -> {
          for (int i = 0; i < ROUNDS / 2; i++) {
            Round round = new Round();
            CompletableFuture<Object> future =
                round
                    .retry(Backoff.none())
                    .attemptTimeout(Duration.ofNanos(300_000))
                    .build()
                    .callAsync(round::stage);
            CompletableFuture<Object> stage = round.stages.element();
            long completeAt = System.nanoTime() + random.nextInt(1, 800_000);
            while (System.nanoTime() - completeAt < 0) {
              Thread.onSpinWait();
            }
            round.succeed(stage);
            future.cancel(true);
            settle();
            round.check(future);
          }
        });
  }

  @Test
  void cancellationAndTwoResultsOfHedges() throws Exception {
    for (int i = 0; i < ROUNDS / 2; i++) {
      Round round = new Round();
      CompletableFuture<Object> future =
          round
              .retry(Backoff.none())
              .hedging(Hedging.after(Duration.ofNanos(1)))
              .build()
              .callAsync(round::stage);
      while (round.stages.size() < 2) {
        Thread.onSpinWait();
      }
      List<CompletableFuture<Object>> stages = List.copyOf(round.stages);
      race(
          () -> future.cancel(true),
          () -> round.succeed(stages.get(0)),
          () -> round.succeed(stages.get(1)));
      settle();
      round.check(future);
    }
  }

  private interface Rounds {
    void run(SeededRandom random) throws Exception;
  }

  /** Names the seed when the rounds fail. */
  private static void seeded(Rounds rounds) {
    SeededRandom.check(
        random -> {
          try {
            rounds.run(random);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** The timer may be faster than the thread that sets it; both may be faster than a canceller. */
  @Test
  void cancellationAgainstWaitsThatEndAtOnce() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      AtomicInteger atWork = new AtomicInteger();
      AtomicInteger started = new AtomicInteger();
      long balanceBefore = budget.balanceMilliTokens(0);
      Retry plain =
          Retry.builder()
              .strategy(new Round().retry(Backoff.fixed(Duration.ofNanos(1))).build().strategy())
              .executor(Runnable::run)
              .time(new TimeAtOnce(atWork))
              .build();

      CompletableFuture<String> future =
          plain.callAsync(
              () ->
                  started.incrementAndGet() < 4
                      ? CompletableFuture.failedFuture(new ConnectException("refused"))
                      : CompletableFuture.completedFuture("hello"));
      boolean cancelled = i % 8 != 0 && future.cancel(true);
      long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (atWork.get() > 0) {
        assertThat(System.nanoTime() - giveUp).isNegative();
        Thread.onSpinWait();
      }

      assertThat(future).isDone();
      assertThat(future.isCancelled()).isEqualTo(cancelled);
      // What was announced and is not made is not paid for.
      assertThat(balanceBefore - budget.balanceMilliTokens(0))
          .isEqualTo((started.get() - 1) * 1_000L);
    }
  }

  /** Hands each timeout to another thread at once. */
  private final class TimeAtOnce implements TimeSource {
    private final AtomicInteger atWork;

    TimeAtOnce(AtomicInteger atWork) {
      this.atWork = atWork;
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void sleep(long nanos) {
      throw new AssertionError("nobody sleeps");
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      atWork.incrementAndGet();
      executor.execute(
          () -> {
            task.run();
            atWork.decrementAndGet();
          });
      return () -> false;
    }
  }

  /** Lets all start at the same time, and returns when all have ended. */
  private static void race(Runnable... racers) throws Exception {
    CyclicBarrier start = new CyclicBarrier(racers.length);
    List<Thread> threads = new ArrayList<>();
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    for (Runnable racer : racers) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  racer.run();
                } catch (Throwable e) {
                  thrown.add(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(thrown).isEmpty();
  }

  /** Waits until both threads of the executor have done what they were given before. */
  private void settle() throws Exception {
    CyclicBarrier both = new CyclicBarrier(3);
    for (int i = 0; i < 2; i++) {
      executor.execute(
          () -> {
            try {
              both.await();
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
    }
    both.await();
  }
}
