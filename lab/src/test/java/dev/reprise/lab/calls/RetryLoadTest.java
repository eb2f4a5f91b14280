package dev.reprise.lab.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What retries add to the load of a service that fails each attempt with the probability p,
 * whatever its load. The setting is that of a published program: M. Brooker, "Fixing retries with
 * token buckets and circuit breakers", 2022: Poisson clients for 10 s, hops of 10 ms.
 */
@Tag("slow")
class RetryLoadTest {
  private static final double CALLS = 1000;
  private static final int RETRIES = 3;

  /** 5 tokens, a retry costs 1, a success brings 0.1. */
  private static final BudgetPolicy BUCKET =
      new BudgetPolicy.TokenBucket(5, new TokenPrices(1000, 1000, 1000, 100, false), 0, 0);

  private static Scene scene(int clients, double failure) {
    return new Scene()
        .clients(clients)
        .open(CALLS / 10)
        .hop(0.01)
        .failure(new Failure.Random(failure))
        .duration(10);
  }

  private static Replications loadAndSuccess(Scene scene, Policy policy) {
    return new Replications(
        seed -> {
          CallTally tally = scene.run(policy, seed).tally;
          double calls = tally.measuredBegun();
          return new double[] {tally.measuredAttempts() / calls, tally.measuredSuccesses() / calls};
        });
  }

  @ParameterizedTest
  @CsvSource({"0.1, 3", "0.5, 1", "0.5, 3", "0.9, 4"})
  void retriesWithoutABudgetMakeTheGeometricSumOfAttempts(double failure, int retries) {
    Replications runs =
        loadAndSuccess(scene(10, failure).open(1000), Scene.attempts(retries + 1, Backoff.none()));
    double failsAll = Math.pow(failure, retries + 1);
    runs.assertThatMean("load", 0, (1 - failsAll) / (1 - failure), 0.01);
    runs.assertThatMean("success", 1, 1 - failsAll, 0.02);
  }

  @Test
  void aServiceThatAlwaysFailsIsAskedAsOftenAsAllowed() {
    Run run = scene(10, 1).run(Scene.attempts(4, Backoff.none()), 1);
    assertThat(run.tally.measuredAttempts()).isEqualTo(4 * run.tally.measuredBegun());
    assertThat(run.tally.measuredSuccesses()).isZero();
  }

  /**
   * The published program pays the tenth of a token in when a call begins; the core, when a call
   * succeeds, so that a service that is down gets no retries for long. The published numbers (10,
   * 100 and 1000 clients with the same 1,000 calls between them) follow from the first rule, which
   * shows that the chain of this test is the right one; what the core does must follow from the
   * second. The published numbers are of few runs: 1.885 is more than 4 attempts can give on
   * average, which is 1.875, and one run of 1,000 calls is off by 0.03 as a rule.
   */
  @ParameterizedTest
  @CsvSource({"10, 0.1, 1.101", "10, 0.5, 1.142", "100, 0.5, 1.460", "1000, 0.5, 1.885"})
  void aTokenBucketPaysForWhatSuccessesBring(int clients, double failure, double published) {
    TokenChain atFirstTry = TokenChain.of(CALLS / clients, failure, true);
    assertThat(atFirstTry.load()).isCloseTo(published, within(0.04));

    TokenChain atSuccess = TokenChain.of(CALLS / clients, failure, false);
    Replications runs =
        loadAndSuccess(scene(clients, failure), Scene.budget(RETRIES + 1, Backoff.none(), BUCKET));
    runs.assertThatMean("load", 0, atSuccess.load(), 0.02);
    runs.assertThatMean("success", 1, atSuccess.success(), 0.03);
  }

  @Test
  void theRuleOfTheCoreMakesFewerRetriesThanThePublishedOne() {
    TokenChain published = TokenChain.of(100, 0.5, true);
    TokenChain core = TokenChain.of(100, 0.5, false);
    assertThat(published.success()).isCloseTo(0.570, within(0.005));
    assertThat(core.load()).isCloseTo(1.10, within(0.01));
    assertThat(core.success()).isCloseTo(0.55, within(0.01));
  }

  @Test
  void aBudgetThatAllShareBoundsTheRetriesOfAll() {
    Scene scene = scene(1000, 0.5).sharedBudget();
    Policy policy = Scene.budget(RETRIES + 1, Backoff.none(), BUCKET);
    for (long seed = 1; seed <= 10; seed++) {
      CallTally tally = scene.run(policy, seed).tally;
      long retries = tally.measuredAttempts() - tally.measuredBegun();
      double paid = 5 + 0.1 * tally.measuredSuccesses();
      assertThat((double) retries).isBetween(paid - 3, paid);
    }
    // Of n calls, R n = 5 + 0.1 (1-p)(1+R) n.
    Replications runs = loadAndSuccess(scene.open(2000), policy);
    runs.assertThatMean("load", 0, 1 + (0.05 + 5 / 20_000.0) / 0.95, 0.002);
  }

  @Test
  void aRatioBudgetAllowsItsShareOfTheSuccesses() {
    Policy policy =
        Scene.budget(
            RETRIES + 1,
            Backoff.fixed(Duration.ofMillis(10)),
            new BudgetPolicy.Ratio(0.2, 0, 50, 0));
    Replications runs = loadAndSuccess(scene(1, 0.5).open(2000), policy);
    // Of n calls, R n = 50 + 0.2 (1-p)(1+R) n.
    runs.assertThatMean("load", 0, 1 + (0.1 + 50 / 20_000.0) / 0.9, 0.004);
  }
}
