package dev.reprise.lab.figure;

import dev.reprise.core.InvalidSettingException;

/**
 * The counts of a fleet that came back: all that {@link FleetFigures} needs of a run. Only devices
 * of the fleet count; overactive devices do not. A simulation counts whole devices; a fluid gives
 * expected numbers.
 *
 * <p>A fluid decreases without reaching zero. So that there is a last device, a solver puts the
 * rest into the bin in which less than about half a device is left.
 *
 * @param devices how many the fleet has, without the overactive ones; more than 0
 * @param arrivals attempts, during the outage too, from recovery on in bins of 100 ms, or wider
 *     when the run is too long for that
 * @param returns devices that came back, from recovery on in finer bins: 10 ms keep the quantiles
 *     of a drain of a second within 1 %
 * @param peakBefore most attempts in a second before recovery
 * @param peakAfter most attempts in a second from recovery on
 * @param attemptsAfterRecovery the part of {@code arrivals} at the moment of recovery or later
 * @param served attempts that took the work of an acceptance: successes, and failures by chance
 * @param refused attempts that took the work of a refusal
 * @param stranded devices whose policy gave up
 * @param endSeconds when the run ended: no event was left, or the horizon was reached
 * @param fluid true when the counts are expectations, without the scatter of chance
 */
public record FleetTally(
    double devices,
    TimeBins arrivals,
    TimeBins returns,
    double peakBefore,
    double peakAfter,
    double attemptsAfterRecovery,
    double served,
    double refused,
    double stranded,
    double endSeconds,
    boolean fluid) {
  /** Checks that there is a fleet. */
  public FleetTally {
    if (!(devices > 0)) {
      throw new InvalidSettingException("devices", devices, "must be > 0");
    }
  }
}
