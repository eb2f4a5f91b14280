package dev.reprise.lab.scenario;

import dev.reprise.policy.document.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The rule that a fleet recovers once. Devices that are back stay connected, so an outage that
 * begins when they are would hit nobody, and what is measured from its end would be nothing.
 */
final class OneRecovery {
  private OneRecovery() {}

  /** Refuses an outage that begins after the first attempts, and after outages before it. */
  static void require(List<Failure> failures, Duration spread) {
    List<Failure.Outage> outages = new ArrayList<>();
    for (Failure failure : failures) {
      if (failure instanceof Failure.Outage outage) {
        outages.add(outage);
      }
    }
    for (int i = 0; i < failures.size(); i++) {
      if (failures.get(i) instanceof Failure.Outage outage
          && outage.from().compareTo(spread) > 0
          && findsDevicesBack(outage, outages, spread)) {
        throw new IllegalArgumentException(
            "failures["
                + i
                + "].from is "
                + DurationText.exact(outage.from())
                + ": must be within spread, which is "
                + DurationText.exact(spread)
                + ", or within an outage of the same devices before it, for devices that are back"
                + " stay connected; run each outage alone");
      }
    }
  }

  private static boolean findsDevicesBack(
      Failure.Outage late, List<Failure.Outage> outages, Duration spread) {
    List<Double> borders = new ArrayList<>();
    for (Failure.Outage outage : outages) {
      borders.add(from(outage.zone()));
      borders.add(to(outage.zone()));
    }
    List<Double> places = borders.stream().distinct().sorted().toList();
    for (int i = 1; i < places.size(); i++) {
      double place = (places.get(i - 1) + places.get(i)) / 2;
      if (isIn(place, late.zone())
          && awayUntil(place, outages, spread).compareTo(late.from()) < 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns until when a device is away that was so when all had made their first attempt. */
  private static Duration awayUntil(double place, List<Failure.Outage> outages, Duration spread) {
    Duration until = spread;
    boolean longer = true;
    while (longer) {
      longer = false;
      for (Failure.Outage outage : outages) {
        if (isIn(place, outage.zone())
            && outage.from().compareTo(until) <= 0
            && outage.to().compareTo(until) > 0) {
          until = outage.to();
          longer = true;
        }
      }
    }
    return until;
  }

  private static boolean isIn(double place, Failure.Zone zone) {
    return place > from(zone) && place < to(zone);
  }

  private static double from(Failure.Zone zone) {
    return (double) zone.index() / zone.zones();
  }

  private static double to(Failure.Zone zone) {
    return (zone.index() + 1.0) / zone.zones();
  }
}
