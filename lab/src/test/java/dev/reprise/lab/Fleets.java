package dev.reprise.lab;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Plain fleets and policies for tests, which change one thing at a time. */
public final class Fleets {
  /** From 1 s to 64 s. */
  public static final Backoff FULL_JITTER =
      Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(64)).withFullJitter();

  private Fleets() {}

  /** Returns 10,000 devices, all away for a minute, 100/s after that, an hour at most. */
  public static FleetModel minuteOut() {
    return new FleetModel(
        10_000,
        Duration.ofMillis(100),
        new Quota(100, Duration.ofMillis(100), 0),
        Duration.ZERO,
        List.of(new Failure.Outage(Duration.ZERO, Duration.ofMinutes(1), Failure.Zone.ALL)),
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofHours(1));
  }

  /** Returns the policy of a device that never gives up. */
  public static StrategyPolicy patient(Backoff backoff) {
    return policy(backoff, Policy.UNLIMITED, new BudgetPolicy.Unlimited(), false)
        .withHints(Duration.ofDays(1), false);
  }

  /** Returns devices that all lose their connections at once; the service is away for so long. */
  public static FleetModel outage(
      int devices, double perSecond, double rejectionCost, int outageSeconds, Failure... more) {
    List<Failure> failures = new ArrayList<>(List.of(more));
    failures.add(
        new Failure.Outage(Duration.ZERO, Duration.ofSeconds(outageSeconds), Failure.Zone.ALL));
    return minuteOut()
        .withDevices(devices)
        .withQuota(new Quota(perSecond, Duration.ofMillis(100), rejectionCost))
        .withFailures(failures)
        .withHorizon(Duration.ofSeconds(outageSeconds).plusHours(4));
  }

  /** Returns a backoff such as {@code full:1:64}: the jitter, base and cap in seconds. */
  public static Backoff backoff(String text) {
    String[] parts = text.split(":", -1);
    if (parts[0].equals("azure")) {
      return Backoff.exponentialWithJitter();
    }
    Duration cap = Duration.ofSeconds(Long.parseLong(parts[2]));
    Backoff exponential = Backoff.exponential(Duration.ofSeconds(Long.parseLong(parts[1])), cap);
    return switch (parts[0]) {
      case "full" -> exponential.withFullJitter();
      case "equal" -> exponential.withEqualJitter();
      case "google" -> Backoff.truncatedExponential(cap);
      case "none" -> exponential;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /** Returns the policy of a device that never gives up and takes hints of up to a minute. */
  public static StrategyPolicy policy(String backoff) {
    return policy(backoff(backoff), Policy.UNLIMITED, new BudgetPolicy.Unlimited(), false);
  }

  /** Returns a policy that takes hints of up to a minute. */
  public static StrategyPolicy policy(
      Backoff backoff, int maxAttempts, BudgetPolicy budget, boolean clampsHints) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        maxAttempts,
        backoff,
        backoff,
        budget,
        Duration.ofSeconds(60),
        clampsHints,
        false,
        CallSettings.NONE);
  }

  /** Returns the series of that name. */
  public static Series series(RunRecord run, String name) {
    return run.series().stream().filter(some -> some.name().equals(name)).findFirst().orElseThrow();
  }

  /** Returns the sum of a series over time. */
  public static double total(RunRecord run, String name) {
    Series series = series(run, name);
    return Arrays.stream(series.values()).sum() * series.binSeconds();
  }

  /** Returns the distribution of that name. */
  public static Distribution distribution(RunRecord run, String name) {
    return run.distributions().stream()
        .filter(some -> some.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
