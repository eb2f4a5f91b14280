package dev.reprise.lab.calls;

import static dev.reprise.lab.calls.Scene.attempts;
import static dev.reprise.lab.calls.Scene.noRetry;
import static dev.reprise.lab.calls.Scene.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.scenario.CallModel.Step;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where retries keep a service down after the reason is gone (metastable failure). The verdicts are
 * those of published programs of M. Brooker: {@code stability-sim} and {@code simple_collapse_sim}.
 */
@Tag("slow")
class StabilityTest {
  private static final int RUNS = 30;

  /** Holds 10 tokens; a retry costs 1, a success brings 0.1. */
  private static final BudgetPolicy BUCKET =
      new BudgetPolicy.TokenBucket(10, new TokenPrices(1000, 1000, 1000, 100, false), 0, 0);

  /**
   * 70 calls a second; two servers of 50 a second, of which one crashes from 5 s to 10 s: half of
   * the capacity is gone, and half of the attempts fail.
   */
  private static Scene crash() {
    return new Scene()
        .open(70)
        .timeout(1)
        .exponential(2, 0.02)
        .failure(new Failure.BrownOut(seconds(5), seconds(10), 0.5))
        .failure(new Failure.Trace(List.of(new Failure.Interval(seconds(5), seconds(10), 0.5))))
        .duration(60);
  }

  private static Policy immediately(int retries) {
    return attempts(retries + 1, Backoff.none());
  }

  /** Returns for each seed how many calls succeed a second, from a time to another. */
  private static double[] goodput(Scene scene, Policy policy, double from, double to) {
    return LongStream.rangeClosed(1, RUNS)
        .mapToDouble(
            seed -> scene.run(policy, seed).tally.successes.bins().between(from, to) / (to - from))
        .toArray();
  }

  private static long count(double[] goodputs, double least, double most) {
    return LongStream.range(0, goodputs.length)
        .filter(run -> goodputs[(int) run] >= least && goodputs[(int) run] <= most)
        .count();
  }

  @Test
  void withoutRetriesTheServiceIsAliveAfterTheCrash() {
    assertThat(count(goodput(crash(), noRetry(), 40, 60), 60, 80)).isEqualTo(RUNS);
  }

  @Test
  void oneImmediateRetryMostlyKeepsTheServiceDown() {
    double[] goodputs = goodput(crash(), immediately(1), 40, 60);
    assertThat(count(goodputs, 0, 7)).isGreaterThan(RUNS / 2);
  }

  @Test
  void threeImmediateRetriesAlwaysKeepTheServiceDown() {
    assertThat(count(goodput(crash(), immediately(3), 40, 60), 0, 1)).isEqualTo(RUNS);
  }

  @Test
  void aTokenBucketLetsTheServiceComeBack() {
    Policy policy = Scene.budget(4, Backoff.none(), BUCKET);
    assertThat(count(goodput(crash(), policy, 40, 60), 60, 80)).isEqualTo(RUNS);
  }

  /**
   * A queue whose clients time out recovers only below ρ* = 1/(1+r), r retries per call that fails:
   * what arrives then is less than what is served although none of it is in time.
   */
  @ParameterizedTest
  @CsvSource({"1, 0.45, true", "1, 0.55, false", "3, 0.22, true", "3, 0.28, false"})
  void theServiceRecoversOnlyBelowTheThreshold(int retries, double rho, boolean recovers) {
    Scene scene =
        new Scene()
            .open(100 * rho)
            .timeout(0.5)
            .exponential(2, 0.02)
            .failure(new Failure.BrownOut(seconds(20), seconds(30), 0))
            .duration(300);
    double[] goodputs = goodput(scene, immediately(retries), 250, 300);
    long alive = count(goodputs, 85 * rho, 115 * rho);
    long dead = count(goodputs, 0, 5);
    assertThat(alive).isEqualTo(recovers ? RUNS : 0);
    assertThat(dead).isEqualTo(recovers ? 0 : RUNS);
  }

  @Test
  void aBudgetMovesTheThresholdUp() {
    Scene scene =
        new Scene()
            .open(85)
            .timeout(0.5)
            .exponential(2, 0.02)
            .failure(new Failure.BrownOut(seconds(20), seconds(30), 0))
            .duration(300);
    Policy policy = Scene.budget(4, Backoff.none(), BUCKET);
    assertThat(count(goodput(scene, policy, 250, 300), 72, 98)).isEqualTo(RUNS);
  }

  /**
   * Every request in service makes all others slower by 10 ms, and 40 calls a second become 80 for
   * 5 s: L = 1 / (1 - 0.01 r) reaches the timeout.
   */
  private static Scene spike() {
    return new Scene()
        .clients(100)
        .steps(new Step(Duration.ZERO, 40), new Step(seconds(20), 80), new Step(seconds(25), 40))
        .timeout(3)
        .fixed(0, 1.01, 0.01)
        .hop(0.1)
        .duration(80);
  }

  @Test
  void aSpikeMostlyKillsAServiceThatSlowsDownUnderLoad() {
    double[] goodputs = goodput(spike(), immediately(2), 73, 80);
    assertThat(count(goodputs, 0, 4)).isGreaterThan(RUNS / 2);
  }

  /** Base 10 s and an exponent that counts from 1: the first delay is up to 20 s. */
  @Test
  void longJitteredDelaysLetItComeBack() {
    Backoff backoff = Backoff.exponential(seconds(20), seconds(40)).withFullJitter();
    double[] goodputs = goodput(spike(), attempts(3, backoff), 73, 80);
    assertThat(count(goodputs, 30, 50)).isEqualTo(RUNS);
  }

  @ParameterizedTest
  @CsvSource({"3, 5, 243", "2, 3, 8", "4, 2, 16", "3, 1, 3"})
  void layersMultiplyTheirAttempts(int attempts, int layers, int multiplied) {
    Scene scene = new Scene().open(1).failure(new Failure.Random(1)).duration(20);
    for (int i = 1; i < layers; i++) {
      scene.layer(null, null);
    }
    assertThat(figure(scene, attempts(attempts, Backoff.none()))).isEqualTo(multiplied);
  }

  @Test
  void layersThatDoNotRetryMultiplyNothing() {
    Scene scene =
        new Scene()
            .open(1)
            .failure(new Failure.Random(1))
            .layer(noRetry(), null)
            .layer(noRetry(), null)
            .duration(20);
    assertThat(figure(scene, attempts(3, Backoff.none()))).isEqualTo(3);
  }

  private static double figure(Scene scene, Policy policy) {
    return CallSimulation.run(scene.model(), policy, 1).figures().get(Figure.ATTEMPTS);
  }
}
