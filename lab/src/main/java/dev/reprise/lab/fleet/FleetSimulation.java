package dev.reprise.lab.fleet;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.policy.Policy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs a fleet under a policy, event by event, with the very objects that devices would decide
 * with.
 *
 * <p>The simulation is exact but for the clock: a delay is rounded up to 1/2,048 ms, and one that
 * would end within the millisecond in which it begins ends with it; failures begin and end with
 * whole milliseconds. All randomness is looked up by device and attempt, see {@link
 * dev.reprise.lab.kernel.CounterRandom}; so two policies get the same random numbers.
 *
 * <p>A device takes 8 to 16 bytes while it waits. A per-device interval adds 8, a budget some 60.
 */
public final class FleetSimulation {
  private FleetSimulation() {}

  /**
   * Returns what one run gave; the same arguments always give the same, on every platform.
   *
   * @throws IllegalArgumentException when the policy, or that of the minority, is adaptive, or
   *     would make more than ten thousand million attempts in an outage, which is known before the
   *     run; when a device makes two million attempts; or when all devices are overactive
   * @throws java.util.concurrent.CancellationException when the thread is interrupted
   */
  public static RunRecord run(FleetModel model, Policy policy, long seed) {
    return Objects.requireNonNull(runWithin(model, policy, seed, Long.MAX_VALUE));
  }

  /**
   * Returns the same, or null when the run would take more than so many attempts.
   *
   * @throws IllegalArgumentException as {@link #run} does
   * @throws java.util.concurrent.CancellationException when the thread is interrupted
   */
  public static @Nullable RunRecord runWithin(
      FleetModel model, Policy policy, long seed, long mostAttempts) {
    int fleet = model.devices() - model.overactive().of(model.devices());
    if (fleet == 0) {
      throw new InvalidSettingException(
          "overactive.share", model.overactive().share(), "must leave a device to watch");
    }
    DevicePolicy all = DevicePolicy.of(policy);
    Policy other = model.minority().policy();
    DevicePolicy minority = other == null ? all : DevicePolicy.of(other);
    int others = model.minority().of(fleet);
    ForeseenAttempts.requireFew(model, "backoff", policy, fleet - others);
    if (other != null) {
      ForeseenAttempts.requireFew(model, "minority.policy.backoff", other, others);
    }
    // An estimate: what it exceeds by little is tried.
    if (ForeseenAttempts.inAll(model, policy, fleet - others) / 2 > mostAttempts) {
      return null;
    }
    return new FleetRun(model, all, minority, seed).run(mostAttempts);
  }
}
