package dev.reprise.lab.contention;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.DelayRange;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.scenario.ContentionModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * What the program behind "Exponential Backoff And Jitter" (M. Brooker, 2015) gave for a policy and
 * a number of clients: mean and standard deviation of calls and of the time until all are done.
 */
record Published(
    String policy,
    int clients,
    int runs,
    double callsMean,
    double callsDeviation,
    double millisMean,
    double millisDeviation) {
  private static final Duration MIN_DELAY = Duration.ofMillis(10);
  private static final Duration CAP = Duration.ofSeconds(2);

  /** Returns all rows of the checked-in results. */
  static List<Published> rows() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    Published.class.getResourceAsStream("/backoff-simulator-reference.csv")),
                UTF_8))) {
      return lines.lines().skip(1).map(Published::row).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Published row(String line) {
    String[] cells = line.split(",", -1);
    return new Published(
        cells[0],
        Integer.parseInt(cells[1]),
        Integer.parseInt(cells[2]),
        Double.parseDouble(cells[8]),
        Double.parseDouble(cells[9]),
        Double.parseDouble(cells[15]),
        Double.parseDouble(cells[16]));
  }

  /** Runs our model of it: calls and milliseconds. */
  double[] run(long seed) {
    RunRecord record =
        ContentionSimulation.run(
            new ContentionModel(clients, Duration.ofMillis(10), Duration.ofMillis(2)),
            policies(seed),
            seed);
    return new double[] {
      record.figures().get(Figure.ATTEMPTS) * clients,
      record.figures().get(Figure.DRAIN_LAST) * 1000
    };
  }

  private IntFunction<RetryPolicy> policies(long seed) {
    Backoff exponential = Backoff.exponential(MIN_DELAY, CAP);
    return switch (policy) {
      case "None" -> all(Backoff.none());
      case "Exponential" -> all(exponential);
      case "EqualJitter" -> all(exponential.withEqualJitter());
      case "FullJitter" -> all(exponential.withFullJitter());
      case "Decorr" -> client -> unlimited(new Chain(seed, client));
      default -> throw new IllegalArgumentException("policy is " + policy + ": is not known");
    };
  }

  private static IntFunction<RetryPolicy> all(Backoff backoff) {
    RetryPolicy policy = unlimited(backoff);
    return client -> policy;
  }

  private static RetryPolicy unlimited(Backoff backoff) {
    return new RetryPolicy(backoff, Integer.MAX_VALUE, Duration.ZERO);
  }

  /**
   * Decorrelated jitter as it was published: each delay is drawn from 5 ms to three times the one
   * before, up to 2 s. Backoffs of the core remember nothing; this one works the chain out anew,
   * from draws that can be looked up.
   */
  private static final class Chain implements Backoff {
    private static final double BASE_NANOS = 5e6;
    private static final double CAP_NANOS = 2e9;

    private final CounterRandom draws;
    private final int client;

    Chain(long seed, int client) {
      this.draws = new CounterRandom(~seed);
      this.client = client;
    }

    @Override
    public long delayNanos(int retry, RandomGenerator random) {
      double delay = BASE_NANOS;
      for (int i = 1; i <= retry; i++) {
        double highest = 3 * delay;
        delay = BASE_NANOS + draws.at(client, i).nextDouble() * (highest - BASE_NANOS);
        delay = Math.min(CAP_NANOS, delay);
      }
      return Math.round(delay);
    }

    @Override
    public DelayRange range(int retry) {
      return new DelayRange((long) BASE_NANOS, CAP.toNanos());
    }
  }
}
