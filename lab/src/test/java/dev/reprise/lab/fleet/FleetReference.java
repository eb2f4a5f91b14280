package dev.reprise.lab.fleet;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.lab.figure.Figure;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.kernel.RetryDelays;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A row of the reference: what another simulator found, with delays in whole milliseconds, a burst
 * of 100 ms, a loss that is noticed within 100 ms and at most a second of work owed for refusals.
 */
record FleetReference(
    String policy,
    int devices,
    double capacityPerSecond,
    int outageSeconds,
    double rejectionCost,
    double p50,
    double p90,
    double p99,
    double last,
    double attempts,
    double attemptsAfterRecovery,
    long events) {
  private static final int ATTEMPTS_COLUMN = 14;

  static List<FleetReference> rows() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    FleetReference.class.getResourceAsStream("/fleet-reference.csv")),
                StandardCharsets.UTF_8))) {
      List<FleetReference> rows = new ArrayList<>();
      lines.readLine();
      String line;
      while ((line = lines.readLine()) != null) {
        String[] fields = line.split(",", -1);
        rows.add(
            new FleetReference(
                fields[0],
                Integer.parseInt(fields[1]),
                Double.parseDouble(fields[2]),
                Integer.parseInt(fields[3]),
                Double.parseDouble(fields[4]),
                seconds(fields[5]),
                seconds(fields[6]),
                seconds(fields[7]),
                seconds(fields[8]),
                Double.parseDouble(fields[ATTEMPTS_COLUMN]),
                Double.parseDouble(fields[ATTEMPTS_COLUMN + 1]),
                Long.parseLong(fields[ATTEMPTS_COLUMN + 2])));
      }
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double seconds(String field) {
    return field.equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(field);
  }

  /** Returns the same situation with fewer devices and as much less capacity. */
  FleetReference scaledDown(int by) {
    return new FleetReference(
        policy,
        devices / by,
        capacityPerSecond / by,
        outageSeconds,
        rejectionCost,
        p50,
        p90,
        p99,
        last,
        attempts,
        attemptsAfterRecovery,
        events / by);
  }

  double reference(Figure figure) {
    return switch (figure) {
      case DRAIN_P50 -> p50;
      case DRAIN_P90 -> p90;
      case DRAIN_P99 -> p99;
      case DRAIN_LAST -> last;
      case ATTEMPTS -> attempts;
      case ATTEMPTS_AFTER_RECOVERY -> attemptsAfterRecovery;
      default -> throw new IllegalArgumentException("figure is " + figure + ": has no column");
    };
  }

  RunRecord run(long seed) {
    DevicePolicy decides = decides();
    return new FleetRun(model(), decides, decides, seed).run();
  }

  /** Returns the same as a plain simulation. */
  SimpleFleet plain(long tickNanos, boolean lastInFirst) {
    return new SimpleFleet(
        devices,
        capacityPerSecond,
        rejectionCost,
        outageSeconds,
        backoff(),
        tickNanos,
        lastInFirst);
  }

  private FleetModel model() {
    return new FleetModel(
        devices,
        Duration.ofMillis(100),
        new Quota(capacityPerSecond, Duration.ofMillis(100), rejectionCost),
        Duration.ZERO,
        List.of(
            new Failure.Outage(Duration.ZERO, Duration.ofSeconds(outageSeconds), Failure.Zone.ALL)),
        policy.equals("slot") ? new Hint.Slots() : new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofHours(4));
  }

  private DevicePolicy decides() {
    if (policy.equals("slot")) {
      // Whoever is told a slot comes then, without a backoff of his own on top.
      return policy(fullJitter(1, 64), Backoff.none());
    }
    Backoff backoff = backoff();
    return policy(backoff, backoff);
  }

  private Backoff backoff() {
    if (policy.equals("azure")) {
      return Backoff.exponentialWithJitter();
    }
    String[] parts = policy.split(":", -1);
    int base = Integer.parseInt(parts[1]);
    int cap = Integer.parseInt(parts[2]);
    Backoff exponential = Backoff.exponential(Duration.ofSeconds(base), Duration.ofSeconds(cap));
    return switch (parts[0]) {
      case "google" -> Backoff.truncatedExponential(Duration.ofSeconds(cap));
      case "expo" -> exponential;
      case "full" -> fullJitter(base, cap);
      case "equal" -> exponential.withEqualJitter();
      case "decorr" -> new DecorrelatedChain(Duration.ofSeconds(base), Duration.ofSeconds(cap));
      default -> throw new IllegalArgumentException("policy is " + policy + ": is not known");
    };
  }

  private static Backoff fullJitter(int base, int cap) {
    return Backoff.exponential(Duration.ofSeconds(base), Duration.ofSeconds(cap)).withFullJitter();
  }

  private static DevicePolicy policy(Backoff afterFailure, Backoff afterThrottle) {
    Duration ceiling = Duration.ofDays(1);
    return new DevicePolicy(
        new RetryDelays(
            new RetryPolicy(afterFailure, Integer.MAX_VALUE, ceiling),
            new RetryPolicy(afterThrottle, Integer.MAX_VALUE, ceiling),
            Long.MAX_VALUE),
        Long.MAX_VALUE,
        null);
  }

  @Override
  public String toString() {
    return policy
        + ", "
        + devices
        + " devices, "
        + capacityPerSecond
        + "/s, outage "
        + outageSeconds
        + " s, rejection cost "
        + rejectionCost;
  }
}
