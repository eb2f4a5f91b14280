package dev.reprise.lab.choose;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import java.time.Duration;
import java.util.List;

/**
 * The fleet and the limits for which a policy is looked for.
 *
 * @param model the fleet, its service and what goes wrong
 * @param limits what the policy must keep
 * @param seed of the first simulation that confirms
 */
public record Task(FleetModel model, Limits limits, long seed) {
  /** Devices notice the loss of their connections within this time. */
  private static final Duration SPREAD = Duration.ofMillis(100);

  private static final Duration BURST = Duration.ofMillis(100);

  /**
   * Checks that the mean field is the measure, of at least a thousand devices, and that all of them
   * keep the policy and nothing else: what is said of its limits is of such a fleet.
   */
  public Task {
    if (model.devices() < 1_000) {
      throw new InvalidSettingException(
          "devices", model.devices(), "must be at least 1,000 to be chosen for");
    }
    if (!(model.hint() instanceof Hint.None)) {
      throw new InvalidSettingException(
          "hint", model.hint(), "must be none to be chosen for, as delays are the policy's");
    }
    if (model.overactive().share() > 0) {
      throw new InvalidSettingException(
          "overactive.share",
          model.overactive().share(),
          "must be 0 to be chosen for, as no policy can restrain them");
    }
    if (model.minority().share() > 0) {
      throw new InvalidSettingException(
          "minority.share",
          model.minority().share(),
          "must be 0 to be chosen for, as one policy is looked for");
    }
  }

  /**
   * Returns the plain task: all devices lose their connections at once, the service is away for a
   * time, and all of them come back. The run ends after ten times what they need at least, or an
   * hour: a policy that takes longer is none.
   *
   * @param devices how many, at least 1,000
   * @param perSecond how many the service accepts a second, more than 0
   * @param rejectionCost work of a refusal by work of an acceptance, 0 to 1
   * @param outage how long the service is away, more than 0
   */
  public static Task of(
      int devices,
      double perSecond,
      double rejectionCost,
      Duration outage,
      Limits limits,
      long seed) {
    Quota quota = new Quota(perSecond, BURST, rejectionCost);
    long drainSeconds = (long) Math.max(3600, Math.ceil(10.0 * devices / perSecond));
    FleetModel model =
        new FleetModel(
            devices,
            SPREAD,
            quota,
            Duration.ZERO,
            List.of(new Failure.Outage(Duration.ZERO, outage, Failure.Zone.ALL)),
            new Hint.None(),
            Overactive.NONE,
            Minority.NONE,
            Costs.NONE,
            outage.plusSeconds(drainSeconds));
    return new Task(model, limits, seed);
  }

  /** Returns the same fleet with more or fewer devices, and more or less capacity. */
  static FleetModel scaled(FleetModel model, double devices, double capacity) {
    return scaled(model, devices, capacity, model.quota().burst());
  }

  /**
   * Returns a smaller fleet that comes back like the whole one, with as much less capacity. It
   * saves up as many acceptances: by them chance is evened out, which is not to become worse.
   */
  static FleetModel sample(FleetModel model, double share) {
    double burstNanos = model.quota().burst().toNanos() / share;
    return scaled(model, share, share, Duration.ofNanos(Math.round(burstNanos)));
  }

  private static FleetModel scaled(
      FleetModel model, double devices, double capacity, Duration burst) {
    Quota quota = model.quota();
    return model
        .withDevices(
            (int) Math.min(200_000_000, Math.max(1, Math.round(model.devices() * devices))))
        .withQuota(new Quota(quota.perSecond() * capacity, burst, quota.rejectionCost()));
  }
}
