package dev.reprise.lab.choose;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.AtCap;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The policies that are tried: what a document can say of a device that never gives up. Caps reach
 * from what is usual to what the fleet needs: with k the rejection cost, refusals take all capacity
 * below a mean delay of k N/C, and a mean delay of N/C wastes nothing.
 */
final class Grid {
  private static final List<Double> BASES = List.of(0.5, 1.0, 2.0, 5.0, 10.0, 30.0);

  /** Among them the best for contenders that destroy each other's work, 1/(1 - 1/e) = 1.58. */
  private static final List<Double> FACTORS = List.of(1.5, 1.6, 2.0, 3.0);

  private static final List<Double> USUAL_CAPS = List.of(10.0, 20.0, 32.0, 64.0, 128.0);

  private static final List<Double> OF_FLOOR =
      List.of(0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0);

  /** Caps in multiples of k N/C; mean delays are between half of the cap and all of it. */
  private static final List<Double> OF_COLLAPSE = List.of(2.5, 4.5, 8.0);

  /** The mean field cannot follow longer ones, and no device should wait for days. */
  private static final double MAX_CAP_SECONDS = 48 * 3600;

  private final Map<String, StrategyPolicy> policies = new LinkedHashMap<>();
  private final Duration hintCeiling;

  private Grid(Duration hintCeiling) {
    this.hintCeiling = hintCeiling;
  }

  /** Returns the policies by their names. */
  static Map<String, StrategyPolicy> of(FleetModel model) {
    double floor = model.devices() / model.quota().perSecond();
    TreeSet<Double> caps = new TreeSet<>(USUAL_CAPS);
    OF_FLOOR.forEach(times -> caps.add(rounded(times * floor)));
    OF_COLLAPSE.forEach(times -> caps.add(rounded(times * model.quota().rejectionCost() * floor)));
    caps.removeIf(cap -> cap < 1 || cap > MAX_CAP_SECONDS);
    // A service may ask the last device to wait for all others.
    Duration ceiling = seconds(Math.ceil(Math.max(1, 2 * floor / 3600)) * 3600);
    Grid grid = new Grid(ceiling);
    for (double cap : caps) {
      grid.addCap(cap);
    }
    return grid.policies;
  }

  private void addCap(double cap) {
    for (double base : BASES) {
      if (base < cap) {
        for (double factor : FACTORS) {
          Backoff grown = Backoff.exponential(seconds(base), factor, seconds(cap));
          String growth =
              AmountText.seconds(base) + " * " + factor + "^n up to " + AmountText.seconds(cap);
          add("full jitter, " + growth, grown.withFullJitter());
          add("equal jitter, " + growth, grown.withEqualJitter());
          add("jitter of a half, " + growth, grown.withJitter(0.5));
        }
        add(
            "decorrelated jitter, "
                + AmountText.seconds(base)
                + " up to "
                + AmountText.seconds(cap),
            Backoff.decorrelatedJitter(seconds(base), seconds(cap)));
      }
    }
    add(
        "truncated exponential with jitter at the cap, up to " + AmountText.seconds(cap),
        Backoff.truncatedExponential(seconds(cap), AtCap.JITTER));
    Backoff fixed = Backoff.fixed(seconds(cap));
    add("full jitter, always " + AmountText.seconds(cap), fixed.withFullJitter());
    add("equal jitter, always " + AmountText.seconds(cap), fixed.withEqualJitter());
  }

  private void add(String name, Backoff backoff) {
    policies.put(
        name,
        new StrategyPolicy(
            StrategyKind.STANDARD,
            Policy.UNLIMITED,
            backoff,
            backoff,
            new BudgetPolicy.Unlimited(),
            hintCeiling,
            false,
            false,
            CallSettings.NONE));
  }

  /** Returns a number that a person would write: two digits, in whole seconds. */
  private static double rounded(double seconds) {
    if (seconds < 100) {
      return Math.ceil(seconds);
    }
    double unit = StrictMath.pow(10, Math.floor(StrictMath.log10(seconds)) - 1);
    return Math.ceil(seconds / unit - 1e-9) * unit;
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
