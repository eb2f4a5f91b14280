package dev.reprise.lab.scenario;

import java.util.List;

/** Scenarios that come with the lab, to run as they are and to begin one's own with. */
public final class ScenarioLibrary {
  private static final List<String> NAMES =
      List.of(
          "herd-after-outage",
          "herd-after-outage-with-slots",
          "herd-fixed-hint",
          "herd-cap-sweep",
          "first-boot-spread",
          "zone-outage",
          "brown-out",
          "bursty-network",
          "overactive-minority",
          "old-firmware-minority",
          "quota-with-rejection-cost",
          "handshake-before-admission",
          "retry-storm",
          "ramp-with-hysteresis",
          "stale-queue",
          "layered-retries",
          "contention",
          "single-server-queue",
          "seed-000-azure-iot-devices",
          "seed-001-iot-core-fleet",
          "seed-002-iot-core-project-quota",
          "seed-003-calls-with-token-bucket",
          "seed-004-notification-endpoint-recovery");

  private ScenarioLibrary() {}

  /** Returns the names of all of them: fleets first, then calls, then those of the seeds. */
  public static List<String> names() {
    return NAMES;
  }

  /**
   * Returns the document of this name, which {@link ScenarioDocuments} reads. It needs no other
   * file.
   *
   * @throws IllegalArgumentException when there is none; it lists the names that there are
   */
  public static String read(String name) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "scenario is \"" + name + "\": must be one of " + String.join(", ", NAMES));
    }
    return ScenarioDocuments.resource("/dev/reprise/lab/scenarios/" + name + ".json");
  }
}
