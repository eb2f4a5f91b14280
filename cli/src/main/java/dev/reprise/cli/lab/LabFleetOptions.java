package dev.reprise.cli.lab;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.common.text.AmountText;
import dev.reprise.lab.scenario.Failure.Outage;
import dev.reprise.lab.scenario.Failure.Zone;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.RateText;
import dev.reprise.policy.document.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The numbers of a fleet and its service. Options that are not given change nothing. */
final class LabFleetOptions {
  @Option(
      names = "--devices",
      paramLabel = "N",
      description = "How many devices there are, such as 1000000, 200k or 1M.")
  private @Nullable String devices;

  @Option(
      names = "--capacity",
      paramLabel = "RATE",
      description = "How many connects the service takes, such as 5000/s or 300/min.")
  private @Nullable String capacity;

  @Option(
      names = "--outage",
      paramLabel = "SPAN",
      description = "How long the service is unreachable, such as 60s or 1h.")
  private @Nullable String outage;

  @Option(
      names = "--rejection-cost",
      paramLabel = "K",
      description =
          "Cost of a refusal relative to an acceptance, 0 to 1: near 0 before any work, near 1"
              + " after a TLS handshake.")
  private @Nullable Double rejectionCost;

  boolean given() {
    return devices != null || capacity != null || outage != null || rejectionCost != null;
  }

  @Nullable Integer devices() {
    return devices == null ? null : count(devices);
  }

  @Nullable Double capacityPerSecond() {
    return capacity == null ? null : rate(capacity);
  }

  @Nullable Duration outage() {
    if (outage == null) {
      return null;
    }
    Duration span = DurationText.read(outage);
    if (span == null) {
      throw CommandFailure.wrongUsage(
          "--outage is " + outage + ": must be a span such as 60s, 10m or 1h");
    }
    return span;
  }

  @Nullable Double rejectionCost() {
    if (rejectionCost != null && !(rejectionCost >= 0 && rejectionCost <= 1)) {
      throw CommandFailure.wrongUsage(
          "--rejection-cost is " + rejectionCost + ": must be between 0 and 1");
    }
    return rejectionCost;
  }

  /**
   * Returns the model with these numbers. An outage replaces all its failures, and the run goes on
   * for as long after it as it did after theirs.
   */
  FleetModel applied(FleetModel model) {
    Quota quota = model.quota();
    Integer count = devices();
    Double perSecond = capacityPerSecond();
    Duration span = outage();
    Double cost = rejectionCost();
    try {
      FleetModel applied =
          new FleetModel(
              count == null ? model.devices() : count,
              model.spread(),
              new Quota(
                  perSecond == null ? quota.perSecond() : perSecond,
                  quota.burst(),
                  cost == null ? quota.rejectionCost() : cost),
              model.perDeviceInterval(),
              span == null
                  ? model.failures()
                  : span.isZero() ? List.of() : List.of(new Outage(Duration.ZERO, span, Zone.ALL)),
              model.hint(),
              model.overactive(),
              model.minority(),
              model.costs(),
              model.horizon());
      return applied.withHorizon(model.horizon().minus(model.recovery()).plus(applied.recovery()));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the options that were not given, each with the model's number. */
  String missing(FleetModel model) {
    List<String> options = new ArrayList<>();
    if (devices == null) {
      options.add("--devices " + model.devices());
    }
    if (capacity == null) {
      options.add("--capacity " + RateText.write(model.quota().perSecond()));
    }
    if (rejectionCost == null) {
      options.add("--rejection-cost " + AmountText.count(model.quota().rejectionCost()));
    }
    if (outage == null) {
      options.add("--outage " + DurationText.exact(model.recovery()));
    }
    return String.join(" ", options);
  }

  private static int count(String text) {
    String digits = text.strip().replace("_", "").replace(",", "");
    long factor = 1;
    String last = digits.isEmpty() ? "" : digits.substring(digits.length() - 1);
    if (last.equalsIgnoreCase("k") || last.equalsIgnoreCase("m")) {
      factor = last.toLowerCase(Locale.ROOT).equals("k") ? 1_000 : 1_000_000;
      digits = digits.substring(0, digits.length() - 1);
    }
    try {
      long count = Math.multiplyExact(Long.parseLong(digits), factor);
      if (count >= 1 && count <= 200_000_000) {
        return (int) count;
      }
    } catch (NumberFormatException | ArithmeticException wrong) {
      // Said below.
    }
    throw CommandFailure.wrongUsage(
        "--devices is " + text + ": must be a count from 1 to 200M, such as 1000000, 200k or 1M");
  }

  private static double rate(String text) {
    OptionalDouble perSecond = RateText.read(text.strip());
    if (perSecond.isEmpty() || perSecond.getAsDouble() == 0) {
      throw CommandFailure.wrongUsage(
          "--capacity is " + text + ": " + RateText.RULE + ", more than 0");
    }
    return perSecond.getAsDouble();
  }
}
