package dev.reprise.lab.lint;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The use of a policy, as far as it is known.
 *
 * @param devices how many keep the policy, at least 1; null when not known, or when it is kept by
 *     callers rather than by devices
 * @param capacityPerSecond what their service accepts, more than 0
 * @param rejectionCost work of a refusal by work of an acceptance, 0 to 1
 * @param outage how long the service may be away, at least 0
 */
public record Situation(
    @Nullable Integer devices,
    @Nullable Double capacityPerSecond,
    @Nullable Double rejectionCost,
    @Nullable Duration outage) {
  /** The situation of which nothing is known. */
  public static final Situation UNKNOWN = new Situation(null, null, null, null);

  /** Checks the arguments; throws {@link InvalidSettingException} naming the one that is wrong. */
  public Situation {
    if (devices != null && devices < 1) {
      throw new InvalidSettingException("devices", devices, "must be >= 1");
    }
    if (capacityPerSecond != null && !(capacityPerSecond > 0)) {
      throw new InvalidSettingException("capacityPerSecond", capacityPerSecond, "must be > 0");
    }
    if (rejectionCost != null && !(rejectionCost >= 0 && rejectionCost <= 1)) {
      throw new InvalidSettingException("rejectionCost", rejectionCost, "must be between 0 and 1");
    }
    if (outage != null && outage.isNegative()) {
      throw new InvalidSettingException("outage", outage, "must be >= 0");
    }
  }

  /** Returns the situation of a fleet; its outage is the longest one. */
  public static Situation of(FleetModel model) {
    Duration longest = Duration.ZERO;
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage) {
        Duration length = outage.to().minus(outage.from());
        longest = length.compareTo(longest) > 0 ? length : longest;
      }
    }
    return new Situation(
        model.devices(), model.quota().perSecond(), model.quota().rejectionCost(), longest);
  }

  /** Returns N/C in seconds, which the devices need at least to come back; null when not known. */
  @Nullable Double floorSeconds() {
    return devices == null || capacityPerSecond == null ? null : devices / capacityPerSecond;
  }
}
