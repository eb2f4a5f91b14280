package dev.reprise.lab.meanfield;

import dev.reprise.core.backoff.Backoff;
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
import java.util.List;

/** Fleets and policies that tests need. */
final class Fleets {
  private Fleets() {}

  /** All devices lose their connection at once, and the service is away for so long. */
  static FleetModel outage(
      int devices, double perSecond, double rejectionCost, int outageSeconds, Failure... more) {
    List<Failure> failures = new ArrayList<>(List.of(more));
    failures.add(
        new Failure.Outage(Duration.ZERO, Duration.ofSeconds(outageSeconds), Failure.Zone.ALL));
    return new FleetModel(
        devices,
        Duration.ofMillis(100),
        new Quota(perSecond, Duration.ofMillis(100), rejectionCost),
        Duration.ZERO,
        failures,
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofSeconds(outageSeconds).plusHours(4));
  }

  static FleetModel with(FleetModel model, Hint hint, Overactive overactive, Minority minority) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        model.quota(),
        model.perDeviceInterval(),
        model.failures(),
        hint,
        overactive,
        minority,
        model.costs(),
        model.horizon());
  }

  static FleetModel with(FleetModel model, Duration perDeviceInterval) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        model.quota(),
        perDeviceInterval,
        model.failures(),
        model.hint(),
        model.overactive(),
        model.minority(),
        model.costs(),
        model.horizon());
  }

  /** Such as {@code full:1:64}: the jitter, the base and the cap in seconds. */
  static Backoff backoff(String text) {
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

  static StrategyPolicy policy(String backoff) {
    return policy(backoff(backoff), Policy.UNLIMITED, new BudgetPolicy.Unlimited(), false);
  }

  static StrategyPolicy policy(
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
}
