package dev.reprise.lab.lint;

import dev.reprise.common.text.AmountText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.kernel.DelayLaw;
import dev.reprise.policy.preview.Change;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.SchedulePreview.Row;
import dev.reprise.policy.preview.Severity;
import java.util.List;

/**
 * Checks the load of a fleet while its service is away: each device once in the mean delay, so N by
 * that delay. Of the capacity C, refusals take k each; when all of C goes into refusals, no device
 * is accepted, and it stays so.
 */
final class LoadRules {
  /** Less than twice the delay at which no device is accepted is too small a margin. */
  private static final double MARGIN = 2;

  private LoadRules() {}

  static void addFindings(Subject subject, List<Finding> findings) {
    // A device that gives up stops offering, unless it is served before.
    if (!EndRules.lasts(subject)) {
      return;
    }
    Row last = subject.throttleRows().get(subject.throttleRows().size() - 1);
    int retry = last.firstRetry();
    double meanSeconds = DelayLaw.of(subject.policy().throttleBackoff(), retry).meanSeconds();
    if (!addCap(subject, retry, meanSeconds, findings) && subject.throttleRows().size() == 1) {
      addGrowth(subject, meanSeconds, findings);
    }
  }

  private static boolean addCap(
      Subject subject, int retry, double meanSeconds, List<Finding> findings) {
    Integer devices = subject.situation().devices();
    Double capacity = subject.situation().capacityPerSecond();
    Double rejectionCost = subject.situation().rejectionCost();
    // Refusals that cost nothing may delay the recovery, and never prevent it.
    if (devices == null || capacity == null || rejectionCost == null || rejectionCost == 0) {
      return false;
    }
    double leastSeconds = rejectionCost * devices / capacity;
    if (meanSeconds >= MARGIN * leastSeconds) {
      return false;
    }
    double refusals = rejectionCost * devices / meanSeconds;
    boolean never = meanSeconds <= leastSeconds;
    SimulatedFleet simulated = subject.simulated();
    // Devices that come in step, or are served before they are at the cap, leave room for some.
    boolean isDisproved = simulated != null && simulated.allBack();
    findings.add(
        new Finding(
            never ? "cap-never-recovers" : "cap-near-collapse",
            never && !isDisproved ? Severity.ERROR : Severity.WARNING,
            "At the cap a device waits "
                + AmountText.seconds(meanSeconds)
                + " on average: "
                + (never
                    ? "refusing all devices, when they come evenly, takes more than the service"
                        + " has"
                    : "if capacity falls under "
                        + AmountText.rate(refusals)
                        + ", refusing all devices, when they come evenly, takes all of it")
                + (never && simulated != null ? "; " + simulated.sentence() : "")
                + ".",
            "k*N/E[delay at cap] = %s * %s / %s = %s %s = %s"
                .formatted(
                    AmountText.count(rejectionCost),
                    AmountText.count(devices),
                    AmountText.seconds(meanSeconds),
                    AmountText.rate(refusals),
                    never ? ">= C" : "> C/2, C",
                    AmountText.rate(capacity)),
            subject.change(
                retry, part -> BackoffRepair.longer(part, MARGIN * leastSeconds / meanSeconds))));
    return true;
  }

  private static void addGrowth(Subject subject, double meanSeconds, List<Finding> findings) {
    // The rules of jitter have said that nothing waits.
    if (meanSeconds == 0) {
      return;
    }
    Integer devices = subject.situation().devices();
    Double capacity = subject.situation().capacityPerSecond();
    Change change = subject.change(1, part -> grown(subject, part, meanSeconds));
    String problem =
        "Every retry waits "
            + AmountText.seconds(meanSeconds)
            + " on average, for ever: the load does not fall, however long the outage lasts.";
    if (devices == null || capacity == null) {
      String proof = "N/E[delay] = N / " + AmountText.seconds(meanSeconds) + " at every retry";
      findings.add(new Finding("delay-never-grows", Severity.NOTE, problem, proof, change));
    } else if (devices / meanSeconds > capacity) {
      // Where all of them can be served in one delay, there is no need to back off further.
      String proof =
          "N/E[delay] = %s / %s = %s > C = %s"
              .formatted(
                  AmountText.count(devices),
                  AmountText.seconds(meanSeconds),
                  AmountText.rate(devices / meanSeconds),
                  AmountText.rate(capacity));
      findings.add(new Finding("delay-never-grows", Severity.WARNING, problem, proof, change));
    }
  }

  /**
   * Returns a backoff that grows from the present delay up to one in which all devices can be
   * served.
   */
  private static Backoff grown(Subject subject, Backoff part, double meanSeconds) {
    Double floorSeconds = subject.situation().floorSeconds();
    double capSeconds =
        Math.max(64 * meanSeconds, floorSeconds == null ? 0 : Math.min(2 * floorSeconds, 3600));
    return BackoffRepair.exponential(meanSeconds, capSeconds, part);
  }
}
