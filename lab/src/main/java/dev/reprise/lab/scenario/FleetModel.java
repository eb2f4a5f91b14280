package dev.reprise.lab.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Devices that connect to a service whose quota they share. From the start, each device makes its
 * first attempt at a moment drawn evenly from {@code spread}: the time in which the loss of the
 * connection is noticed, or in which new devices are switched on for the first time. A device that
 * succeeds stays connected; one that fails asks its policy. Recovery is the end of the last {@link
 * Failure.Outage}, or the start when there is none. There is one: an outage begins within {@code
 * spread}, or before those of the same devices have ended that they have been away in from the
 * start.
 *
 * @param devices how many, 1 to 200,000,000
 * @param spread at least 0
 * @param quota what all devices share
 * @param perDeviceInterval the service refuses attempts of a device that come sooner than this
 *     after its last one; 0: it does not care
 * @param failures what goes wrong, and when
 * @param hint what the service tells those that it refuses
 * @param overactive devices that do as they like, and keep coming
 * @param minority devices that have another policy
 * @param costs what an attempt costs
 * @param horizon when the run ends at the latest; devices that are not back then never are
 */
public record FleetModel(
    int devices,
    Duration spread,
    Quota quota,
    Duration perDeviceInterval,
    List<Failure> failures,
    Hint hint,
    Overactive overactive,
    Minority minority,
    Costs costs,
    Duration horizon)
    implements Model {
  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public FleetModel {
    Require.between("devices", devices, 1, 200_000_000);
    Require.span("spread", spread);
    Objects.requireNonNull(quota, "quota");
    Require.span("perDeviceInterval", perDeviceInterval);
    failures = List.copyOf(failures);
    OneRecovery.require(failures, spread);
    Objects.requireNonNull(hint, "hint");
    Objects.requireNonNull(overactive, "overactive");
    Objects.requireNonNull(minority, "minority");
    Objects.requireNonNull(costs, "costs");
    Require.positiveSpan("horizon", horizon);
  }

  /** Returns when the last outage ends, or 0 when there is none. */
  public Duration recovery() {
    Duration recovery = Duration.ZERO;
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage && outage.to().compareTo(recovery) > 0) {
        recovery = outage.to();
      }
    }
    return recovery;
  }

  /** Returns the same fleet with another number of devices. */
  public FleetModel withDevices(int devices) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another spread. */
  public FleetModel withSpread(Duration spread) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another quota. */
  public FleetModel withQuota(Quota quota) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another interval between the attempts of a device. */
  public FleetModel withPerDeviceInterval(Duration perDeviceInterval) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with other failures. */
  public FleetModel withFailures(List<Failure> failures) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another hint. */
  public FleetModel withHint(Hint hint) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with other overactive devices. */
  public FleetModel withOveractive(Overactive overactive) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another minority. */
  public FleetModel withMinority(Minority minority) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }

  /** Returns the same fleet with another horizon. */
  public FleetModel withHorizon(Duration horizon) {
    return new FleetModel(
        devices,
        spread,
        quota,
        perDeviceInterval,
        failures,
        hint,
        overactive,
        minority,
        costs,
        horizon);
  }
}
