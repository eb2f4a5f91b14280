package dev.reprise.core.budget;

import static dev.reprise.core.budget.Failures.ERROR;
import static dev.reprise.core.budget.Failures.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hammers one budget with several threads and counts afterwards. */
class BudgetConcurrencyTest {
  private static final int THREADS = 4;
  private static final int OPERATIONS = 100_000;
  private static final long NOW = 0;

  private interface Worker {
    /** Returns what it took less what it gave. */
    long run(SplittableRandom random) throws Exception;
  }

  private static long sumOf(long seed, Worker worker) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      SplittableRandom seeds = new SplittableRandom(seed);
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        SplittableRandom random = seeds.split();
        tasks.add(
            () -> {
              start.await();
              return worker.run(random);
            });
      }
      long sum = 0;
      for (Future<Long> future : executor.invokeAll(tasks)) {
        sum += future.get();
      }
      return sum;
    } finally {
      executor.shutdownNow();
    }
  }

  private static void requireInBounds(RetryBudget budget) {
    long balance = budget.balanceMilliTokens(NOW);
    if (balance < 0 || balance > budget.capacityMilliTokens()) {
      throw new AssertionError("balance is " + balance);
    }
  }

  /**
   * Never full, so every milli-token can be accounted for. Often empty, for the capacity is low.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0, 1})
  void whatIsTakenAndNotGivenBackIsMissing(double tokensPerSecond) throws Exception {
    RetryBudget budget = RetryBudget.tokenBucket(60, TokenPrices.AWS_STANDARD_2_0, tokensPerSecond);
    long taken =
        sumOf(
            1,
            random -> {
              long net = 0;
              int held = 0;
              for (int i = 0; i < OPERATIONS; i++) {
                boolean give = held > 0 && random.nextBoolean();
                if (give) {
                  net -= held;
                  budget.recordSuccess(held);
                  held = 0;
                } else {
                  int cost = budget.tryWithdraw(random.nextBoolean() ? ERROR : TIMEOUT, NOW);
                  if (cost != RetryBudget.DENIED) {
                    net += cost;
                    budget.refund(held);
                    net -= held;
                    held = cost;
                  }
                }
                requireInBounds(budget);
              }
              return net;
            });

    assertThat(budget.capacityMilliTokens() - taken).isEqualTo(budget.balanceMilliTokens(NOW));
  }

  @Test
  void anEmptyingBudgetPaysExactlyWhatItHolds() throws Exception {
    RetryBudget budget = RetryBudget.tokenBucket(500_000, TokenPrices.SMITHY_GUIDE);

    long payments =
        sumOf(
            2,
            random -> {
              long count = 0;
              while (budget.tryWithdraw(ERROR, NOW) != RetryBudget.DENIED) {
                count++;
              }
              return count;
            });

    assertThat(payments).isEqualTo(100_000);
    assertThat(budget.balanceMilliTokens(NOW)).isZero();
  }

  @Test
  void aBudgetThatIsOftenFullStaysInBounds() throws Exception {
    RetryBudget budget = RetryBudget.tokenBucket(20, TokenPrices.SMITHY_GUIDE);

    sumOf(
        3,
        random -> {
          for (int i = 0; i < OPERATIONS; i++) {
            if (random.nextInt(6) == 0) {
              budget.tryWithdraw(ERROR, NOW);
            } else {
              budget.recordSuccess(0);
            }
            requireInBounds(budget);
          }
          return 0;
        });
  }

  @Test
  void timePaysNoTokenTwice() throws Exception {
    RetryBudget budget = RetryBudget.ratio(0, 1_000, 1);
    long[] clock = new long[1];
    Object lock = new Object();

    long payments =
        sumOf(
            4,
            random -> {
              long count = 0;
              for (int i = 0; i < OPERATIONS; i++) {
                long now;
                synchronized (lock) {
                  clock[0] += 10_000;
                  now = clock[0];
                }
                count += budget.tryWithdraw(ERROR, now) == RetryBudget.DENIED ? 0 : 1;
              }
              return count;
            });

    long allowed = 1 + clock[0] / 1_000_000;
    assertThat(payments).isBetween(allowed / 2, allowed);
  }

  @Test
  void scopesOfManyThreadsGainNoFreshBudgets() throws Exception {
    ScopedBudgets budgets =
        ScopedBudgets.perScope(() -> RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE), 16);
    // Each place is taken first: a budget must not be full between its making and its use.
    for (int i = 0; i < 16; i++) {
      budgets.of("scope " + i, NOW).tryWithdraw(ERROR, NOW);
    }

    long payments =
        sumOf(
            5,
            random -> {
              long count = 0;
              for (int i = 0; i < OPERATIONS; i++) {
                RetryBudget budget = budgets.of("scope " + random.nextInt(100), NOW);
                count += budget.tryWithdraw(ERROR, NOW) == RetryBudget.DENIED ? 0 : 1;
              }
              return count;
            });

    assertThat(payments).isEqualTo(16 + 2);
  }
}
