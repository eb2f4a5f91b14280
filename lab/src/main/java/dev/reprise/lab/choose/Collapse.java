package dev.reprise.lab.choose;

import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyPolicy;

/**
 * The capacity at which a fleet that has lost all its connections never comes back: devices at the
 * cap offer {@code N / E[delay]}, and their refusals, k each, take all of C. It does not matter how
 * long the outage was, once the delays have grown to the cap.
 *
 * @param capacityPerSecond the capacity that refusals take; never recovers with that or less
 * @param devices how many disconnected devices take all capacity; infinite when refusals cost
 *     nothing
 * @param capacityShare the first by the capacity there is; 1 or more: never recovers
 */
public record Collapse(double capacityPerSecond, double devices, double capacityShare) {
  /** Returns where the fleet collapses under a policy that never gives up. */
  static Collapse of(FleetModel model, StrategyPolicy policy) {
    double meanSeconds = DelayLaw.of(policy.throttleBackoff(), Policy.UNLIMITED - 1).meanSeconds();
    double rejectionCost = model.quota().rejectionCost();
    double perSecond = model.quota().perSecond();
    double taken = rejectionCost * model.devices() / meanSeconds;
    return new Collapse(
        taken,
        rejectionCost == 0 ? Double.POSITIVE_INFINITY : perSecond * meanSeconds / rejectionCost,
        taken / perSecond);
  }
}
