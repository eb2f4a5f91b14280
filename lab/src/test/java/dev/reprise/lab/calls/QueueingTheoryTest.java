package dev.reprise.lab.calls;

import static dev.reprise.lab.calls.Scene.noRetry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;
import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.scenario.CallModel.Queue.Order;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The simulation against closed forms of queueing theory. Each assertion holds within the 99.9 %
 * confidence interval of 30 independent runs ({@link Replications}), after a warm-up that is at
 * least ten times as long as the system takes to forget how it began.
 */
@Tag("slow")
class QueueingTheoryTest {
  private static double meanLatency(Run run) {
    return Arrays.stream(run.tally.sortedLatenciesNanos()).average().orElseThrow() / 1e9;
  }

  private static double shareLongerThan(Run run, double seconds) {
    long[] latencies = run.tally.sortedLatenciesNanos();
    return (double) Arrays.stream(latencies).filter(latency -> latency > seconds * 1e9).count()
        / latencies.length;
  }

  /** Little's law: what is at the service on average, by arrivals and the time that they stay. */
  private static void assertLittle(Run run) {
    double stays = Arrays.stream(run.tally.sortedLatenciesNanos()).sum() / 1e9;
    double seconds = (run.tally.toNanos() - run.tally.fromNanos()) / 1e9;
    // Calls that are there at the start or the end of the measurement count only on one side.
    assertThat(run.tally.meanLevel()).isCloseTo(stays / seconds, within(0.02 * stays / seconds));
  }

  @ParameterizedTest
  @CsvSource({"0.5, 1000", "0.8, 2500"})
  void oneServerHasTheQueueAndTheTimesOfMm1(double rho, double seconds) {
    double mu = 10;
    double lambda = rho * mu;
    double longTime = 2 / (mu - lambda);
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene()
                      .open(lambda)
                      .exponential(1, 1 / mu)
                      .warmUp(200)
                      .duration(200 + seconds)
                      .run(noRetry(), seed);
              assertLittle(run);
              return new double[] {
                run.tally.meanLevel(), meanLatency(run), shareLongerThan(run, longTime)
              };
            });
    runs.assertThatMean("L", 0, rho / (1 - rho), 0.1);
    runs.assertThatMean("W", 1, 1 / (mu - lambda), 0.1);
    runs.assertThatMean("P(W>t)", 2, Math.exp(-2), 0.1);
  }

  @Test
  void aBoundedQueueRefusesTheShareOfMm1k() {
    double rho = 0.8;
    int places = 4;
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene()
                      .open(8)
                      .exponential(1, 0.1)
                      .queue(Order.FIFO, places - 1, false)
                      .warmUp(100)
                      .duration(1100)
                      .run(noRetry(), seed);
              return new double[] {
                (double) run.tally.measuredFailures() / run.tally.measuredBegun()
              };
            });
    double blocked = (1 - rho) * Math.pow(rho, places) / (1 - Math.pow(rho, places + 1));
    runs.assertThatMean("P(block)", 0, blocked, 0.05);
  }

  @Test
  void fixedServiceTimesHalveTheWaitAsInMd1() {
    double rho = 0.8;
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene().open(8).fixed(1, 0.1).warmUp(200).duration(1700).run(noRetry(), seed);
              assertLittle(run);
              return new double[] {meanLatency(run) - 0.1};
            });
    runs.assertThatMean("Wq", 0, rho * 0.1 / (2 * (1 - rho)), 0.05);
  }

  @ParameterizedTest
  @CsvSource({"2, 0.8", "5, 0.8", "10, 0.9"})
  void severalServersHaveTheWaitsOfErlangC(int servers, double rho) {
    double mu = 1;
    double lambda = rho * servers * mu;
    double waits = erlangC(servers, lambda / mu);
    // The wait of those who wait is exponential with this rate, and independent of the service.
    double drain = servers * mu - lambda;
    double longTime = 3;
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene()
                      .open(lambda)
                      .exponential(servers, 1 / mu)
                      .warmUp(300)
                      .duration(7300)
                      .run(noRetry(), seed);
              assertLittle(run);
              return new double[] {
                lambda * (meanLatency(run) - 1 / mu), shareLongerThan(run, longTime)
              };
            });
    runs.assertThatMean("Lq", 0, waits * rho / (1 - rho), 0.15);
    double alone = Math.exp(-mu * longTime);
    double both =
        drain == mu
            ? (1 + mu * longTime) * alone
            : (drain * alone - mu * Math.exp(-drain * longTime)) / (drain - mu);
    runs.assertThatMean("P(W>t)", 1, (1 - waits) * alone + waits * both, 0.1);
  }

  @Test
  void serversWithoutAQueueBlockTheShareOfErlangB() {
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene()
                      .open(4)
                      .exponential(5, 1)
                      .queue(Order.FIFO, 0, false)
                      .warmUp(100)
                      .duration(2100)
                      .run(noRetry(), seed);
              return new double[] {
                (double) run.tally.measuredFailures() / run.tally.measuredBegun()
              };
            });
    runs.assertThatMean("B", 0, erlangB(5, 4), 0.05);
  }

  /**
   * Clients wait up to τ, and those who gave up are not served (M/M/1+D, Barrer 1957): the work
   * ahead of an arrival has the density λ p₀ exp(-(μ-λ)x) below τ, and falls as exp(-μx) above.
   */
  @Test
  void aQueueThatDropsTheExpiredServesTheShareOfMm1WithDeadlines() {
    double lambda = 9;
    double mu = 10;
    double patience = 0.5;
    double left = Math.exp(-(mu - lambda) * patience);
    double idle = 1 / (1 + lambda * (1 - left) / (mu - lambda) + lambda * left / mu);
    double inTime =
        idle
            * (1
                - Math.exp(-mu * patience)
                + lambda * (1 - left) / (mu - lambda)
                - Math.exp(-mu * patience) * (Math.exp(lambda * patience) - 1));
    Replications runs =
        new Replications(
            seed -> {
              Run run =
                  new Scene()
                      .open(lambda)
                      .timeout(patience)
                      .exponential(1, 1 / mu)
                      .queue(Order.FIFO, Integer.MAX_VALUE, true)
                      .warmUp(100)
                      .duration(1100)
                      .run(noRetry(), seed);
              return new double[] {
                (double) run.tally.measuredSuccesses() / run.tally.measuredBegun()
              };
            });
    runs.assertThatMean("P(V+S<τ)", 0, inTime, 0.02);
  }

  /** Falin and Templeton, 1997: E[orbit] = ρ(λ + ρθ) / ((1-ρ)θ), and θ E[orbit] / λ retries. */
  @ParameterizedTest
  @CsvSource({"0.5, 1, 1.00", "0.8, 1, 6.40", "0.8, 10, 3.52"})
  void callsThatAreRetriedHaveTheOrbitOfMm1WithRetrials(
      double lambda, double theta, double published) {
    double orbit = lambda * (lambda + lambda * theta) / ((1 - lambda) * theta);
    assertThat(orbit).isCloseTo(published, within(0.005));
    Replications runs = new Replications(seed -> orbit(lambda, 1, theta, seed));
    runs.assertThatMean("E[orbit]", 0, orbit, 0.1);
    runs.assertThatMean("attempts", 1, 1 + theta * orbit / lambda, 0.1);
    runs.assertThatMean("P(block)", 2, lambda, 0.03);
  }

  /** Values of an exact solution of the Markov chain; there is no closed form. */
  @ParameterizedTest
  @CsvSource({
    "2, 0.8, 1, 6.0470, 0.67530",
    "5, 0.8, 1, 5.2614, 0.45534",
    "5, 0.8, 10, 2.5669, 0.52147",
    "10, 0.8, 1, 4.3538, 0.27924"
  })
  void callsThatAreRetriedHaveTheOrbitOfMmcWithRetrials(
      int servers, double rho, double theta, double orbit, double blocked) {
    Replications runs = new Replications(seed -> orbit(rho * servers, servers, theta, seed));
    runs.assertThatMean("E[orbit]", 0, orbit, 0.1);
    runs.assertThatMean("P(block)", 2, blocked, 0.05);
  }

  /** Returns the mean orbit, the attempts of a call, and how many first attempts are refused. */
  private static double[] orbit(double lambda, int servers, double theta, long seed) {
    Scene scene =
        new Scene()
            .open(lambda)
            .exponential(servers, 1)
            .queue(Order.FIFO, 0, false)
            .warmUp(500)
            .duration(500 + 12_000 / lambda);
    Backoff backoff = new ExponentialDelays(theta);
    Run run =
        CallSimulation.simulate(
            scene.model(),
            Scene.attempts(Integer.MAX_VALUE, Backoff.none()),
            seed,
            builder -> builder.throttleBackoff(backoff));
    double going = lambda * meanLatency(run);
    double atOnce =
        run.tally.attemptsOfCalls.distribution("", "", 1).counts()[1]
            / (double) run.tally.measuredBegun();
    return new double[] {
      going - run.tally.meanLevel(),
      (double) run.tally.measuredAttempts() / run.tally.measuredBegun(),
      1 - atOnce
    };
  }

  private static double erlangB(int servers, double load) {
    double blocked = 1;
    for (int k = 1; k <= servers; k++) {
      blocked = load * blocked / (k + load * blocked);
    }
    return blocked;
  }

  private static double erlangC(int servers, double load) {
    double blocked = erlangB(servers, load);
    return servers * blocked / (servers - load * (1 - blocked));
  }

  /** Delays as the theory of retrials has them: exponential, the same for every retry. */
  private record ExponentialDelays(double perSecond) implements Backoff {
    @Override
    public long delayNanos(int retry, RandomGenerator random) {
      return Math.round(Chance.exponential(1e9 / perSecond, random));
    }

    @Override
    public DelayRange range(int retry) {
      return new DelayRange(0, Long.MAX_VALUE);
    }
  }
}
